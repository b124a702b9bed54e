// Free splitting over shortest ways: how low the highest load of a link can be under all pairs of nodes.
#pragma once

#include <span>
#include <vector>

#include "graph.hpp"

namespace tvlb::forwarding {

/// No routes over shortest ways have a lower highest load: all pairs of nodes along the cheapest ones,
/// over the sum of prices (the dual of the linear program). Prices are not negative.
[[nodiscard]] double price_bound(const Graph& graph, std::span<const double> prices);

struct EvenLoads {
    std::vector<double> load;  // by link, of routes that split
    double bound;              // on the highest load of any
};

/// By so many rounds of all-or-nothing routes at prices that rise with the load.
[[nodiscard]] EvenLoads even_loads(const Graph& graph, int rounds);

}  // namespace tvlb::forwarding
