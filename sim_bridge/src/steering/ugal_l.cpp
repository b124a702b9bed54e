// UGAL-L: what the source switch sees of its own queues decides. Kim et al., Technology-driven,
// highly-scalable Dragonfly topology, ISCA'08.
#include "routing.hpp"

namespace tvlb::sim {
namespace {

struct UgalL {
  static constexpr bool kComparesFirstQueues = true;

  static Choice decide(const auto& at, int source, int target, Draws& draws) {
    const Candidate vlb = at.vlb(source, target, draws);
    const Candidate min = at.min(source, target, draws);
    return choose(min, vlb,
                  [&] { return first_queue_prefers_vlb(at, source, target, min, vlb); });
  }
};

const Registration<UgalL> registration{"ugal-l", 2, Detours::adaptive, 4.0e-7};

}  // namespace
}  // namespace tvlb::sim
