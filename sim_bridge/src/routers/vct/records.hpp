// What a run of the virtual cut-through router writes down.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/phit_records.hpp"
#include "config.hpp"
#include "fabric.hpp"

namespace tvlb::sim::vct {

class [[gnu::visibility("default")]] Records : public PhitRecords {
 public:
  /// See `PhitRecords`.
  Records(const Network& network, const Window& window, const Config& config, double rate);

  void injected(std::int32_t cycle) {
    entered();
    injected_ += in_window(cycle);
  }
  void refused(std::int32_t cycle) { refused_ += window_.contains(cycle) ? 1 : 0; }
  void crossed(std::int32_t id, const Packet& packet, std::int32_t link, int vc, std::int32_t cycle) {
    PhitRecords::crossed(id, packet, link, vc, cycle, in_window(cycle));
    // What is in force when a packet leaves its first switch is what was decided there.
    if (packet.links == 1) decided(packet);
  }
  void decided(const Packet& packet) {
    ++decisions_;
    vlb_ += packet.took_vlb;
  }
  void ejected(std::int32_t id, const Packet& packet, int vc, std::int32_t cycle);

  /// In a whole interval of the series.
  [[nodiscard]] double accepted_in(std::int32_t interval) const {
    const auto phits = static_cast<double>(series_[static_cast<std::size_t>(interval)]);
    return phits / (static_cast<double>(network_.num_nodes()) * interval_);
  }
  /// Of a run that has taken so many cycles.
  void tell(Figures& figures, std::int32_t cycles) const;

 private:
  /// Phits of a packet whose first one passes somewhere in a cycle that do so within the window.
  [[nodiscard]] std::int32_t in_window(std::int32_t first) const {
    const std::int32_t from = std::max(first, window_.begin);
    const std::int32_t until = std::min(first + phits_, window_.end);
    return std::max(until - from, 0);
  }

  std::int32_t server_latency_;
  std::int64_t injected_ = 0;  // phits
  std::int64_t refused_ = 0;
  std::int64_t decisions_ = 0;
  std::int64_t vlb_ = 0;  // of these
  std::vector<std::int64_t> delivered_;  // phits in the window, per node
  std::vector<std::int64_t> series_;     // phits
};

}  // namespace tvlb::sim::vct
