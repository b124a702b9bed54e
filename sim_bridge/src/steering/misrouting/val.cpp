// Valiant's routing with a misrouting policy: always a detour, drawn anew at every attempt unless
// `recompute` is 0.
#include "intermediates.hpp"
#include "steering/steering.hpp"
#include "val.hpp"

namespace tvlb::sim {
namespace {

template <MisroutingPolicy kPolicy>
using Registered = Registration<Val<kPolicy>, Misrouting>;

const Registered<kCrgGroup> crg_group{"val-crg-gr", 10, {Detours::always},
                                       Val<kCrgGroup>::parameters()};
const Registered<kCrgSwitch> crg_switch{"val-crg-sw", 11, {Detours::always},
                                       Val<kCrgSwitch>::parameters()};
const Registered<kRrgGroup> rrg_group{"val-rrg-gr", 12, {Detours::always},
                                       Val<kRrgGroup>::parameters()};
const Registered<kRrgSwitch> rrg_switch{"val-rrg-sw", 13, {Detours::always},
                                       Val<kRrgSwitch>::parameters()};

}  // namespace
}  // namespace tvlb::sim
