// What a run writes down about its packets: figures, their course and shares, traces.
#pragma once

#include "config.hpp"
#include "measure.hpp"
#include "statistics.hpp"
#include "common/trace.hpp"

namespace tvlb::sim {

struct Records {
  Measurement measurement;
  Statistics statistics;
  Tracer tracer;

  /// `rate`: packets per cycle that all nodes generate together.
  Records(const Window& window, int num_switches, int path_sets, const Config& config, double rate)
      : measurement(window, config.longest_latency, path_sets),
        statistics(window, num_switches, config.interval),
        tracer(window, config, rate) {}

  /// Adds what another one of the same run has counted since the last time, but for traces.
  void absorb(Records& other) {
    measurement.absorb(other.measurement);
    measurement.absorb_histograms(other.measurement);
    statistics.absorb(other.statistics);
  }
  void injected(const auto& packet, std::int32_t cycle, int source) {
    measurement.injected(packet.created);
    statistics.injected(cycle, source);
  }
  void delivered(const auto& packet, std::int32_t cycle, unsigned sw) {
    const int level = packet.took_vlb ? packet.level : -1;
    measurement.delivered(packet.created, cycle, packet.hops, level);
    statistics.delivered(packet.created, cycle, sw, level);
  }
  /// A packet that the run ends without delivering counts with its age, if it is measured.
  void undelivered(std::int32_t created, std::int32_t now) {
    if (!measurement.follows(created)) return;
    measurement.undelivered(created, now);
    statistics.undelivered(created, now - created);
  }

  void tell(Figures& figures, int num_nodes) const;
};

}  // namespace tvlb::sim
