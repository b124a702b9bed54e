// One simulation run: cycles, and in each the phases injection, delivery, switches.
#pragma once

#include <atomic>
#include <cstdint>

#include "config.hpp"
#include "measure.hpp"
#include "network.hpp"
#include "route_writer.hpp"
#include "common/traffic.hpp"

namespace tvlb::sim {

/// Shared with other threads and possibly by several runs: asks them to stop and shows how far
/// they are.
struct StopFlag {
  std::atomic<bool> requested{false};
  std::atomic<std::int64_t> cycles_done{0};  // of all runs together
};

/// Runs to the end of the drain, or until stopped. Deterministic in its arguments, `stop` aside.
/// Throws std::invalid_argument on settings out of range.
Figures simulate(const Network& network, const Traffic& traffic, const RouteMaker& routes,
                 const Config& config, StopFlag& stop);

// A build for debugging checks the conservation of flits and credits in every cycle; slow.
#ifdef TVLB_CHECK
inline constexpr bool kChecksEveryCycle = true;
#else
inline constexpr bool kChecksEveryCycle = false;
#endif

/// Processor time of the thread so far.
[[nodiscard]] double thread_cpu_seconds();

}  // namespace tvlb::sim
