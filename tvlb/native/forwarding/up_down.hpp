// Up*/down* (Schroeder et al., Autonet, 1991): the switches have an order, a link that leads to an
// earlier one goes up, and no route goes up once it has gone down. So no channels wait in a circle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine.hpp"

namespace tvlb::forwarding {

/// Places of switches in an order, by switch: by links to the nearest root, then by number.
[[nodiscard]] std::vector<std::int32_t> below(const Graph& graph, std::span<const std::int32_t> roots);

class UpDown {
public:
    /// `place` is by switch, each once.
    UpDown(const Graph& graph, std::vector<std::int32_t> place)
        : graph_(&graph), place_(std::move(place)), hops_(graph.switches()), cost_(graph.switches()) {}

    [[nodiscard]] bool is_up(const Hop& hop) const { return place(hop.target) < place(hop.source); }
    [[nodiscard]] bool allows(const Hop& first, const Hop& next) const {
        return is_up(first) || !is_up(next);
    }

    /// Sets the entries for nodes of a switch: down where switches reach it by that alone, and up
    /// elsewhere, by the fewest links and then the least sum of `price(hop)`. Returns whether every
    /// switch has one, as below a single root. O(links).
    bool choose(std::int32_t target, std::span<Port> ports, auto&& price) {
        std::ranges::fill(hops_, kUnreached);
        hops_[index(target)] = 0;
        cost_[index(target)] = 0;
        ahead_.assign(1, {target});
        std::size_t reached = 1;
        for (const bool goes_up : {false, true}) {
            for (std::size_t far = 0; far < ahead_.size(); ++far) {
                reached += settle(far, goes_up, ports, price);
            }
        }
        return reached == graph_->joined().size();
    }

    /// Sum of the squares of loads where one tree per switch serves its nodes; none if some switch
    /// does not reach another one. O(switches x links).
    [[nodiscard]] std::optional<double> worth();

private:
    // The switches whose first link goes that way to those `far` links away.
    std::size_t settle(std::size_t far, bool goes_up, std::span<Port> ports, auto&& price) {
        const auto further = static_cast<std::int32_t>(far) + 1;
        std::size_t reached = 0;
        for (std::size_t i = 0; i < ahead_[far].size(); ++i) {
            for (const Hop& hop : graph_->arriving(ahead_[far][i])) {
                auto& hops = hops_[index(hop.source)];
                if (is_up(hop) != goes_up || (hops != kUnreached && hops != further)) continue;
                const double cost = price(hop) + cost_[index(hop.target)];
                if (hops == kUnreached) {
                    if (ahead_.size() == far + 1) ahead_.emplace_back();
                    ahead_[far + 1].push_back(hop.source);
                    hops = further;
                    ++reached;
                } else if (!is_better(hop, cost, ports)) {
                    continue;
                }
                cost_[index(hop.source)] = cost;
                ports[index(hop.source)] = hop.port;
            }
        }
        return reached;
    }

    // Than the entry of its source. One that goes down stays when links that go up are looked at.
    [[nodiscard]] bool is_better(const Hop& hop, double cost, std::span<const Port> ports) const {
        const auto kept = ports[index(hop.source)];
        if (is_up(hop) != is_up(graph_->hop(hop.source, kept))) return false;
        const auto least = cost_[index(hop.source)];
        return cost < least || (cost == least && hop.port < kept);
    }

    [[nodiscard]] std::int32_t place(std::int32_t sw) const { return place_[index(sw)]; }
    [[nodiscard]] static std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }

    static constexpr std::int32_t kUnreached = -1;

    const Graph* graph_;
    std::vector<std::int32_t> place_;
    std::vector<std::int32_t> hops_;                // by switch
    std::vector<double> cost_;                      // by switch
    std::vector<std::vector<std::int32_t>> ahead_;  // switches by links to the target
};

/// Orders below single roots, and by distance from nodes, in which every switch reaches all others:
/// those with the least squares of loads first. In a network in one part there is always one; of large
/// networks fewer are looked at.
[[nodiscard]] std::vector<UpDown> good_orders(const Graph& graph);

/// For every node a tree that is up*/down* in an order.
class UpDownEngine : public TreeEngine {
public:
    UpDownEngine(const Graph& graph, UpDown order) : TreeEngine(graph), order_(std::move(order)) {}

    void choose(std::size_t node, std::span<Port> ports) final {
        order_.choose(graph().switch_of(node), ports, [&](const Hop& hop) { return price(hop); });
    }

private:
    UpDown order_;
};

}  // namespace tvlb::forwarding
