// Levels that are the path sets of a run, of routers that draw paths.
#pragma once

#include <cstdint>

#include "steering/interface.hpp"

namespace tvlb::sim {

/// What the path sets of a sequence are: those of a run, or named ones.
[[nodiscard]] inline Parameter sequence_of_sets() { return {"sequence", {"sets", "2la", "2lb", "3l"}}; }

/// A path of the set of a level; where that has none, of the next one that has, and of its level. Without
/// hops where none has.
[[nodiscard]] Choice detour_of(const auto& view, const Head& head, Draws& draws, int level) {
  for (; level < view.path_sets(); ++level) {
    const Candidate vlb = view.vlb(head, draws, level);
    if (vlb.hops == 0) continue;
    Choice choice{vlb, true};
    choice.level = static_cast<std::uint8_t>(level);
    return choice;
  }
  return {};
}

}  // namespace tvlb::sim
