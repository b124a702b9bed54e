// ACOR: always a path of the set of a level, which is of the packet or of the switch, anew at every attempt.
// Benito et al., ACOR: Adaptive congestion-oblivious routing in Dragonfly networks, JPDC 2019, section 4.2.
#include "misrouting/levels.hpp"
#include "misrouting/path_sets.hpp"
#include "steering.hpp"

namespace tvlb::sim {
namespace {

template <class Levels>
class Acor {
 public:
  explicit Acor(const Setup& setup) : levels_(setup, setup.path_sets) {}

  Choice start(const auto& view, const Head& head, Draws& draws) {
    return attempt(view, head, draws);
  }
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

const Registration<Acor<PacketLevels>, InputQueued> packet{
    "acor-packet", 7, {Detours::always, 6.0e-7}, {sequence()}};
const Registration<Acor<SwitchLevels>, InputQueued> switches{
    "acor-switch", 8, {Detours::always, 6.0e-7}, SwitchLevels::parameters(sequence(), {"sets", "3l"}, 500)};

}  // namespace
}  // namespace tvlb::sim
