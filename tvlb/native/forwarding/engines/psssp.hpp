// P-SSSP (section III): for every node a tree of shortest ways, and of these the least loaded ones.
#pragma once

#include <limits>
#include <vector>

#include "../engine.hpp"

namespace tvlb::forwarding {

class Psssp final : public TreeEngine {
public:
    explicit Psssp(const Graph& graph) : TreeEngine(graph), ways_(graph), cost_(graph.switches()) {}

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
            for (const Hop& hop : ways_.nearer(at)) {
                const double cost = cost_by(hop);
                if (cost >= least) continue;
                least = cost;
                chosen = hop.port;
            }
        }
    }

private:
    [[nodiscard]] double cost_by(const Hop& hop) const {
        return price(hop) + cost_[static_cast<std::size_t>(hop.target)];
    }

    ShortestWays ways_;
    std::vector<double> cost_;  // by switch
};

}  // namespace tvlb::forwarding
