// Two phases: half of the VCs on the way to the intermediate switch, the other half from there on.
// Where MIN paths alone would close cycles, local links behind the global one of a phase have half
// of these for themselves.
#include "policy.hpp"

namespace tvlb::sim::vct {
namespace {

VcMask two_phases(const Progress& packet, bool is_global, const VcLimits& limits) {
  const int of_phase = limits.count / 2;
  const int first = packet.phase * of_phase;
  if (!limits.splits_local) return static_cast<VcMask>(first_vcs(of_phase) << first);
  const int half = of_phase / 2;
  const int behind = !is_global && packet.passed_global ? half : 0;
  return static_cast<VcMask>(first_vcs(half) << (first + behind));
}

const PolicyRegistration registration{"2phases", 2, &two_phases};

}  // namespace
}  // namespace tvlb::sim::vct
