// ACOR: detours by a sequence of misrouting policies, with a level per packet or per switch; where routers
// draw paths, the sequence is of path sets.
#include "acor.hpp"

#include "steering/steering.hpp"

namespace tvlb::sim {
namespace {

template <class Levels>
class AcorOfSets {
 public:
  explicit AcorOfSets(const Setup& setup) : levels_(setup, setup.path_sets) {}

  Choice attempt(const auto& view, const Head& head, Draws& draws) {
    const Choice detour = detour_of(view, head, draws, levels_.attempt(head));
    return detour.vlb ? detour : Choice{view.min(head, draws)};
  }
  void tick(const auto& view, std::int32_t)
    requires requires(Levels levels) { levels.tick(view); }
  {
    levels_.tick(view);
  }

 private:
  Levels levels_;
};

template <class Levels>
using Registered = Registration<Acor<Levels, true>, Misrouting, As<AcorOfSets<Levels>, InputQueued>>;

const Registered<PacketLevels> per_packet{
    "acor-packet", 14, {Detours::always, 6.0e-7}, Acor<PacketLevels, true>::parameters(500)};
const Registered<SwitchLevels> per_switch{
    "acor-switch", 15, {Detours::always, 6.0e-7}, Acor<SwitchLevels, true>::parameters(500)};

}  // namespace
}  // namespace tvlb::sim
