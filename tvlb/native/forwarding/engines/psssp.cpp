// P-SSSP (section III): for every node a tree of shortest ways, and of these the least loaded ones.
#include "../shortest_trees.hpp"

namespace tvlb::forwarding {
namespace {

constexpr bool is_usable(const Graph&, std::span<const Hop>, const Hop&) { return true; }

const Registration<ShortestTrees<is_usable>> kPsssp("psssp", 0,
                                                    "shortest ways with the least sum of loads");

}  // namespace
}  // namespace tvlb::forwarding
