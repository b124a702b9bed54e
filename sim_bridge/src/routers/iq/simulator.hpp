// One simulation run: cycles, and in each the phases injection, delivery, switches.
#pragma once

#include "config.hpp"
#include "network.hpp"
#include "route_writer.hpp"
#include "common/course.hpp"
#include "common/traffic.hpp"

namespace tvlb::sim {

/// Runs to the end of the drain, or until stopped. Deterministic in its arguments, `stop` aside.
/// Throws std::invalid_argument on settings out of range.
Figures simulate(const Network& network, const Traffic& traffic, const Routes& routes,
                const Config& config, StopFlag& stop);

}  // namespace tvlb::sim
