// Trees of shortest ways, the one of P-SSSP (section III): of these the least loaded.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "engine.hpp"

namespace tvlb::forwarding {

/// Every switch takes one of the links that `Usable` leaves of those that lead nearer, which gets
/// graph, links and a link of them.
template <auto Usable>
class ShortestTrees final : public TreeEngine {
public:
    explicit ShortestTrees(const Graph& graph) : TreeEngine(graph), ways_(graph), cost_(graph.switches()) {}

    void choose(std::size_t node, std::span<Port> ports) override {
        ways_.find(graph().switch_of(node));
        cost_[static_cast<std::size_t>(ways_.target())] = 0;
        const auto order = ways_.order();
        for (std::size_t at = 0; at < order.size(); ++at) {
            double least = std::numeric_limits<double>::infinity();
            Port chosen = kNone;
            const auto nearer = ways_.nearer(at);
            for (const Hop& hop : nearer) {
                if (!Usable(graph(), nearer, hop)) continue;
                const double cost = price(hop) + cost_[static_cast<std::size_t>(hop.target)];
                if (cost < least) {
                    least = cost;
                    chosen = hop.port;
                }
            }
            cost_[static_cast<std::size_t>(order[at])] = least;
            ports[static_cast<std::size_t>(order[at])] = chosen;
        }
    }

private:
    ShortestWays ways_;
    std::vector<double> cost_;  // by switch
};

}  // namespace tvlb::forwarding
