// One run of the virtual cut-through router.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "routers/iq/simulator.hpp"
#include "config.hpp"
#include "min_ports.hpp"

namespace tvlb::sim::vct {

inline constexpr std::int32_t kSeriesStep = 1000;  // cycles

/// Outcome of a run; of packets delivered in the window unless noted, latencies in cycles.
struct Result {
  double latency_mean = 0.0;
  double hops_mean = 0.0;
  double accepted = 0.0;  // phits per cycle and node
  double injected = 0.0;  // the same, sent by nodes
  double refused = 0.0;   // packets per node that found the queue of their node full
  double jain = 0.0;      // of the phits delivered to each node
  Stopped stopped = Stopped::completed;
  std::int64_t packets = 0;
  std::int64_t phit_hops = 0;  // whole run, network links
  std::int64_t cycles = 0;
  std::vector<double> series;        // accepted, per whole kSeriesStep of the run
  std::vector<std::int64_t> link_phits;  // in the window, per link
  std::vector<Trace> traces;             // of sampled packets generated in the window
  std::vector<Buffer> wait_cycle;
  double cpu_seconds = 0.0;
};

/// Gets the accepted load of every whole kSeriesStep, and tells whether the run goes on.
using Watch = std::function<bool(double accepted)>;

/// Runs to the end of the window, or until stopped, also by `watch` unless that is empty.
/// Deterministic in its arguments, `stop` aside. Throws std::invalid_argument on settings out of
/// range.
Result simulate(const Network& network, const Traffic& traffic, const MinPorts& min_ports,
                const Config& config, StopFlag& stop, const Watch& watch);

}  // namespace tvlb::sim::vct
