// CRG, current router global: the group behind one of the switch's own global ports; of a switch without
// any, RRG.
#pragma once

#include "rrg.hpp"

namespace tvlb::sim {

struct Crg {
  static std::int32_t draw(const Groups& groups, std::int32_t sw, Draws& draws) {
    const auto among = groups.linked(sw);
    if (among.empty()) return Rrg::draw(groups, sw, draws);
    return among[draws.below(static_cast<std::uint32_t>(among.size()))];
  }
};

}  // namespace tvlb::sim
