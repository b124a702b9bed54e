// UGAL-G: the queues of all links of both paths decide, as they are now.
#include "steering.hpp"

namespace tvlb::sim {
namespace {

struct UgalG {
  static Choice start(const auto& view, const Head& head, Draws& draws) {
    const Candidate vlb = view.vlb(head, draws);
    const Candidate min = view.min(head, draws);
    return choose(min, vlb, [&] {
      return view.sum_of_queues(head, min) > view.sum_of_queues(head, vlb) + view.threshold();
    });
  }
};

const Registration<UgalG, InputQueued> registration{"ugal-g", 3, {Detours::adaptive, 4.0e-7}};

}  // namespace
}  // namespace tvlb::sim
