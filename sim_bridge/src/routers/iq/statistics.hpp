// What lies behind the means of a run: batches, the course over time, the share of each switch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/window.hpp"

namespace tvlb::sim {

inline constexpr int kBatches = 20;              // equal parts of the measured window
inline constexpr std::int32_t kSeriesStep = 100;  // cycles

/// Sums over packets.
struct PacketSums {
  std::int64_t packets = 0;
  std::int64_t latency = 0;  // cycles

  void add(std::int64_t one) {
    ++packets;
    latency += one;
  }
};

class Statistics {
 public:
  /// The window may move as a whole until a packet falls into it; it outlives this object.
  Statistics(const Window& window, int num_switches)
      : window_(window),
        batches_per_cycle_(static_cast<double>(kBatches) /
                           static_cast<double>(window.end - window.begin)),
        injected_by_switch_(static_cast<std::size_t>(num_switches), 0),
        accepted_by_switch_(static_cast<std::size_t>(num_switches), 0) {}

  void injected(std::int32_t at, int sw) {
    if (window_.contains(at)) ++injected_by_switch_[static_cast<std::size_t>(sw)];
  }

  void delivered(std::int32_t created, std::int32_t at, unsigned sw) {
    const std::int32_t latency = at - created;
    const auto interval = static_cast<std::size_t>(at / kSeriesStep);
    if (interval >= series_.size()) [[unlikely]] series_.resize(interval + 1);
    series_[interval].add(latency);
    if (window_.contains(at)) {
      ++accepted_by_switch_[sw];
      ++accepted_by_batch_[batch(at)];
    }
    if (window_.contains(created)) latency_by_batch_[batch(created)].add(latency);
  }
  /// A packet that the run ends without delivering counts with its age.
  void undelivered(std::int32_t created, std::int64_t age) {
    if (window_.contains(created)) latency_by_batch_[batch(created)].add(age);
  }

  /// By cycle of generation, measured packets.
  [[nodiscard]] const std::array<PacketSums, kBatches>& latency_by_batch() const {
    return latency_by_batch_;
  }
  /// Packets by cycle of delivery, whenever generated.
  [[nodiscard]] const std::array<std::int64_t, kBatches>& accepted_by_batch() const {
    return accepted_by_batch_;
  }
  /// Length of every batch; 0 for some where the window has fewer cycles than batches.
  [[nodiscard]] std::array<std::int64_t, kBatches> cycles_by_batch() const {
    std::array<std::int64_t, kBatches> cycles{};
    for (std::int32_t at = window_.begin; at < window_.end; ++at) ++cycles[batch(at)];
    return cycles;
  }
  /// Packets that left their nodes in the measured window, by source switch.
  [[nodiscard]] const std::vector<std::int64_t>& injected_by_switch() const {
    return injected_by_switch_;
  }
  /// Packets delivered in the measured window, by destination switch.
  [[nodiscard]] const std::vector<std::int64_t>& accepted_by_switch() const {
    return accepted_by_switch_;
  }
  /// Delivered packets per kSeriesStep cycles of the whole run.
  [[nodiscard]] const std::vector<PacketSums>& series() const { return series_; }

 private:
  [[nodiscard]] std::size_t batch(std::int32_t cycle) const {
    const auto found =
        static_cast<std::size_t>(static_cast<double>(cycle - window_.begin) * batches_per_cycle_);
    return found < kBatches ? found : kBatches - 1;
  }

  const Window& window_;
  double batches_per_cycle_;
  std::array<PacketSums, kBatches> latency_by_batch_{};
  std::array<std::int64_t, kBatches> accepted_by_batch_{};
  std::vector<std::int64_t> injected_by_switch_;
  std::vector<std::int64_t> accepted_by_switch_;
  std::vector<PacketSums> series_;
};

}  // namespace tvlb::sim
