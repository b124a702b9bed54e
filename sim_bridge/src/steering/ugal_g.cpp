// UGAL-G: the queues of all links of both paths decide, as they are now.
#include "routing.hpp"

namespace tvlb::sim {
namespace {

struct UgalG {
  static Choice decide(const auto& at, int source, int target, Draws& draws) {
    const Candidate vlb = at.vlb(source, target, draws);
    const Candidate min = at.min(source, target, draws);
    return choose(min, vlb, [&] {
      return at.sum_of_queues(source, target, min) >
             at.sum_of_queues(source, target, vlb) + at.threshold();
    });
  }
};

const Registration<UgalG> registration{"ugal-g", 3, Detours::adaptive, 4.0e-7};

}  // namespace
}  // namespace tvlb::sim
