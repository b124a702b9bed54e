#include "group_links.hpp"

#include <stdexcept>

namespace tvlb {
namespace {

[[nodiscard]] std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

}  // namespace

GroupLinks::GroupLinks(const Network& network, std::int32_t groups)
    : groups_(groups), group_size_(groups > 0 ? network.num_switches() / groups : 0) {
    require(groups > 0 && group_size_ * groups == network.num_switches(), "groups must be equal");
    group_.reserve(index(network.num_switches()));
    for (std::int32_t sw = 0; sw < network.num_switches(); ++sw) group_.push_back(sw / group_size_);
    index_local_links(network);
    index_global_links(network);
}

void GroupLinks::index_local_links(const Network& network) {
    const auto size = std::int64_t{group_size_};
    const auto links = network.links();
    while (index(num_local_links_) < links.size() && links[index(num_local_links_)].kind == 0) {
        ++num_local_links_;
    }
    local_link_.assign(index(network.num_switches() * size), kAbsent);
    for (std::int32_t id = 0; id < num_local_links_; ++id) {
        const auto& wire = network.link(id);
        require(group(wire.source) == group(wire.target) && wire.source != wire.target,
                "a local link joins two switches of one group");
        auto& cell = local_link_[index(wire.source * size + wire.target % size)];
        require(cell == kAbsent, "two switches of a group have one local link");
        cell = id;
    }
}

void GroupLinks::index_global_links(const Network& network) {
    const auto pair_of = [&](const Link& wire) {
        return index(std::int64_t{group(wire.source)} * groups_ + group(wire.target));
    };
    const auto global = network.links().subspan(index(num_local_links_));
    offset_.assign(index(std::int64_t{groups_} * groups_) + 1, 0);
    for (const auto& wire : global) {
        require(wire.kind != 0 && group(wire.source) != group(wire.target),
                "a global link joins two groups");
        ++offset_[pair_of(wire) + 1];
    }
    for (std::size_t pair = 1; pair < offset_.size(); ++pair) offset_[pair] += offset_[pair - 1];
    global_links_.resize(global.size());
    std::vector<std::int32_t> next(offset_.begin(), offset_.end() - 1);
    for (auto id = num_local_links_; id < network.num_links(); ++id) {
        global_links_[index(next[pair_of(network.link(id))]++)] = id;
    }
}

}  // namespace tvlb
