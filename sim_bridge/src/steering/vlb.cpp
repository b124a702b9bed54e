// VLB: always a path of the set. Valiant, A scheme for fast parallel communication, 1982.
#include "steering.hpp"

namespace tvlb::sim {
namespace {

struct Vlb {
  static constexpr Reach kReach = Reach::own_switch;

  static Choice start(const auto& view, const Head& head, Draws& draws) {
    const Candidate vlb = view.vlb(head, draws);
    if (vlb.hops > 0) return {vlb, true};
    return {view.min(head, draws)};
  }
};

const Registration<Vlb, InputQueued, CutThroughPaths> registration{"vlb", 1, {Detours::always, 4.3e-7}};

}  // namespace
}  // namespace tvlb::sim
