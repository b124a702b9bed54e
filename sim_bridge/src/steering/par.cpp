// PAR: UGAL-L, and once more at the second switch of a MIN path, on a Dragonfly if that is still in
// the source's group. Jiang et al., Indirect adaptive routing on large scale interconnection networks, ISCA'09.
#include "steering.hpp"

namespace tvlb::sim {
namespace {

struct Par {
  static constexpr bool kComparesFirstQueues = true;
  static constexpr Reach kReach = Reach::second_switch;

  static Choice start(const auto& view, const Head& head, Draws& draws) {
    Choice choice = by_first_queues(view, head, draws);
    choice.again = !choice.vlb && view.revisable(head, choice.path);
    return choice;
  }

  static Choice arrive(const auto& view, const Head& head, Draws& draws) {
    const Candidate min = view.shortest(head, draws);
    const Candidate vlb = view.vlb(head, draws);
    return choose_by_first_queues(view, head, min, vlb, [&] { return view.vlb(head, draws); });
  }
};

const Registration<Par, InputQueued, CutThroughPaths> registration{"par", 4, {Detours::adaptive, 6.5e-7}};

}  // namespace
}  // namespace tvlb::sim
