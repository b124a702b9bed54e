// Where detours on a Dragonfly lead: misrouting policies draw an intermediate switch, and say whether a
// detour ends there or as soon as it is in that switch's group. Garcia et al., Global misrouting policies
// in two-level hierarchical networks, INA-OCMC'13; Benito et al., JPDC 2019, sections 2 and 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "crg.hpp"
#include "groups.hpp"
#include "rrg.hpp"
#include "steering/interface.hpp"

namespace tvlb::sim {

struct MisroutingPolicy {
  bool is_current;  // the group is drawn by CRG, else by RRG
  bool to_group;    // a detour ends in the group of its intermediate
};
inline constexpr MisroutingPolicy kCrgGroup{true, true};
inline constexpr MisroutingPolicy kCrgSwitch{true, false};
inline constexpr MisroutingPolicy kRrgGroup{false, true};
inline constexpr MisroutingPolicy kRrgSwitch{false, false};

class Intermediates {
 public:
  /// `rval`: within a group detours stay there; `source_group`: they may do so elsewhere, too.
  Intermediates(const Topology& network, bool rval, bool source_group)
      : groups_(network), rval_(rval), source_group_(source_group) {}

  static Parameter rval() { return Parameter::number("rval", 1, 0, 1); }
  static Parameter recompute() { return Parameter::number("recompute", 1, 0, 1); }
  static Parameter source_group() { return Parameter::number("source_group", 0, 0, 1); }

  /// Whether source and destination are in a group that detours do not leave.
  [[nodiscard]] bool stays(const Head& head) const {
    return rval_ && groups_.of(head.sw) == groups_.of(head.target);
  }
  [[nodiscard]] Choice draw(MisroutingPolicy policy, const Head& head, Draws& draws) const {
    std::int32_t group = groups_.of(head.sw);
    const bool remains = source_group_ && draws.uniform() < groups_.share_of_others(group);
    if (stays(head)) return to(groups_.draw_switch(group, draws), head, false);
    if (!remains) {
      group = policy.is_current ? Crg::draw(groups_, head.sw, draws) : Rrg::draw(groups_, head.sw, draws);
    }
    return to(groups_.draw_switch(group, draws), head, policy.to_group);
  }
  /// The same way once more.
  [[nodiscard]] Choice again(const Head& head) const {
    return to(head.before->path.intermediate, head, head.before->to_group);
  }

 private:
  [[nodiscard]] Choice to(std::int32_t via, const Head& head, bool to_group) const {
    const bool is_there =
        via == head.sw || (to_group && groups_.of(via) == groups_.of(head.sw));
    Choice choice{{.intermediate = via, .hops = -1}, !is_there};
    choice.to_group = to_group;
    return choice;
  }

  Groups groups_;
  bool rval_;
  bool source_group_;
};

}  // namespace tvlb::sim
