// How packets get their ways: switch by switch among MIN ports, or along a drawn path.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "config.hpp"
#include "fabric.hpp"
#include "paths/families.hpp"
#include "steering/interface.hpp"

namespace tvlb::sim::vct {

/// What steerings see of packets that go by MIN ports.
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

/// Switch by switch among the ports of MIN paths, to an intermediate switch where a steering names one.
template <class Steering>
class PortWays {
  static_assert(!Follows<Steering>, "its switches choose among MIN ports");
  static_assert(!Arrives<Steering, View>, "routes of more than two MIN halves are not proved here");

 public:
  static constexpr bool kEnters = Starts<Steering, View>;
  static constexpr bool kArrives = false;
  static constexpr bool kAttempts = Attempts<Steering, View>;

  PortWays(const Topology& network, const Config& config, Fabric& fabric, const std::int32_t& cycle)
      : fabric_(fabric), view_(network, fabric, cycle), steering_(made<Steering>({network, config.arguments})) {}

  void tick(std::int32_t cycle) {
    if constexpr (Ticks<Steering, View>) steering_.tick(view_, cycle);
  }
  void enter(std::int32_t id, const Head& head, Draws& draws) {
    take(id, head, steering_.start(view_, head, draws));
  }
  void attempt(std::int32_t id, const Head& head, Draws& draws) {
    take(id, head, steering_.attempt(view_, head, draws));
  }

 private:
  void take(std::int32_t id, const Head& head, const Choice& choice) {
    Packet& packet = fabric_.packets()[id];
    const std::int32_t via = choice.path.intermediate;
    packet.took_vlb = via >= 0 && via != head.sw && via != head.target;
    packet.intermediate = packet.took_vlb ? via : -1;
    packet.phase = packet.took_vlb ? std::uint8_t{0} : choice.phase;
  }

  Fabric& fabric_;
  View view_;
  Steering steering_;
};

/// What is counted of the links of a run, phits in use, as they are in the present cycle; see `Candidates`.
/// Of the VCs that a packet may take it would take the one with the shortest queue.
class PhitCounters {
 public:
  static constexpr bool kHasPhases = true;

  CounterLayout layout;

  PhitCounters(const Fabric& fabric, const std::int32_t& cycle)
      : layout(fabric.layout()), fabric_(&fabric), cycle_(&cycle) {}

  [[nodiscard]] int of_port(std::uint32_t counter) const {
    int phits = 0;
    for (int vc = 0; vc < layout.vc_slots; ++vc) phits += queue(counter, vc);
    return phits;
  }
  [[nodiscard]] int of_vc(std::uint32_t counter, const vc::Table::Step& step) const {
    return queue(counter, shortest(counter, step));
  }
  [[nodiscard]] int waiting(std::uint32_t counter, const vc::Table::Step& step) const {
    const int vc = shortest(counter, step);
    return queue(counter, vc) - fabric_->in_transit(counter + static_cast<unsigned>(vc), *cycle_);
  }
  [[nodiscard]] bool room(std::uint32_t counter, int vc) const {
    const auto port = static_cast<std::int32_t>(counter) / layout.vc_slots;
    return fabric_->room(port / layout.ports_per_switch, port % layout.ports_per_switch, vc);
  }

 private:
  [[nodiscard]] int queue(std::uint32_t counter, int vc) const {
    return fabric_->queue(counter + static_cast<unsigned>(vc), *cycle_);
  }
  [[nodiscard]] int shortest(std::uint32_t counter, const vc::Table::Step& step) const {
    int found = step.first;
    for (int vc = step.first + 1; vc <= step.last; ++vc) {
      if (queue(counter, vc) < queue(counter, found)) found = vc;
    }
    return found;
  }

  const Fabric* fabric_;
  const std::int32_t* cycle_;
};

/// Draws paths as a steering decides, for packets that follow them.
class PathWriter : public Interface {
 public:
  /// At the first switch and, for packets that decide again, behind the first link. Write what the packet
  /// goes by from the switch of the head on into its route.
  virtual void start(const Head& head, Draws& draws, Packet& packet, Route& route) = 0;
  virtual void arrive(const Head& head, Draws& draws, Packet& packet, Route& route) = 0;
  virtual void tick(std::int32_t cycle) = 0;
};

template <class Steering, class Family>
class PathWriterOf final : public PathWriter {
  using View = Candidates<Family, PhitCounters>;
  static_assert(Starts<Steering, View> && !Attempts<Steering, View> && !Follows<Steering>,
                "paths are drawn once, at the first switch");

 public:
  PathWriterOf(const Family& network, PathSamplers samplers, const Config& config, const Fabric& fabric,
               const std::int32_t& cycle)
      : view_(network, samplers, config, PhitCounters(fabric, cycle)),
        steering_(made<Steering>({network, config.arguments})) {}

  void start(const Head& head, Draws& draws, Packet& packet, Route& route) override {
    take(head, steering_.start(view_, head, draws), packet, route);
  }
  void arrive(const Head& head, Draws& draws, Packet& packet, Route& route) override {
    if constexpr (Arrives<Steering, View>) {
      Choice choice = steering_.arrive(view_, head, draws);
      choice.again = false;
      take(head, choice, packet, route);
    } else {
      throw std::logic_error("a steering without a second decision was asked for one");
    }
  }
  void tick(std::int32_t cycle) override {
    if constexpr (Ticks<Steering, View>) steering_.tick(view_, cycle);
  }

 private:
  void take(const Head& head, const Choice& choice, Packet& packet, Route& route) const {
    if (choice.path.hops == 0) {
      throw std::invalid_argument("no path from switch " + std::to_string(head.sw) + " to switch " +
                                  std::to_string(head.target));
    }
    Path path;
    view_.append(path, head, choice.path);
    std::size_t end = packet.links;
    for (int i = 0; i < path.hops; ++i) {
      route[end++] = view_.hop(path.links[static_cast<std::size_t>(i)]).port;
    }
    route[end] = kNoPort;
    packet.intermediate = choice.path.intermediate;
    packet.phase = 0;
    packet.took_vlb = choice.vlb;
    packet.decides_again = choice.again;
  }

  View view_;
  Steering steering_;
};

/// Of every family.
template <class Family>
using PathMaker = std::unique_ptr<PathWriter> (*)(const Family&, PathSamplers, const Config&, const Fabric&,
                                                  const std::int32_t& cycle);
template <class... Family>
using PathMakersOf = std::tuple<PathMaker<Family>...>;
using PathMakers = OverFamilies<PathMakersOf>;

template <class Steering, class... Family>
void fill(std::tuple<PathMaker<Family>...>& makers) {
  makers = {[](const Family& network, PathSamplers samplers, const Config& config, const Fabric& fabric,
               const std::int32_t& cycle) -> std::unique_ptr<PathWriter> {
    return std::make_unique<PathWriterOf<Steering, Family>>(network, samplers, config, fabric, cycle);
  }...};
}

/// Along the paths that a writer draws.
class PathWays {
 public:
  static constexpr bool kEnters = true;
  static constexpr bool kArrives = true;
  static constexpr bool kAttempts = false;

  PathWays(std::unique_ptr<PathWriter> writer, Fabric& fabric) : writer_(std::move(writer)), fabric_(fabric) {}

  void tick(std::int32_t cycle) { writer_->tick(cycle); }
  void enter(std::int32_t id, const Head& head, Draws& draws) {
    Route& route = fabric_.route(id);
    if (head.sw == head.target) route[0] = kNoPort;
    else writer_->start(head, draws, fabric_.packets()[id], route);
  }
  void arrive(std::int32_t id, const Head& head, Draws& draws) {
    writer_->arrive(head, draws, fabric_.packets()[id], fabric_.route(id));
  }

 private:
  std::unique_ptr<PathWriter> writer_;
  Fabric& fabric_;
};

}  // namespace tvlb::sim::vct
