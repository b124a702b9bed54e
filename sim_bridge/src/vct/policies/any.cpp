// Any VC, for MIN paths that close no cycle.
#include "policy.hpp"

namespace tvlb::sim::vct {
namespace {

VcMask any(const Progress&, bool, const VcLimits& limits) { return first_vcs(limits.count); }

const PolicyRegistration registration{"any", 3, &any};

}  // namespace
}  // namespace tvlb::sim::vct
