// UGAL-G: the queues of all links of both paths decide, as they are now.
#include "steering.hpp"

namespace tvlb::sim {
namespace {

struct UgalG {
  static constexpr Reach kReach = Reach::network;

  static Choice start(const auto& view, const Head& head, Draws& draws) {
    const Candidate vlb = view.vlb(head, draws);
    const Candidate min = view.min(head, draws);
    return choose(
        view.rule(), min, vlb,
        [&](const Candidate& one) { return view.rule().excess(view.path_queues(head, min, one)); },
        [&] { return view.vlb(head, draws); });
  }
};

const Registration<UgalG, InputQueued, CutThroughPaths> registration{"ugal-g", 3, {Detours::adaptive, 4.0e-7}};

}  // namespace
}  // namespace tvlb::sim
