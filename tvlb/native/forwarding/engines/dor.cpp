// Dimension order: along the lowest dimension first. Between the two directions of an even ring, or
// between parallel cables, loads decide.
#include "../shortest_trees.hpp"

namespace tvlb::forwarding {
namespace {

bool is_lowest(const Graph& graph, std::span<const Hop> nearer, const Hop& hop) {
    return std::ranges::all_of(
        nearer, [&](const Hop& other) { return graph.kind(hop) <= graph.kind(other); });
}

const Registration<ShortestTrees<is_lowest>> kDor("dor", 5, "shortest ways, one dimension after the other",
                                                  {.needs_dimensions = true});

}  // namespace
}  // namespace tvlb::forwarding
