// P-SSSP (section III): for every node a tree of shortest ways, and of these the least loaded ones.
#include "../shortest_trees.hpp"

namespace tvlb::forwarding {
namespace {

const Registration<Psssp> kPsssp("psssp", 0, "shortest ways with the least sum of loads");

}  // namespace
}  // namespace tvlb::forwarding
