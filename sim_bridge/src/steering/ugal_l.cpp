// UGAL-L: what the source switch sees of its own queues decides. Kim et al., Technology-driven,
// highly-scalable Dragonfly topology, ISCA'08.
#include "steering.hpp"

namespace tvlb::sim {
namespace {

struct UgalL {
  static constexpr bool kComparesFirstQueues = true;
  static constexpr Reach kReach = Reach::own_switch;

  static Choice start(const auto& view, const Head& head, Draws& draws) {
    return by_first_queues(view, head, draws);
  }
};

const Registration<UgalL, InputQueued, CutThroughPaths> registration{"ugal-l", 2, {Detours::adaptive, 4.0e-7}};

}  // namespace
}  // namespace tvlb::sim
