#include "even_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "../interrupt.hpp"

namespace tvlb::forwarding {
namespace {

// All pairs of nodes along cheapest shortest ways.
class Cheapest {
public:
    explicit Cheapest(const Graph& graph)
        : graph_(graph), ways_(graph), cost_(graph.switches()), carried_(graph.switches()),
          chosen_(graph.switches()) {}

    // Returns what all routes cost; adds them to the loads if there are any.
    double route(std::span<const double> prices, std::span<double> loads) {
        double total = 0;
        for (std::int32_t target = 0; target < static_cast<std::int32_t>(graph_.switches()); ++target) {
            if (graph_.nodes_at(target) == 0) continue;
            check_interrupt();
            ways_.find(target);
            total += choose(prices);
            if (!loads.empty()) add(loads);
        }
        return total;
    }

private:
    double choose(std::span<const double> prices) {
        double total = 0;
        cost_[static_cast<std::size_t>(ways_.target())] = 0;
        const auto order = ways_.order();
        for (std::size_t at = 0; at < order.size(); ++at) {
            double least = std::numeric_limits<double>::infinity();
            for (const Hop& hop : ways_.nearer(at)) {
                const double cost = prices[static_cast<std::size_t>(hop.link)] +
                                    cost_[static_cast<std::size_t>(hop.target)];
                if (cost >= least) continue;
                least = cost;
                chosen_[at] = &hop;
            }
            cost_[static_cast<std::size_t>(order[at])] = least;
            total += least * graph_.nodes_at(order[at]);
        }
        return total * graph_.nodes_at(ways_.target());
    }

    void add(std::span<double> loads) {
        const auto order = ways_.order();
        for (const auto sw : order) carried_[static_cast<std::size_t>(sw)] = graph_.nodes_at(sw);
        const double nodes = graph_.nodes_at(ways_.target());
        for (std::size_t at = order.size(); at-- > 0;) {
            const Hop& hop = *chosen_[at];
            const double routes = carried_[static_cast<std::size_t>(order[at])];
            loads[static_cast<std::size_t>(hop.link)] += routes * nodes;
            if (hop.target != ways_.target()) carried_[static_cast<std::size_t>(hop.target)] += routes;
        }
    }

    const Graph& graph_;
    ShortestWays ways_;
    std::vector<double> cost_;        // by switch
    std::vector<double> carried_;     // by switch
    std::vector<const Hop*> chosen_;  // by position in the order
};

constexpr int kCheck = 10;
constexpr double kSlope = 3;

}  // namespace

double price_bound(const Graph& graph, std::span<const double> prices) {
    const double sum = std::accumulate(prices.begin(), prices.end(), 0.0);
    return sum > 0 ? Cheapest(graph).route(prices, {}) / sum : 0;
}

EvenLoads even_loads(const Graph& graph, int rounds) {
    Cheapest cheapest(graph);
    const auto links = graph.links();
    std::vector<double> prices(links, 1.0 / static_cast<double>(links));
    std::vector<double> mean_prices(links, 0), mean(links, 0), drawn(links);
    EvenLoads best{{}, 0};
    double least = std::numeric_limits<double>::infinity();
    for (int round = 1; round <= rounds; ++round) {
        std::ranges::fill(drawn, 0);
        const double cost = cheapest.route(prices, drawn);
        best.bound = std::max(best.bound, cost);
        const double step = 2.0 / (round + 1);
        for (std::size_t link = 0; link < links; ++link) {
            mean[link] += step * (drawn[link] - mean[link]);
            mean_prices[link] += step * (prices[link] - mean_prices[link]);
        }
        if (round % kCheck == 0) best.bound = std::max(best.bound, cheapest.route(mean_prices, {}));
        const double highest = std::ranges::max(mean);
        if (highest < least) {
            least = highest;
            best.load = mean;
        }
        // Steeper as the mean settles.
        const double slope = kSlope * std::sqrt(static_cast<double>(round));
        double sum = 0;
        for (std::size_t link = 0; link < links; ++link) {
            sum += prices[link] = std::exp(slope * (mean[link] / highest - 1));
        }
        for (auto& price : prices) price /= sum;
    }
    return best;
}

}  // namespace tvlb::forwarding
