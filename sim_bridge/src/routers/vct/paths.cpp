#include "run.hpp"

namespace tvlb::sim::vct {

Figures simulate_paths(const Topology& network, const Traffic& traffic, const MakePaths& make,
                       const Config& config, StopFlag& stop, const Watch& watch) {
  return timed(network, [&] {
    const auto ways = [&](Fabric& fabric, const std::int32_t& cycle) {
      return PathWays(make(fabric, cycle), fabric);
    };
    return Run<PathWays>(network, traffic, nullptr, config, stop, watch, ways).execute();
  });
}

}  // namespace tvlb::sim::vct
