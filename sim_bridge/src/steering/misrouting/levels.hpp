// Which of a sequence of sets of detours packets draw from: levels, from the shortest detours to the
// longest, counted from 0. Benito et al., ACOR: Adaptive congestion-oblivious routing in Dragonfly networks,
// JPDC 2019, section 4.2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "steering/interface.hpp"

namespace tvlb::sim {

/// Every attempt of a packet but its first is a level higher.
class PacketLevels {
 public:
  static constexpr std::size_t kNumbers = 0;
  static std::vector<Parameter> parameters(Parameter sequence, const std::vector<std::string_view>&, int) {
    return {std::move(sequence)};
  }

  PacketLevels(const Setup&, int levels) : last_(levels - 1) {}

  /// Of this attempt.
  [[nodiscard]] int attempt(const Head& head) const {
    return head.before == nullptr ? 0 : std::min(head.before->level + 1, last_);
  }

 private:
  int last_;
};

/// Every switch has a level. It rises as soon as attempts of packets that were sent by a detour before,
/// and so were blocked, reach a threshold, and falls where they are few at the end of an interval.
class SwitchLevels {
 public:
  /// Numbers in the arguments, and the position of the first.
  static constexpr std::size_t kNumbers = 5;
  static constexpr std::size_t kFirst = 1;

  SwitchLevels(const Setup& setup, int levels)
      : interval_(setup.arguments[kFirst]),
        levels_(static_cast<std::size_t>(setup.network.num_switches()), 0),
        switches_(levels_.size(), Switch{interval_, 0}) {
    for (int level = 0; level + 1 < levels; ++level) {
      rises_at_.push_back(setup.arguments[kFirst + 1 + static_cast<std::size_t>(level)]);
      falls_at_.push_back(setup.arguments[kFirst + 3 + static_cast<std::size_t>(level)]);
    }
  }

  /// The interval, and the thresholds between the first and the second level and between the second and
  /// the third, which sequences of three have; behind the parameter of the sequence.
  static std::vector<Parameter> parameters(Parameter sequence, const std::vector<std::string_view>& of_three,
                                           int it2) {
    constexpr int kMost = 1'000'000;
    return {std::move(sequence),
            Parameter::number("hi", 500, 1, kMost),
            Parameter::number("it1", 15, 1, kMost),
            Parameter::number("it2", it2, 1, kMost, of_three),
            Parameter::number("dt1", 5, 0, kMost),
            Parameter::number("dt2", 15, 0, kMost, of_three)};
  }

  [[nodiscard]] int attempt(const Head& head) {
    const auto sw = static_cast<std::size_t>(head.sw);
    switches_[sw].blocked += head.before != nullptr && head.before->was_vlb;
    return levels_[sw];
  }
  /// Before a cycle, of switches that hold packets.
  void tick(const auto& view) {
    for (std::size_t sw = 0; sw < levels_.size(); ++sw) {
      if (view.holds_packets(static_cast<std::int32_t>(sw))) tick(levels_[sw], switches_[sw]);
    }
  }
  /// Of every switch.
  [[nodiscard]] std::span<const std::uint8_t> levels() const { return levels_; }

 private:
  struct Switch {
    std::int32_t left;     // cycles of the interval
    std::int32_t blocked;  // attempts in it
  };

  void tick(std::uint8_t& level, Switch& at) const {
    const bool is_over = --at.left <= 0;
    const bool rises = level < rises_at_.size() && at.blocked >= rises_at_[level];
    if (!rises && !is_over) return;
    if (rises) ++level;
    else if (level > 0 && at.blocked <= falls_at_[level - 1U]) --level;
    at = {interval_, 0};
  }

  std::int32_t interval_;
  std::vector<std::int32_t> rises_at_;  // from each level to the next
  std::vector<std::int32_t> falls_at_;  // back to it
  std::vector<std::uint8_t> levels_;    // per switch
  std::vector<Switch> switches_;
};

}  // namespace tvlb::sim
