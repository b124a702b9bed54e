#include "dragonfly.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "paths.hpp"

namespace tvlb {
namespace {

[[nodiscard]] std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

}  // namespace

Dragonfly::Dragonfly(Network network, std::int32_t groups)
    : Topology(std::move(network), {{1}, {1, 0}, {0, 1}, {0, 1, 0}}),
      groups_(groups),
      group_size_(groups > 0 ? num_switches() / groups : 0),
      num_local_links_(0) {
    require(groups > 0 && group_size_ * groups == num_switches(), "groups must be equal");
    group_.reserve(index(num_switches()));
    for (std::int32_t sw = 0; sw < num_switches(); ++sw) group_.push_back(sw / group_size_);
    index_local_links();
    index_global_links();
}

void Dragonfly::index_local_links() {
    const auto size = std::int64_t{group_size_};
    while (num_local_links_ < num_links() && link(num_local_links_).kind == 0) ++num_local_links_;
    require(num_local_links_ == size * (size - 1) * groups_,
            "the local links must be complete and have the lowest ids");
    local_link_.assign(index(num_switches() * size), kAbsent);
    for (std::int32_t id = 0; id < num_local_links_; ++id) {
        const auto& wire = link(id);
        require(group(wire.source) == group(wire.target) && wire.source != wire.target,
                "a local link joins two switches of one group");
        auto& cell = local_link_[index(wire.source * size + wire.target % size)];
        require(cell == kAbsent, "two switches of a group have one local link");
        cell = id;
    }
}

void Dragonfly::index_global_links() {
    const auto pair_of = [&](const Link& wire) {
        return index(std::int64_t{group(wire.source)} * groups_ + group(wire.target));
    };
    const auto global = links().subspan(index(num_local_links_));
    offset_.assign(index(std::int64_t{groups_} * groups_) + 1, 0);
    for (const auto& wire : global) {
        require(wire.kind != 0 && group(wire.source) != group(wire.target),
                "a global link joins two groups");
        ++offset_[pair_of(wire) + 1];
    }
    for (std::size_t pair = 1; pair < offset_.size(); ++pair) offset_[pair] += offset_[pair - 1];
    global_links_.resize(global.size());
    std::vector<std::int32_t> next(offset_.begin(), offset_.end() - 1);
    for (auto id = num_local_links_; id < num_links(); ++id) {
        global_links_[index(next[pair_of(link(id))]++)] = id;
    }
}

ShortestHops::ShortestHops(const Dragonfly& dragonfly) : switches_(index(dragonfly.num_switches())) {
    hops_.reserve(switches_ * switches_);
    std::vector<Shortest> found(index(dragonfly.group_size()));
    for (std::int32_t from = 0; from < dragonfly.num_switches(); ++from) {
        for (std::int32_t group = 0; group < dragonfly.num_groups(); ++group) {
            std::ranges::fill(found, Shortest{1, 1});
            if (group != dragonfly.group(from)) shortest_to_group(dragonfly, from, group, found);
            for (const auto& to : found) hops_.push_back(static_cast<std::uint8_t>(to.hops));
        }
        hops_[index(from) * switches_ + index(from)] = 0;
    }
}

std::unique_ptr<PathKernel> Dragonfly::kernel() const {
    return std::make_unique<PathKernelOf<DragonflyPaths>>(*this);
}

}  // namespace tvlb
