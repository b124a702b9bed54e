#include "network.hpp"

#include <algorithm>
#include <stdexcept>

namespace tvlb {
namespace {

[[nodiscard]] std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

void require_switches(std::span<const std::int32_t> ids, std::int32_t num_switches,
                      const char* what) {
    require(std::ranges::all_of(ids, [=](auto id) { return id >= 0 && id < num_switches; }), what);
}

}  // namespace

Network::Network(std::int32_t num_switches, std::span<const std::int32_t> node_switch,
                 std::span<const std::int32_t> link_source,
                 std::span<const std::int32_t> link_target,
                 std::span<const std::uint8_t> link_kind)
    : num_switches_(num_switches),
      node_switch_(node_switch.begin(), node_switch.end()),
      target_(link_target.begin(), link_target.end()) {
    require(num_switches >= 1, "a network has at least one switch");
    require(link_target.size() == link_source.size() && link_kind.size() == link_source.size(),
            "link arrays must have equal lengths");
    require_switches(link_source, num_switches, "link ends must be switch ids");
    require_switches(link_target, num_switches, "link ends must be switch ids");
    require_switches(node_switch, num_switches, "node_switch must be ascending switch ids");
    require(std::ranges::is_sorted(node_switch), "node_switch must be ascending switch ids");
    links_.reserve(link_source.size());
    for (std::size_t i = 0; i < link_source.size(); ++i) {
        links_.push_back({link_source[i], link_target[i], 0, 0, link_kind[i]});
        num_kinds_ = std::max<std::size_t>(num_kinds_, link_kind[i] + 1U);
    }
    require(std::ranges::is_sorted(link_kind), "links must be sorted by kind");
    require(num_kinds_ <= kMaxKinds, "a network has at most 8 kinds of links");
    number_nodes();
    leaving_ = number_ports(&Link::source, &Link::target, &Link::output_port);
    arriving_ = number_ports(&Link::target, &Link::source, &Link::input_port);
}

void Network::number_nodes() {
    first_node_.assign(index(num_switches_) + 1, 0);
    for (const auto sw : node_switch_) ++first_node_[index(sw) + 1];
    for (std::size_t sw = 1; sw < first_node_.size(); ++sw) first_node_[sw] += first_node_[sw - 1];
}

Network::BySwitch Network::number_ports(std::int32_t Link::* at, std::int32_t Link::* other,
                                        std::int32_t Link::* port) {
    BySwitch out{std::vector<std::int32_t>(index(num_switches_) + 1, 0), {}};
    for (const auto& link : links_) ++out.offset[index(link.*at) + 1];
    for (std::size_t sw = 1; sw < out.offset.size(); ++sw) out.offset[sw] += out.offset[sw - 1];
    out.links.resize(links_.size());
    std::vector<std::int32_t> next(out.offset.begin(), out.offset.end() - 1);
    for (std::int32_t id = 0; id < num_links(); ++id) {
        auto& link = links_[index(id)];
        auto& place = next[index(link.*at)];
        link.*port = num_terminals(link.*at) + place - out.offset[index(link.*at)];
        max_ports_ = std::max(max_ports_, link.*port + 1);
        out.links[index(place++)] = {id, link.*other};
    }
    for (std::int32_t sw = 0; sw < num_switches_; ++sw) {
        max_ports_ = std::max(max_ports_, num_terminals(sw));
    }
    return out;
}

std::int32_t Network::of_port(const BySwitch& of, std::int32_t sw, std::int32_t port) const {
    const auto place = of.offset[index(sw)] + port - num_terminals(sw);
    const bool is_link = port >= num_terminals(sw) && place < of.offset[index(sw) + 1];
    return is_link ? of.links[index(place)].link : kAbsent;
}

}  // namespace tvlb
