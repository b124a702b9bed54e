// MIN: always the MIN path.
#include "routing.hpp"

namespace tvlb::sim {
namespace {

struct Min {
  static Choice decide(const auto& at, int source, int target, Draws& draws) {
    return {at.min(source, target, draws)};
  }
};

const Registration<Min> registration{"min", 0, Detours::never, 2.4e-7};

}  // namespace
}  // namespace tvlb::sim
