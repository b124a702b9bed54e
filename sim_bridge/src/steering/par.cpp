// PAR: UGAL-L, and once more at the second switch of a MIN path, on a Dragonfly if that is still in
// the source's group. Jiang et al., Indirect adaptive routing on large scale interconnection networks, ISCA'09.
#include "routing.hpp"

namespace tvlb::sim {
namespace {

struct Par {
  static Choice decide(const auto& at, int source, int target, Draws& draws) {
    const Candidate vlb = at.vlb(source, target, draws);
    const Candidate min = at.min(source, target, draws);
    Choice choice = choose(
        min, vlb, [&] { return first_queue_prefers_vlb(at, source, target, min, vlb); });
    choice.again = !choice.vlb && at.revisable(source, target, min);
    return choice;
  }

  static constexpr bool kComparesFirstQueues = true;

  static Choice decide_again(const auto& at, int second, int target, int taken, Draws& draws) {
    const Candidate min = at.shortest(second, target, draws);
    const Candidate vlb = at.vlb(second, target, draws);
    return choose(min, vlb,
                  [&] { return first_queue_prefers_vlb(at, second, target, min, vlb, taken); });
  }
};

const Registration<Par> registration{"par", 4, Detours::adaptive, 6.5e-7};

}  // namespace
}  // namespace tvlb::sim
