// UGAL-L against a path of the set of the switch's level, at every attempt. Benito et al., ACOR: Adaptive
// congestion-oblivious routing in Dragonfly networks, JPDC 2019, section 4.3.
#include "misrouting/levels.hpp"
#include "misrouting/path_sets.hpp"
#include "steering.hpp"

namespace tvlb::sim {
namespace {

class UgalAcor {
 public:
  static constexpr bool kComparesFirstQueues = true;

  explicit UgalAcor(const Setup& setup) : levels_(setup, setup.path_sets) {}

  Choice attempt(const auto& view, const Head& head, Draws& draws) {
    const Choice detour = detour_of(view, head, draws, levels_.attempt(head));
    const Candidate min = view.min(head, draws);
    Choice choice = choose_by_first_queues(view, head, min, detour.path, [&] {
      return view.vlb(head, draws, detour.level);
    });
    choice.level = detour.level;
    return choice;
  }
  void tick(const auto& view, std::int32_t) { levels_.tick(view); }

 private:
  SwitchLevels levels_;
};

const Registration<UgalAcor, InputQueued> registration{
    "ugal-acor", 19, {Detours::adaptive, 6.0e-7}, SwitchLevels::parameters(sequence_of_sets(), {"sets", "3l"}, 50)};

}  // namespace
}  // namespace tvlb::sim
