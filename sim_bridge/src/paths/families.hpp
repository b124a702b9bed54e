// The families that the simulator routes on, each with its own `MinPaths`.
#pragma once

#include "paths/dragonfly/degraded_min_paths.hpp"
#include "paths/dragonfly/min_paths.hpp"
#include "shortest_min_paths.hpp"

namespace tvlb::sim {

template <template <class...> class Use>
using OverFamilies = Use<Dragonfly, DegradedDragonfly, ShortestPaths>;

}  // namespace tvlb::sim
