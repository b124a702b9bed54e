// Ladder with reuse: any VC up to the number of links taken.
#include <algorithm>

#include "policy.hpp"

namespace tvlb::sim::vct {
namespace {

VcMask reuse(const Progress& packet, bool, const VcLimits& limits) {
  return first_vcs(std::min<int>(packet.links + 1, limits.count));
}

const PolicyRegistration registration{"reuse", 1, &reuse};

}  // namespace
}  // namespace tvlb::sim::vct
