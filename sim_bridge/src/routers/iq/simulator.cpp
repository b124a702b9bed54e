#include "simulator.hpp"

#include <cmath>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>

#include "run.hpp"

namespace tvlb::sim {
namespace {

void check(const Network& network, const Traffic& traffic, const RouteMaker& routes,
           const Config& config) {
  if (network.max_ports() > kMaxPorts) throw std::invalid_argument("a switch has too many ports");
  if (routes.most_hops > kMaxHops) {
    throw std::invalid_argument("routes of " + std::to_string(routes.most_hops) +
                                " links are too long");
  }
  if (traffic.num_nodes() != network.num_nodes()) {
    throw std::invalid_argument("the traffic belongs to another network");
  }
  const double most = config.load * traffic.max_rate();
  if (!(config.load >= 0.0) || !(most <= 1.0 + 1e-12)) {
    throw std::invalid_argument("load = " + std::to_string(config.load) +
                                ": a node would generate less than 0 or more than 1 packet/cycle");
  }
}

template <int Words, int Slots>
Figures execute(const Network& network, const Traffic& traffic, const RouteMaker& routes,
                const Config& config, StopFlag& stop) {
  return std::make_unique<Run<Words, Slots>>(network, traffic, routes, config, stop)->execute();
}

using Executor = Figures (*)(const Network&, const Traffic&, const RouteMaker&, const Config&,
                             StopFlag&);

// The smallest masks that hold every (port, VC slot).
template <int Slots, int Words = 1>
Executor executor_for(int ports) {
  if (ports * Slots <= Words * 64) return execute<Words, Slots>;
  if constexpr (Words * 64 < kMaxPorts * Slots) return executor_for<Slots, 2 * Words>(ports);
  throw std::invalid_argument("a switch has more ports than the simulator supports");
}

Executor executor_for(int ports, int vcs, int hops) {
  if (vcs > 8 || hops > most_hops_with(8)) return executor_for<16>(ports);
  return vcs > 4 ? executor_for<8>(ports) : executor_for<4>(ports);
}

}  // namespace

double thread_cpu_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Figures simulate(const Network& network, const Traffic& traffic, const RouteMaker& routes,
                 const Config& config, StopFlag& stop) {
  check(network, traffic, routes, config);
  const double start = thread_cpu_seconds();
  const Executor run = executor_for(network.max_ports(), config.vc_count, routes.most_hops);
  Figures figures = run(network, traffic, routes, config, stop);
  figures["cpu_seconds"] = thread_cpu_seconds() - start;
  return figures;
}

}  // namespace tvlb::sim
