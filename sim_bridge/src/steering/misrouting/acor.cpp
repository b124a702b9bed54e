// ACOR: detours by a sequence of misrouting policies, with a level per packet or per switch.
#include "acor.hpp"

#include "steering/steering.hpp"

namespace tvlb::sim {
namespace {

const Registration<Acor<PacketLevels>, Misrouting> per_packet{
    "acor-packet", 14, {Detours::always}, Acor<PacketLevels>::parameters(500)};
const Registration<Acor<SwitchLevels>, Misrouting> per_switch{
    "acor-switch", 15, {Detours::always}, Acor<SwitchLevels>::parameters(500)};

}  // namespace
}  // namespace tvlb::sim
