// RRG, random router global: the group behind one of the global ports of the switch's group.
#pragma once

#include "groups.hpp"

namespace tvlb::sim {

struct Rrg {
  static std::int32_t draw(const Groups& groups, std::int32_t sw, Draws& draws) {
    const auto among = groups.linked_of_group(groups.of(sw));
    // Nowhere else to go.
    if (among.empty()) return groups.of(sw);
    return among[draws.below(static_cast<std::uint32_t>(among.size()))];
  }
};

}  // namespace tvlb::sim
