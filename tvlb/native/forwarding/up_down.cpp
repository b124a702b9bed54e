#include "up_down.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "../interrupt.hpp"

namespace tvlb::forwarding {

std::vector<std::int32_t> order_below(const Graph& graph, std::span<const std::int32_t> roots) {
    const auto count = graph.switches();
    std::vector<std::int32_t> hops(count, std::numeric_limits<std::int32_t>::max());
    std::vector<std::int32_t> reached(roots.begin(), roots.end());
    for (const auto root : roots) hops[static_cast<std::size_t>(root)] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i) {
        for (const Hop& hop : graph.leaving(reached[i])) {
            auto& far = hops[static_cast<std::size_t>(hop.target)];
            if (far != std::numeric_limits<std::int32_t>::max()) continue;
            far = hops[static_cast<std::size_t>(hop.source)] + 1;
            reached.push_back(hop.target);
        }
    }
    std::vector<std::int32_t> order(count), place(count);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](auto sw) { return hops[static_cast<std::size_t>(sw)]; });
    for (std::size_t at = 0; at < count; ++at) {
        place[static_cast<std::size_t>(order[at])] = static_cast<std::int32_t>(at);
    }
    return place;
}

std::int32_t centre_of(const Graph& graph) {
    ShortestWays ways(graph);
    std::int32_t centre = 0;
    auto fewest = std::numeric_limits<std::int64_t>::max();
    for (std::int32_t sw = 0; static_cast<std::size_t>(sw) < graph.switches(); ++sw) {
        check_interrupt();
        // One that is down is near nothing.
        if (graph.leaving(sw).empty()) continue;
        ways.find(sw);
        const auto sum = std::accumulate(ways.hops().begin(), ways.hops().end(), std::int64_t{0});
        if (sum < fewest) std::tie(fewest, centre) = std::tuple(sum, sw);
    }
    return centre;
}

}  // namespace tvlb::forwarding
