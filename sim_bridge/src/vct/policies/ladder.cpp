// Ladder: the VC is the number of links taken, of any kind and phase.
#include <algorithm>

#include "policy.hpp"

namespace tvlb::sim::vct {
namespace {

// Routes that are too long for the VCs stay on the last one, which may deadlock.
VcMask ladder(const Progress& packet, bool, const VcLimits& limits) {
  return static_cast<VcMask>(1U << std::min<int>(packet.links, limits.count - 1));
}

const PolicyRegistration registration{"ladder", 0, &ladder};

}  // namespace
}  // namespace tvlb::sim::vct
