// What runs whose packets have several phits write down, whatever their routers.
#pragma once

#include <cstdint>
#include <vector>

#include "config.hpp"
#include "figures.hpp"
#include "network.hpp"
#include "trace.hpp"

namespace tvlb::sim {

/// `Packet` has its `target` switch and `destination` node, when it was `created`, and whether it
/// `is_traced`.
class PhitRecords {
 public:
  Tracer tracer;

  [[nodiscard]] std::int64_t in_network() const { return in_network_; }

 protected:
  /// `rate`: packets per cycle that all nodes generate together. The window outlives this object.
  PhitRecords(const Network& network, const Window& window, const RunConfig& config, int phits, double rate)
      : tracer(window, config, rate),
        network_(network),
        window_(window),
        phits_(phits),
        interval_(config.interval),
        node_cycles_(static_cast<double>(network.num_nodes()) * config.measured_cycles),
        link_phits_(static_cast<std::size_t>(network.num_links()), 0) {}

  void entered() { ++in_network_; }
  /// The first phit of a packet leaves by a link in a cycle; so many of its phits leave in the window.
  void crossed(std::int32_t id, const auto& packet, std::int32_t link, int vc, std::int32_t cycle,
               std::int32_t in_window) {
    ++link_packets_;
    link_phits_[static_cast<std::size_t>(link)] += in_window;
    if (!packet.is_traced) [[likely]] return;
    const Link& taken = network_.link(link);
    tracer.of(id).hops.push_back({taken.source, taken.output_port, vc, cycle});
  }
  /// The first phit leaves its last switch in a cycle, the last one is `delivered` in another. Returns
  /// whether that is within the window.
  bool ejected(std::int32_t id, const auto& packet, int vc, std::int32_t cycle, std::int32_t delivered,
               int hops) {
    --in_network_;
    if (packet.is_traced) [[unlikely]] {
      Trace& trace = tracer.of(id);
      const std::int32_t port = trace.destination - network_.first_node(packet.target);
      trace.hops.push_back({packet.target, port, vc, cycle});
      tracer.end(id, delivered < window_.end ? delivered : trace.delivered);
    }
    if (!window_.contains(delivered)) return false;
    ++packets_;
    latency_ += delivered - packet.created;
    hops_ += hops;
    return true;
  }
  /// Interval of the series.
  [[nodiscard]] std::size_t interval(std::int32_t cycle) const {
    return static_cast<std::size_t>(cycle / interval_);
  }
  void tell(Figures& figures) const {
    figures["latency_mean"] = ratio(latency_, packets_);
    figures["hops_mean"] = ratio(hops_, packets_);
    figures["phit_hops"] = link_packets_ * phits_;
    figures["link_load"] = link_phits_;
    figures["traces"] = tracer.traces();
  }

  const Network& network_;
  const Window& window_;
  std::int32_t phits_;  // of a packet
  std::int32_t interval_;
  double node_cycles_;         // of the window
  std::int64_t packets_ = 0;   // delivered in the window

 private:
  std::int64_t in_network_ = 0;
  std::int64_t latency_ = 0;  // sums over packets delivered in the window
  std::int64_t hops_ = 0;
  std::int64_t link_packets_ = 0;
  std::vector<std::int64_t> link_phits_;
};

}  // namespace tvlb::sim
