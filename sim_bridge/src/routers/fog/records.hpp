// What a run of the router with misrouting policies writes down.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/phit_records.hpp"
#include "config.hpp"
#include "fabric.hpp"

namespace tvlb::sim::fog {

class [[gnu::visibility("default")]] Records : public PhitRecords {
 public:
  /// See `PhitRecords`.
  Records(const Topology& network, const Window& window, const Config& config, double rate);

  void generated(std::int32_t sw, std::int32_t cycle) {
    entered();
    ++intervals_[interval(cycle)].generated;
    if (window_.contains(cycle)) ++generated_[static_cast<std::size_t>(sw)];
  }
  /// The first phit of a packet leaves by a link in a cycle.
  void crossed(std::int32_t id, const Packet& packet, std::int32_t link, int vc, std::int32_t leaves) {
    PhitRecords::crossed(id, packet, link, vc, leaves, window_.contains(leaves) ? phits_ : 0);
  }
  /// It leaves to its node.
  void ejected(std::int32_t id, const Packet& packet, std::int32_t leaves);
  /// The levels of all switches in a cycle; empty if these have none.
  void levels(std::span<const std::uint8_t> of_switch, std::int32_t cycle);

  /// Of a run that has taken so many cycles.
  void tell(Figures& figures, std::int32_t cycles) const;

 private:
  struct Interval {
    std::int64_t delivered = 0;  // packets
    std::int64_t generated = 0;
    std::int64_t of_generated = 0;  // delivered of those
    std::int64_t latency = 0;       // their sum
    std::int64_t level = 0;         // sum over switches and cycles, counted from 1
  };
  static constexpr std::size_t kMostLevels = 3;

  // Sums over packets delivered in the window.
  std::int64_t network_latency_ = 0;
  std::int64_t local_hops_ = 0;
  std::int64_t global_hops_ = 0;
  std::int64_t misrouted_ = 0;
  std::vector<std::int64_t> of_level_;
  std::vector<std::int64_t> generated_;  // per switch, in the window
  std::vector<std::int64_t> delivered_;
  std::vector<Interval> intervals_;
  std::vector<std::int32_t> shown_;          // switches of the group of which levels are told
  std::vector<std::int64_t> shown_levels_;   // by interval and switch, sums over cycles
};

}  // namespace tvlb::sim::fog
