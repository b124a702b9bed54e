#include "simulator.hpp"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

#include "run.hpp"

namespace tvlb::sim {
namespace {

void check(const Network& network, const Traffic& traffic, const Routes& routes) {
  if (routes.most_hops > kMaxHops) {
    throw std::invalid_argument("routes of " + std::to_string(routes.most_hops) +
                                " links are too long");
  }
  if (traffic.num_nodes() != network.num_nodes()) {
    throw std::invalid_argument("the traffic belongs to another network");
  }
}

// In the smallest masks that hold every (port, VC slot).
template <int Slots, int Hops, int Words = 1>
Figures execute(const Network& network, auto&... given) {
  if (network.max_ports() * Slots <= Words * 64) {
    return std::make_unique<Run<Words, Slots, Hops>>(network, given...)->execute();
  }
  if constexpr (Words * 64 < kMaxPorts * Slots) return execute<Slots, Hops, 2 * Words>(network, given...);
  throw std::invalid_argument("a switch has more ports than the simulator supports");
}

}  // namespace

Figures simulate(const Network& network, const Traffic& traffic, const Routes& routes,
                const Config& config, StopFlag& stop) {
  return timed(network, [&] {
    check(network, traffic, routes);
    if (config.vc_count > 8) return execute<16, kMaxHops>(network, traffic, routes, config, stop);
    // Long routes with few VCs are rare, and have slots for more.
    if (routes.most_hops > kFewHops) return execute<8, kMaxHops>(network, traffic, routes, config, stop);
    if (config.vc_count > 4) return execute<8, kFewHops>(network, traffic, routes, config, stop);
    return execute<4, kFewHops>(network, traffic, routes, config, stop);
  });
}

}  // namespace tvlb::sim
