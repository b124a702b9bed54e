// What a run of the virtual cut-through router writes down.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/figures.hpp"
#include "common/trace.hpp"
#include "config.hpp"
#include "fabric.hpp"

namespace tvlb::sim::vct {

class [[gnu::visibility("default")]] Records {
 public:
  /// `rate`: packets per cycle that all nodes generate together. The window outlives this object.
  Records(const Network& network, const Window& window, const Config& config, double rate);

  Tracer tracer;

  void injected(std::int32_t cycle) {
    ++in_network_;
    injected_ += in_window(cycle);
  }
  void refused(std::int32_t cycle) { refused_ += window_.contains(cycle) ? 1 : 0; }
  void crossed(std::int32_t id, const Packet& packet, std::int32_t link, int vc, std::int32_t cycle) {
    ++link_packets_;
    link_phits_[static_cast<std::size_t>(link)] += in_window(cycle);
    if (!packet.is_traced) [[likely]] return;
    const Link& taken = network_.link(link);
    tracer.of(id).hops.push_back({taken.source, taken.output_port, vc, cycle});
  }
  void ejected(std::int32_t id, const Packet& packet, int vc, std::int32_t cycle);

  [[nodiscard]] std::int64_t in_network() const { return in_network_; }
  /// In a whole interval of the series.
  [[nodiscard]] double accepted_in(std::int32_t interval) const {
    const auto phits = static_cast<double>(series_[static_cast<std::size_t>(interval)]);
    return phits / (static_cast<double>(network_.num_nodes()) * config_.interval);
  }
  /// Of a run that has taken so many cycles.
  void tell(Figures& figures, std::int32_t cycles) const;

 private:
  /// Phits of a packet whose first one passes somewhere in a cycle that do so within the window.
  [[nodiscard]] std::int32_t in_window(std::int32_t first) const {
    const std::int32_t from = std::max(first, window_.begin);
    const std::int32_t until = std::min(first + config_.packet_phits, window_.end);
    return std::max(until - from, 0);
  }

  const Network& network_;
  const Window& window_;
  const Config& config_;
  std::int64_t in_network_ = 0;
  std::int64_t packets_ = 0;
  std::int64_t latency_ = 0;
  std::int64_t hops_ = 0;
  std::int64_t injected_ = 0;  // phits
  std::int64_t refused_ = 0;
  std::int64_t link_packets_ = 0;
  std::vector<std::int64_t> delivered_;  // phits in the window, per node
  std::vector<std::int64_t> series_;     // phits
  std::vector<std::int64_t> link_phits_;
};

}  // namespace tvlb::sim::vct
