// When nodes generate packets, and the random streams of that.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "config.hpp"
#include "event_wheel.hpp"
#include "rng.hpp"
#include "traffic.hpp"

namespace tvlb::sim {

/// What every node has.
struct Generator {
  std::uint32_t gaps;      // index among the distinct ones
  std::int32_t next = -1;  // cycle of the next packet
  Stream generation;
  Stream destinations;
};

/// The nodes of a run and when to look at them; `Node` is a Generator and what its router adds. Nodes of
/// several units are woken unit by unit.
template <class Node>
class Sources {
 public:
  /// With loads in flits, of packets of some of them; the nodes below each of `ends`, if there are any,
  /// are a unit. Throws std::invalid_argument where a node would generate less than nothing or more than
  /// it can send.
  Sources(const Traffic& traffic, const RunConfig& config, int flits = 1,
          std::span<const std::int32_t> ends = {})
      : step_(config.step_cycle),
        wakings_(ends.size() > 1 ? kUnitSpan : kWheelSpan, std::max<std::size_t>(ends.size(), 1)) {
    for (const double load : {config.load, config.step_load}) {
      if (!(load >= 0.0) || !(load * traffic.max_rate() <= 1.0 + 1e-12)) {
        throw std::invalid_argument(
            "load = " + std::to_string(load) +
            ": a node would generate less than 0 or more than 1 packet/cycle");
      }
    }
    std::map<double, std::uint32_t> gaps_of_rate;
    nodes_.resize(static_cast<std::size_t>(traffic.num_nodes()));
    unsigned unit = 0;
    for (std::int32_t id = 0; id < traffic.num_nodes(); ++id) {
      const double rate = traffic.rate(id);
      const auto count = static_cast<std::uint32_t>(gaps_.size());
      const auto [gaps, is_new] = gaps_of_rate.try_emplace(rate, count);
      if (is_new) gaps_.emplace_back(config.load * rate / flits);
      if (is_new && step_ != kNever) later_gaps_.emplace_back(config.step_load * rate / flits);
      const auto key = static_cast<std::uint64_t>(id);
      static_cast<Generator&>((*this)[id]) = {gaps->second, -1,
                                              Stream(config.seed, Purpose::generation, key),
                                              Stream(config.seed, Purpose::destination, key)};
      advance((*this)[id]);
      while (unit < ends.size() && id >= ends[unit]) ++unit;
      wake(id, (*this)[id].next, 0, unit);
    }
  }

  [[nodiscard]] Node& operator[](std::int32_t id) { return nodes_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const std::vector<Node>& all() const { return nodes_; }

  /// Goes on to the packet of a node after `next`, the first one after -1. Where the load changes
  /// before that, the gap is drawn anew, as if the last packet had come just before.
  void advance(Generator& node) const {
    if (node.next < step_ || step_ == kNever) {
      add_gap(node, gaps_);
      if (node.next < step_ || step_ == kNever) return;
      node.next = step_ - 1;
    }
    add_gap(node, later_gaps_);
  }
  /// Has a node looked at in a cycle after `now`: when `due`, or earlier if that is too far ahead.
  void wake(std::int32_t id, std::int32_t due, std::int32_t now, unsigned unit = 0) {
    if (due == kNever) return;
    wakings_.push(std::min(due, now + wakings_.span()), id, unit);
  }
  /// Calls `visit(node)` for those of a unit woken in this cycle, and `announce(node)` some ahead.
  template <class Announce = Silent>
  void drain(std::int32_t cycle, auto&& visit, Announce announce = {}, unsigned unit = 0) {
    wakings_.drain(cycle, visit, announce, unit);
  }

 private:
  static void add_gap(Generator& node, const std::vector<GeometricGaps>& gaps) {
    const GeometricGaps& rate = gaps[node.gaps];
    const std::int32_t gap = rate.has_any() ? rate.draw(node.generation) : kNever;
    node.next = gap >= kNever - 1 - node.next ? kNever : node.next + gap;
  }

  // Cycles; longer gaps are waited for in parts.
  static constexpr int kWheelSpan = 255;
  static constexpr int kUnitSpan = 15;

  std::int32_t step_;                      // cycle from which the load is another; kNever
  std::vector<GeometricGaps> gaps_;        // one per distinct rate
  std::vector<GeometricGaps> later_gaps_;  // the same from `step_` on
  std::vector<Node> nodes_;
  EventWheel<std::int32_t> wakings_;
};

}  // namespace tvlb::sim
