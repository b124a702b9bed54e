// One run of the virtual cut-through router.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "common/course.hpp"
#include "common/traffic.hpp"
#include "fabric.hpp"
#include "records.hpp"
#include "servers.hpp"
#include "paths/min_ports.hpp"
#include "steering/interface.hpp"

namespace tvlb::sim::vct {

/// What steerings see of a run.
class View : public NetworkView {
 public:
  View(const Topology& network, const Fabric& fabric, const std::int32_t& cycle)
      : NetworkView(network), fabric_(fabric), cycle_(cycle) {
    for (std::int32_t node = 0; node < network.num_nodes(); ++node) {
      const std::int32_t sw = network.node_switch(node);
      if (intermediates_.empty() || intermediates_.back() != sw) intermediates_.push_back(sw);
    }
  }

  /// By any port of a MIN path, switch by switch; so to an intermediate switch, drawn from all that
  /// have nodes, and on.
  [[nodiscard]] static Candidate min(const Head&, Draws&) { return {.hops = -1}; }
  [[nodiscard]] Candidate vlb(const Head&, Draws& draws) const {
    const auto count = static_cast<std::uint32_t>(intermediates_.size());
    return {.intermediate = intermediates_[draws.below(count)], .hops = -1};
  }
  /// Phits that have entered an output port and whose credit is not back.
  [[nodiscard]] std::int32_t queue(std::int32_t sw, std::int32_t port) const {
    return fabric_.queue(sw, port, cycle_);
  }
  [[nodiscard]] bool room(std::int32_t sw, std::int32_t port, int vc) const {
    return fabric_.room(sw, port, vc);
  }

 private:
  const Fabric& fabric_;
  const std::int32_t& cycle_;
  std::vector<std::int32_t> intermediates_;
};

/// Gets the accepted load of every whole interval of the series, and tells whether the run goes on.
using Watch = std::function<bool(double accepted)>;

template <class Steering>
class Run : public Course {
  static_assert(!Follows<Steering>, "its switches choose among MIN ports");

 public:
  Run(const Topology& network, const Traffic& traffic, const MinPorts& min_ports,
      const Config& config, StopFlag& stop, const Watch& watch)
      : Course(config, stop),
        network_(network),
        watch_(watch),
        interval_(config.interval),
        fabric_(network, min_ports, config),
        servers_(network, traffic, config),
        records_(network, window_, config,
                 config.window_load() * traffic.total_rate() / config.packet_phits),
        view_(network, fabric_, cycle_),
        steering_(made<Steering>({network, config.arguments})) {
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
    if constexpr (Ticks<Steering, View>) steering_.tick(view_, cycle_);
    fabric_.deliver(
        cycle_,
        [&](std::int32_t id, std::int32_t sw) {
          if constexpr (Starts<Steering, View>) {
            steer(id, sw, [&](const Head& head, Draws& draws) {
              return steering_.start(view_, head, draws);
            });
          }
        },
        [&](std::int32_t node, int vc) { servers_.credited(node, vc); });
    if constexpr (Attempts<Steering, View>) {
      fabric_.renew_waiting([&](std::int32_t id, std::int32_t sw) {
        steer(id, sw, [&](const Head& head, Draws& draws) {
          return steering_.attempt(view_, head, draws);
        });
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
  /// What a packet at its first switch goes by from now on.
  void steer(std::int32_t id, std::int32_t sw, auto&& hook) {
    Packet& steered = packet(id);
    Draws draws(draws_[static_cast<std::size_t>(sw)]);
    const Choice choice = hook(Head{sw, steered.target}, draws);
    const std::int32_t via = choice.path.intermediate;
    const bool is_detour = via >= 0 && via != sw && via != steered.target;
    steered.intermediate = is_detour ? via : -1;
    steered.phase = is_detour ? std::uint8_t{0} : choice.phase;
    if (steered.is_traced) [[unlikely]] records_.tracer.of(id).took_vlb = is_detour;
  }

  const Topology& network_;
  const Watch& watch_;
  std::int32_t interval_;
  Fabric fabric_;
  Servers servers_;
  Records records_;
  View view_;
  Steering steering_;
  std::vector<Stream> draws_;  // per switch
};

/// Runs to the end of the window, or until stopped, also by `watch` unless that is empty.
/// Deterministic in its arguments, `stop` aside. Throws std::invalid_argument on settings out of
/// range.
template <class Steering>
Figures simulate(const Topology& network, const Traffic& traffic, const MinPorts& min_ports,
                 const Config& config, StopFlag& stop, const Watch& watch) {
  static_assert(!Arrives<Steering, View>, "routes of more than two MIN halves are not proved here");
  return timed(network, [&] {
    return Run<Steering>(network, traffic, min_ports, config, stop, watch).execute();
  });
}

using Simulate = Figures (*)(const Topology&, const Traffic&, const MinPorts&, const Config&, StopFlag&,
                            const Watch&);

}  // namespace tvlb::sim::vct
