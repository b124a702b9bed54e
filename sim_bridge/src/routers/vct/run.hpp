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

/// Gets the accepted load of every whole kSeriesStep, and tells whether the run goes on.
using Watch = std::function<bool(double accepted)>;

/// Runs to the end of the window, or until stopped, also by `watch` unless that is empty.
/// Deterministic in its arguments, `stop` aside. Throws std::invalid_argument on settings out of
/// range.
Figures simulate(const Network& network, const Traffic& traffic, const MinPorts& min_ports,
                 const Config& config, StopFlag& stop, const Watch& watch);

}  // namespace tvlb::sim::vct
