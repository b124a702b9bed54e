#include "simulator.hpp"

#include <bit>
#include <cmath>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>

#include "run.hpp"

namespace tvlb::sim {
namespace {

double thread_cpu_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void check(const Network& network, const Traffic& traffic, const Config& config) {
  if (network.max_ports() > kMaxPorts) throw std::invalid_argument("a switch has too many ports");
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
Result execute(const Network& network, const Traffic& traffic, const RouteMaker& routes,
               const Config& config, StopFlag& stop) {
  return std::make_unique<Run<Words, Slots>>(network, traffic, routes, config, stop)->execute();
}

using Executor = Result (*)(const Network&, const Traffic&, const RouteMaker&, const Config&,
                            StopFlag&);

// The smallest masks that hold every (port, VC slot).
Executor executor_for(int ports, int vcs) {
  const bool narrow = vcs <= 4;
  const auto bits = static_cast<unsigned>(ports * (narrow ? 4 : 8));
  switch (std::bit_ceil((bits + 63) / 64)) {
    case 1: return narrow ? execute<1, 4> : execute<1, 8>;
    case 2: return narrow ? execute<2, 4> : execute<2, 8>;
    case 4: return narrow ? execute<4, 4> : execute<4, 8>;
    case 8: return narrow ? execute<8, 4> : execute<8, 8>;
    case 16: return execute<16, 8>;
    default: throw std::invalid_argument("a switch has more ports than the simulator supports");
  }
}

}  // namespace

bool checks_every_cycle() { return kChecksEveryCycle; }

Result simulate(const Network& network, const Traffic& traffic, const RouteMaker& routes,
                const Config& config, StopFlag& stop) {
  check(network, traffic, config);
  const double start = thread_cpu_seconds();
  const Executor run = executor_for(network.max_ports(), config.vc_count);
  Result result = run(network, traffic, routes, config, stop);
  result.cpu_seconds = thread_cpu_seconds() - start;
  return result;
}

}  // namespace tvlb::sim
