// P-SSSP (section III): for every node a tree of shortest ways, and of these the least loaded ones.
#include <limits>

#include "../engine.hpp"

namespace tvlb::forwarding {
namespace {

class Psssp final : public TreeEngine {
public:
    explicit Psssp(const Graph& graph) : TreeEngine(graph), ways_(graph), cost_(graph.switches()) {}

    void choose(std::size_t node, std::span<Port> ports) override {
        ways_.find(graph().switch_of(node));
        cost_[static_cast<std::size_t>(ways_.target())] = 0;
        const auto order = ways_.order();
        for (std::size_t at = 0; at < order.size(); ++at) {
            double least = std::numeric_limits<double>::infinity();
            Port chosen = kNone;
            for (const Hop& hop : ways_.nearer(at)) {
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

const Registration<Psssp> kPsssp("psssp", 0, "shortest ways with the least sum of loads");

}  // namespace
}  // namespace tvlb::forwarding
