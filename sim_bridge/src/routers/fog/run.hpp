// One run of the router with misrouting policies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/course.hpp"
#include "common/sources.hpp"
#include "common/traffic.hpp"
#include "fabric.hpp"
#include "records.hpp"
#include "steering/interface.hpp"

namespace tvlb::sim::fog {

/// What steerings see of a run.
class View : public NetworkView {
 public:
  View(const Topology& network, const Fabric& fabric, const Config& config, const std::int32_t& cycle)
      : NetworkView(network), fabric_(fabric), config_(config), cycle_(cycle) {}

  [[nodiscard]] bool holds_packets(std::int32_t sw) const { return fabric_.holds_packets(sw, cycle_); }
  /// Phits granted towards a VC whose credit is not back.
  [[nodiscard]] std::int32_t used(std::int32_t sw, std::int32_t port, int vc) const {
    return fabric_.used(sw, port, vc);
  }
  [[nodiscard]] int first_vc(std::int32_t sw, std::int32_t port) const {
    return fabric_.first_vc(sw, port);
  }
  [[nodiscard]] const MinPorts& min_ports() const { return fabric_.min_ports(); }
  [[nodiscard]] int packet_phits() const { return config_.packet_phits; }
  /// Of links of a kind, cycles.
  [[nodiscard]] int latency(int kind) const { return config_.latency[static_cast<std::size_t>(kind)]; }

 private:
  const Fabric& fabric_;
  const Config& config_;
  const std::int32_t& cycle_;
};

template <class Steering>
class Run : public Course {
  static_assert(!Follows<Steering>, "its switches choose among MIN ports");

  static constexpr bool kAttempts = Attempts<Steering, View> || Starts<Steering, View>;

 public:
  Run(const Topology& network, const Traffic& traffic, const MinPorts& min_ports, const Config& config,
      StopFlag& stop)
      : Course(config, stop),
        network_(network),
        traffic_(traffic),
        fabric_(network, min_ports, config, kAttempts),
        nodes_(traffic, config, config.packet_phits),
        records_(network, window_, config,
                 config.window_load() * traffic.total_rate() / config.packet_phits),
        view_(network, fabric_, config, cycle_),
        steering_(made<Steering>({network, config.arguments})) {}

  Figures execute() { return run(*this, records_); }

  // Of its course.
  [[nodiscard]] std::vector<Buffer> find_wait_cycle() const { return fabric_.find_wait_cycle(); }
  void run_cycle() {
    fabric_.deliver(cycle_);
    if constexpr (Ticks<Steering, View>) steering_.tick(view_, cycle_);
    if constexpr (requires { steering_.levels(); }) records_.levels(steering_.levels(), cycle_);
    fabric_.allocate(
        cycle_, [this](std::int32_t id, std::int32_t sw, Draws& draws) { attempt(id, sw, draws); },
        [this](std::int32_t id, std::int32_t link, int vc, std::int32_t leaves) {
          records_.crossed(id, packet(id), link, vc, leaves);
        },
        [this](std::int32_t id, std::int32_t leaves) {
          records_.ejected(id, packet(id), leaves);
          fabric_.packets().release(id);
        });
    nodes_.drain(cycle_, [this](std::int32_t id) { generate(id); });
    if constexpr (kChecksEveryCycle) fabric_.check(cycle_, records_.in_network());
  }

 private:
  [[nodiscard]] Packet& packet(std::int32_t id) { return fabric_.packets()[id]; }
  // A full FIFO draws no destination.
  void generate(std::int32_t id) {
    Generator& node = nodes_[id];
    if (node.next <= cycle_) {
      if (fabric_.has_room(id)) {
        inject(id, traffic_.draw_destination(network_, id, node.destinations));
      }
      nodes_.advance(node);
    }
    nodes_.wake(id, node.next, cycle_);
  }
  void inject(std::int32_t node, std::int32_t destination) {
    const bool is_traced =
        records_.tracer.begins(fabric_.packets().next(), node, destination, cycle_, cycle_ + 1);
    records_.generated(network_.node_switch(node), cycle_);
    fabric_.inject({cycle_, destination}, node, is_traced);
  }
  void attempt(std::int32_t id, std::int32_t sw, Draws& draws) {
    Packet& tried = packet(id);
    const Choice before = tried.choice();
    const Head head{.sw = sw, .target = tried.target, .before = tried.is_tried ? &before : nullptr};
    if constexpr (Attempts<Steering, View>) tried.take(steering_.attempt(view_, head, draws));
    else if constexpr (!Starts<Steering, View>) return;
    else if (!tried.is_tried) tried.take(steering_.start(view_, head, draws));
  }

  const Topology& network_;
  const Traffic& traffic_;
  Fabric fabric_;
  Sources<Generator> nodes_;
  Records records_;
  View view_;
  Steering steering_;
};

/// Runs to the end of the window, or until stopped. Deterministic in its arguments, `stop` aside. Throws
/// std::invalid_argument on settings out of range.
template <class Steering>
Figures simulate(const Topology& network, const Traffic& traffic, const MinPorts& min_ports,
                 const Config& config, StopFlag& stop) {
  static_assert(!Arrives<Steering, View>, "routes of more than two MIN halves are not proved here");
  return timed(network, [&] {
    return Run<Steering>(network, traffic, min_ports, config, stop).execute();
  });
}

using Simulate = Figures (*)(const Topology&, const Traffic&, const MinPorts&, const Config&, StopFlag&);

}  // namespace tvlb::sim::fog
