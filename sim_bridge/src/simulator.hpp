// One simulation run: cycles, and in each the phases injection, delivery, switches.
#pragma once

#include <atomic>
#include <cstdint>
#include <stdexcept>

#include "config.hpp"
#include "measure.hpp"
#include "network.hpp"
#include "samplers.hpp"
#include "traffic.hpp"

namespace tvlb::sim {

/// Shared with other threads: asks a run to stop and shows how far it is.
struct StopFlag {
  std::atomic<bool> requested{false};
  std::atomic<std::int64_t> cycles_done{0};
};

/// No flit has moved for a long time although the network holds some.
class DeadlockError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs to the end of the drain, or until stopped. Deterministic in its arguments, `stop` aside.
/// Throws std::invalid_argument on settings out of range and DeadlockError.
Result simulate(const Network& network, const Traffic& traffic, const PathSampler& sampler,
                const Config& config, StopFlag& stop);

}  // namespace tvlb::sim
