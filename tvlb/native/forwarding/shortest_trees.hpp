// Trees of shortest ways, the one of P-SSSP (section III): of these the least loaded.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "engine.hpp"

namespace tvlb::forwarding {

/// Every switch takes one of the links that `Usable` leaves of those that lead nearer, which gets
/// graph, links and a link of them.
///
/// Entries that are there already stay.
template <auto Usable>
class ShortestTrees final : public TreeEngine {
public:
    explicit ShortestTrees(const Graph& graph, const EngineSettings& settings = {})
        : TreeEngine(graph), ties_(settings.ties), ways_(graph), cost_(graph.switches()) {}

    void choose(std::size_t node, std::span<Port> ports) override {
        ways_.find(graph().switch_of(node));
        cost_[static_cast<std::size_t>(ways_.target())] = 0;
        const auto order = ways_.order();
        for (std::size_t at = 0; at < order.size(); ++at) {
            auto& chosen = ports[static_cast<std::size_t>(order[at])];
            auto& least = cost_[static_cast<std::size_t>(order[at])];
            if (chosen != kNone) {
                least = cost_by(graph().hop(order[at], chosen));
                continue;
            }
            least = std::numeric_limits<double>::infinity();
            const auto nearer = ways_.nearer(at);
            for (const Hop& hop : nearer) {
                if (!Usable(graph(), nearer, hop)) continue;
                const double cost = cost_by(hop);
                if (cost > least || (cost == least && !ties_.wins(hop, chosen))) continue;
                least = cost;
                chosen = hop.port;
            }
        }
    }

private:
    [[nodiscard]] double cost_by(const Hop& hop) const {
        return price(hop) + cost_[static_cast<std::size_t>(hop.target)];
    }

    Ties ties_;
    ShortestWays ways_;
    std::vector<double> cost_;  // by switch
};

constexpr bool is_any(const Graph&, std::span<const Hop>, const Hop&) { return true; }

using Psssp = ShortestTrees<is_any>;

}  // namespace tvlb::forwarding
