// P-SSSP with loads as lengths that begin at 1: its ways need not be the shortest ones.
#include <limits>
#include <queue>
#include <utility>

#include "../engine.hpp"

namespace tvlb::forwarding {
namespace {

constexpr auto kFar = std::numeric_limits<double>::infinity();

class PssspW1 final : public TreeEngine {
public:
    explicit PssspW1(const Graph& graph) : TreeEngine(graph), cost_(graph.switches()) {}

    void choose(std::size_t node, std::span<Port> ports) override {
        const auto target = graph().switch_of(node);
        std::ranges::fill(cost_, kFar);
        cost_[static_cast<std::size_t>(target)] = 0;
        std::priority_queue<Reached, std::vector<Reached>, std::greater<>> next;
        for (next.emplace(0, target); !next.empty();) {
            const auto [cost, at] = next.top();
            next.pop();
            if (cost > cost_[static_cast<std::size_t>(at)]) continue;
            for (const Hop& hop : graph().arriving(at)) {
                const auto further = cost + 1 + price(hop);
                auto& least = cost_[static_cast<std::size_t>(hop.source)];
                if (further >= least) continue;
                least = further;
                ports[static_cast<std::size_t>(hop.source)] = hop.port;
                next.emplace(further, hop.source);
            }
        }
    }

private:
    using Reached = std::pair<double, std::int32_t>;

    std::vector<double> cost_;  // by switch
};

const Registration<PssspW1> kPssspW1("psssp-w1", 1, "ways with the least sum of loads and links", {.is_shortest = false});

}  // namespace
}  // namespace tvlb::forwarding
