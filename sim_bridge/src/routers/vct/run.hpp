// One run of the virtual cut-through router.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "common/course.hpp"
#include "common/traffic.hpp"
#include "fabric.hpp"
#include "records.hpp"
#include "servers.hpp"
#include "ways.hpp"

namespace tvlb::sim::vct {

/// Gets the accepted load of every whole interval of the series, and tells whether the run goes on.
using Watch = std::function<bool(double accepted)>;

template <class Ways>
class Run : public Course {
 public:
  /// `make(fabric, cycle)` makes the ways; `min_ports` are those of `Fabric`.
  Run(const Topology& network, const Traffic& traffic, const MinPorts* min_ports,
      const Config& config, StopFlag& stop, const Watch& watch, auto&& make)
      : Course(config, stop),
        network_(network),
        watch_(watch),
        interval_(config.interval),
        fabric_(network, min_ports, config),
        servers_(network, traffic, config),
        records_(network, window_, config,
                 config.window_load() * traffic.total_rate() / config.packet_phits),
        ways_(make(fabric_, cycle_)) {
    for (std::int32_t sw = 0; sw < network.num_switches(); ++sw) {
      draws_.emplace_back(config.seed, Purpose::route, static_cast<std::uint64_t>(sw));
    }
  }

  Figures execute() { return run(*this, records_); }

  // Of its course.
  [[nodiscard]] std::vector<Buffer> find_wait_cycle() const { return fabric_.find_wait_cycle(); }
  // What leaves from now on arrives in this interval or later, so the one before is complete.
  bool goes_on() {
    if (!watch_ || cycle_ == 0 || cycle_ % interval_ != 0) return true;
    if (watch_(records_.accepted_in(cycle_ / interval_ - 1))) return true;
    stop("ended", "");
    return false;
  }
  void run_cycle() {
    ways_.tick(cycle_);
    fabric_.deliver(
        cycle_,
        [&](std::int32_t id, std::int32_t sw) {
          if constexpr (Ways::kEnters) {
            steer(id, {sw, packet(id).target}, [&](const Head& head, Draws& draws) { ways_.enter(id, head, draws); });
          }
        },
        [&](std::int32_t id, std::int32_t sw, std::int32_t link) {
          if constexpr (Ways::kArrives) {
            if (!packet(id).decides_again) [[likely]] return;
            steer(id, {sw, packet(id).target, link},
                  [&](const Head& head, Draws& draws) { ways_.arrive(id, head, draws); });
            records_.decided(packet(id));
          }
        },
        [&](std::int32_t node, int vc) { servers_.credited(node, vc); });
    if constexpr (Ways::kAttempts) {
      fabric_.renew_waiting([&](std::int32_t id, std::int32_t sw) {
        steer(id, {sw, packet(id).target}, [&](const Head& head, Draws& draws) { ways_.attempt(id, head, draws); });
      });
    }
    fabric_.allocate_outputs(cycle_);
    fabric_.send_packets(
        cycle_,
        [&](std::int32_t id, std::int32_t link, int vc) {
          records_.crossed(id, packet(id), link, vc, cycle_);
        },
        [&](std::int32_t id, int vc) {
          records_.ejected(id, packet(id), vc, cycle_);
          fabric_.packets().release(id);
        });
    servers_.run(
        cycle_, [&] { records_.refused(cycle_); },
        [&](std::int32_t node, int vc, const Waiting& waiting) { started(node, vc, waiting); });
    if constexpr (kChecksEveryCycle) fabric_.check(cycle_, records_.in_network());
  }

 private:
  [[nodiscard]] Packet& packet(std::int32_t id) { return fabric_.packets()[id]; }
  void started(std::int32_t node, int vc, const Waiting& waiting) {
    const auto& [created, destination] = waiting;
    const std::int32_t id = fabric_.packets().allocate();
    const bool is_traced = records_.tracer.begins(id, node, destination, created, cycle_);
    packet(id) = {created, destination, network_.node_switch(destination), -1, -1, 0, 0, 0, is_traced};
    records_.injected(cycle_);
    fabric_.send(id, node, vc, cycle_);
  }
  /// What a packet goes by from now on.
  void steer(std::int32_t id, const Head& head, auto&& hook) {
    Draws draws(draws_[static_cast<std::size_t>(head.sw)]);
    hook(head, draws);
    const Packet& steered = packet(id);
    if (steered.is_traced) [[unlikely]] records_.tracer.of(id).took_vlb = steered.took_vlb;
  }

  const Topology& network_;
  const Watch& watch_;
  std::int32_t interval_;
  Fabric fabric_;
  Servers servers_;
  Records records_;
  Ways ways_;
  std::vector<Stream> draws_;  // per switch
};

/// Runs to the end of the window, or until stopped, also by `watch` unless that is empty.
/// Deterministic in its arguments, `stop` aside. Throws std::invalid_argument on settings out of
/// range.
template <class Steering>
Figures simulate(const Topology& network, const Traffic& traffic, const MinPorts& min_ports,
                 const Config& config, StopFlag& stop, const Watch& watch) {
  return timed(network, [&] {
    const auto make = [&](Fabric& fabric, const std::int32_t& cycle) {
      return PortWays<Steering>(network, config, fabric, cycle);
    };
    return Run<PortWays<Steering>>(network, traffic, &min_ports, config, stop, watch, make).execute();
  });
}

using Simulate = Figures (*)(const Topology&, const Traffic&, const MinPorts&, const Config&, StopFlag&,
                            const Watch&);

/// The same along drawn paths; `make(fabric, cycle)` makes what draws them.
using MakePaths = std::function<std::unique_ptr<PathWriter>(const Fabric&, const std::int32_t&)>;
Figures simulate_paths(const Topology& network, const Traffic& traffic, const MakePaths& make,
                       const Config& config, StopFlag& stop, const Watch& watch);

}  // namespace tvlb::sim::vct
