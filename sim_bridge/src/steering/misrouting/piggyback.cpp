// Piggyback with one misrouting policy, or with the levels of ACOR per switch.
#include "piggyback.hpp"

#include "acor.hpp"
#include "steering/steering.hpp"
#include "val.hpp"

namespace tvlb::sim {
namespace {

const Registration<Piggyback<Val<kRrgSwitch>>, Misrouting> by_any{
    "pb", 16, {Detours::adaptive}, Piggyback<Val<kRrgSwitch>>::parameters(Val<kRrgSwitch>::parameters())};
const Registration<Piggyback<Val<kCrgSwitch>>, Misrouting> by_own{
    "pb-crg-sw", 17, {Detours::adaptive}, Piggyback<Val<kCrgSwitch>>::parameters(Val<kCrgSwitch>::parameters())};
const Registration<Piggyback<Acor<SwitchLevels>>, Misrouting> by_level{
    "pb-acor", 18, {Detours::adaptive},
    Piggyback<Acor<SwitchLevels>>::parameters(Acor<SwitchLevels>::parameters(50))};

}  // namespace
}  // namespace tvlb::sim
