// Detours by a sequence of misrouting policies, a level each. Benito et al., JPDC 2019, section 4.
#pragma once

#include <array>
#include <vector>

#include "intermediates.hpp"
#include "levels.hpp"
#include "path_sets.hpp"

namespace tvlb::sim {

/// Arguments: the sequence, those of `Levels`, and `source_group`. `kSets`: routers that draw paths take
/// it too, of which sequences are path sets (path_sets.hpp).
template <class Levels, bool kSets = false>
class Acor {
 public:
  static constexpr std::size_t kArguments = 2 + Levels::kNumbers;

  explicit Acor(const Setup& setup)
      : sequence_(sequences().at(static_cast<std::size_t>(setup.arguments[0] - kSets))),
        levels_(setup, static_cast<int>(sequence_.size())),
        intermediates_(setup.network, true, setup.arguments[kArguments - 1] != 0) {}

  static std::vector<Parameter> parameters(int it2) {
    if constexpr (kSets) {
      auto all = Levels::parameters(sequence_of_sets(), {"sets", "3l"}, it2);
      all.push_back(Intermediates::source_group());
      all.back().only_with = {"2la", "2lb", "3l"};
      return all;
    } else {
      auto all = Levels::parameters({"sequence", {"2la", "2lb", "3l"}}, {"3l"}, it2);
      all.push_back(Intermediates::source_group());
      return all;
    }
  }

  Choice attempt(const auto&, const Head& head, Draws& draws) {
    const int level = levels_.attempt(head);
    Choice choice = intermediates_.draw(sequence_[static_cast<std::size_t>(level)], head, draws);
    choice.level =
        static_cast<std::uint8_t>(intermediates_.stays(head) ? sequence_.size() - 1
                                                             : static_cast<std::size_t>(level));
    return choice;
  }
  void tick(const auto& view, std::int32_t)
    requires requires(Levels levels) { levels.tick(view); }
  {
    levels_.tick(view);
  }
  [[nodiscard]] auto levels() const
    requires requires(const Levels levels) { levels.levels(); }
  {
    return levels_.levels();
  }

 private:
  static const std::array<std::vector<MisroutingPolicy>, 3>& sequences() {
    static const std::array<std::vector<MisroutingPolicy>, 3> all{
        std::vector{kCrgGroup, kRrgSwitch}, std::vector{kCrgSwitch, kRrgSwitch},
        std::vector{kCrgGroup, kCrgSwitch, kRrgSwitch}};
    return all;
  }

  std::vector<MisroutingPolicy> sequence_;
  Levels levels_;
  Intermediates intermediates_;
};

}  // namespace tvlb::sim
