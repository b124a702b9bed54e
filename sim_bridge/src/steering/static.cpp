// Static: a path of a split, MIN or VLB, by the shares of the pair. Towles, Dally, Boyd,
// Throughput-centric routing algorithm design, SPAA'03.
#include "steering.hpp"

namespace tvlb::sim {
namespace {

struct Static {
  static constexpr Reach kReach = Reach::own_switch;

  static Choice start(const auto& view, const Head& head, Draws& draws) {
    const Candidate path = view.of_split(head, draws);
    return {path, path.intermediate >= 0};
  }
};

const Registration<Static, InputQueued, CutThroughPaths> registration{"static", 7, {Detours::split, 4.3e-7}};

}  // namespace
}  // namespace tvlb::sim
