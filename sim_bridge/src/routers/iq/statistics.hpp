// What lies behind the means of a run: batches, the course over time, the share of each switch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/config.hpp"

namespace tvlb::sim {

inline constexpr int kBatches = 20;              // equal parts of the measured window
inline constexpr std::int32_t kSeriesStep = 100;  // cycles, by which a warm-up is found to be over

/// Sums over packets.
struct PacketSums {
  std::int64_t packets = 0;
  std::int64_t latency = 0;  // cycles
  std::int64_t detours = 0;  // packets by VLB paths
  std::int64_t level = 0;    // of their path sets, from 0

  void add(std::int64_t one) {
    ++packets;
    latency += one;
  }
  PacketSums& operator+=(const PacketSums& other) {
    packets += other.packets;
    latency += other.latency;
    detours += other.detours;
    level += other.level;
    return *this;
  }
};

/// Moves sums to those of the same places, of which there may be fewer.
template <class Sum>
void take(std::vector<Sum>& sums, std::vector<Sum>& from) {
  if (sums.size() < from.size()) sums.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) sums[i] += std::exchange(from[i], Sum{});
}

class Statistics {
 public:
  /// The window may move as a whole until a packet falls into it; it outlives this object. What is
  /// told of the course has parts of `interval` cycles, which are those of `series` added up, if they
  /// can be.
  Statistics(const Window& window, int num_switches, std::int32_t interval)
      : latency_by_batch(kBatches),
        accepted_by_batch(kBatches, 0),
        injected_by_switch(static_cast<std::size_t>(num_switches), 0),
        accepted_by_switch(injected_by_switch),
        window_(window),
        told_step_(interval % kSeriesStep == 0 ? kSeriesStep : interval),
        batches_per_cycle_(static_cast<double>(kBatches) /
                           static_cast<double>(window.end - window.begin)) {}

  void injected(std::int32_t at, int sw) {
    if (window_.contains(at)) ++injected_by_switch[static_cast<std::size_t>(sw)];
  }

  void delivered(std::int32_t created, std::int32_t at, unsigned sw, int level) {
    const std::int32_t latency = at - created;
    add(series, at / kSeriesStep, latency, level);
    if (told_step_ != kSeriesStep) [[unlikely]] add(told_series_, at / told_step_, latency, level);
    if (window_.contains(at)) {
      ++accepted_by_switch[sw];
      ++accepted_by_batch[batch(at)];
    }
    if (window_.contains(created)) latency_by_batch[batch(created)].add(latency);
  }
  /// A packet that the run ends without delivering counts with its age.
  void undelivered(std::int32_t created, std::int64_t age) {
    if (window_.contains(created)) latency_by_batch[batch(created)].add(age);
  }

  /// Adds what another one of the same run has counted since the last time.
  void absorb(Statistics& other) {
    take(latency_by_batch, other.latency_by_batch);
    take(accepted_by_batch, other.accepted_by_batch);
    take(injected_by_switch, other.injected_by_switch);
    take(accepted_by_switch, other.accepted_by_switch);
    take(series, other.series);
    take(told_series_, other.told_series_);
  }

  /// Delivered packets per so many cycles of the whole run.
  [[nodiscard]] std::int32_t told_step() const { return told_step_; }
  [[nodiscard]] const std::vector<PacketSums>& told_series() const {
    return told_step_ == kSeriesStep ? series : told_series_;
  }

  /// Length of every batch; 0 for some where the window has fewer cycles than batches.
  [[nodiscard]] std::vector<std::int64_t> cycles_by_batch() const {
    std::vector<std::int64_t> cycles(kBatches, 0);
    for (std::int32_t at = window_.begin; at < window_.end; ++at) ++cycles[batch(at)];
    return cycles;
  }

  std::vector<PacketSums> latency_by_batch;  // by cycle of generation, measured packets
  std::vector<std::int64_t> accepted_by_batch;  // by cycle of delivery, whenever generated
  // Packets that left their nodes in the measured window, by source switch, and that were delivered
  // in it, by destination switch.
  std::vector<std::int64_t> injected_by_switch;
  std::vector<std::int64_t> accepted_by_switch;
  std::vector<PacketSums> series;  // delivered packets per kSeriesStep cycles of the whole run

 private:
  static void add(std::vector<PacketSums>& sums, std::int32_t place, std::int64_t latency, int level) {
    const auto interval = static_cast<std::size_t>(place);
    if (interval >= sums.size()) [[unlikely]] sums.resize(interval + 1);
    sums[interval].add(latency);
    sums[interval].detours += static_cast<int>(level >= 0);
    sums[interval].level += std::max(level, 0);
  }
  [[nodiscard]] std::size_t batch(std::int32_t cycle) const {
    const auto found =
        static_cast<std::size_t>(static_cast<double>(cycle - window_.begin) * batches_per_cycle_);
    return found < kBatches ? found : kBatches - 1;
  }

  const Window& window_;
  std::int32_t told_step_;
  std::vector<PacketSums> told_series_;  // where it is not `series`
  double batches_per_cycle_;
};

/// MSER: how many leading values to drop so that the mean of the others has the smallest standard
/// error (White, Cobb, Spratt, 2000). At least kLeastKept values stay; 0 for fewer.
std::size_t mser_truncation(std::span<const double> values);
inline constexpr std::size_t kLeastKept = 5;

/// Whether a run has left its transient: MSER drops no more than the first half of the series of
/// mean latencies.
bool seems_steady(std::span<const PacketSums> series);

}  // namespace tvlb::sim
