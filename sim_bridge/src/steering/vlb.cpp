// VLB: always a path of the set. Valiant, A scheme for fast parallel communication, 1982.
#include "routing.hpp"

namespace tvlb::sim {
namespace {

struct Vlb {
  static Choice decide(const auto& at, int source, int target, Draws& draws) {
    const Candidate vlb = at.vlb(source, target, draws);
    if (vlb.hops > 0) return {vlb, true};
    return {at.min(source, target, draws)};
  }
};

const Registration<Vlb> registration{"vlb", 1, Detours::always, 4.3e-7};

}  // namespace
}  // namespace tvlb::sim
