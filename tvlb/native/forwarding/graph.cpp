#include "graph.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

namespace tvlb::forwarding {
namespace {

// Begins of groups of equal numbers, and the end.
std::vector<std::size_t> offsets(std::span<const Hop> hops, std::int32_t Hop::* number,
                                 std::size_t groups) {
    std::vector<std::size_t> begin(groups + 1, 0);
    for (const auto& hop : hops) ++begin[static_cast<std::size_t>(hop.*number) + 1];
    for (std::size_t at = 1; at < begin.size(); ++at) begin[at] += begin[at - 1];
    return begin;
}

}  // namespace

Graph::Graph(const Network& network) : links_(static_cast<std::size_t>(network.num_links())) {
    for (std::int32_t node = 0; node < network.num_nodes(); ++node) {
        switch_of_.push_back(network.node_switch(node));
    }
    for (std::int32_t sw = 0; sw < network.num_switches(); ++sw) {
        nodes_.push_back(network.num_terminals(sw));
        first_node_.push_back(network.first_node(sw));
    }
    for (std::int32_t id = 0; id < network.num_links(); ++id) {
        leaving_.push_back({network.source(id), network.target(id), id, 0});
        kind_.push_back(network.kind(static_cast<std::size_t>(id)));
    }
    const auto order = [](const Hop& hop) { return std::tuple(hop.source, hop.target, hop.link); };
    std::ranges::sort(leaving_, {}, order);
    place_.resize(links_);
    out_ = offsets(leaving_, &Hop::source, nodes_.size());
    for (std::size_t at = 0; at < leaving_.size(); ++at) {
        const auto port = at - out_[index(leaving_[at].source)];
        if (port >= kMostPorts) {
            throw std::invalid_argument("switch " + std::to_string(leaving_[at].source) +
                                        " has more than " + std::to_string(kMostPorts) +
                                        " links, which no forwarding table holds");
        }
        leaving_[at].port = static_cast<Port>(port);
        place_[index(leaving_[at].link)] = at;
    }
    for (std::int32_t sw = 0; sw < network.num_switches(); ++sw) {
        if (!leaving(sw).empty()) joined_.push_back(sw);
    }
    arriving_ = leaving_;
    std::ranges::stable_sort(arriving_, {}, &Hop::target);
    in_ = offsets(arriving_, &Hop::target, nodes_.size());
}

void ShortestWays::find(std::int32_t target) {
    if (target == target_) return;
    target_ = target;
    std::ranges::fill(hops_, kUnreached);
    order_.assign(1, target);
    hops_[static_cast<std::size_t>(target)] = 0;
    for (std::size_t at = 0; at < order_.size(); ++at) {
        const auto near = hops_[static_cast<std::size_t>(order_[at])];
        for (const auto& hop : graph_.arriving(order_[at])) {
            auto& further = hops_[static_cast<std::size_t>(hop.source)];
            if (further != kUnreached) continue;
            further = near + 1;
            order_.push_back(hop.source);
        }
    }
    order_.erase(order_.begin());
    begin_.assign(1, 0);
    nearer_.clear();
    for (const auto sw : order_) {
        const auto left = hops_[static_cast<std::size_t>(sw)] - 1;
        for (const auto& hop : graph_.leaving(sw)) {
            if (hops_[static_cast<std::size_t>(hop.target)] == left) nearer_.push_back(hop);
        }
        begin_.push_back(nearer_.size());
    }
}

}  // namespace tvlb::forwarding
