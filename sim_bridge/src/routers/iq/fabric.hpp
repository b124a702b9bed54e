// The network in motion: what is in the switches and on the links, and how flits and credits move.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "config.hpp"
#include "credit_view.hpp"
#include "common/event_wheel.hpp"
#include "network.hpp"
#include "common/packet_pool.hpp"
#include "switch.hpp"

namespace tvlb::sim {

// Cycles between events, from the rules of the simulator specification.
inline constexpr int kInjectionTime = 2;         // node to switch
inline constexpr int kInjectionCreditDelay = 2;  // credit sent to usable at the node
inline constexpr int kEjectionTime = 2;          // departure to delivery
inline constexpr int kEjectionCreditDelay = 6;   // departure to usable at the switch
inline constexpr int kArrivalDelay = 1;          // on top of the link latency
inline constexpr int kCreditDelay = 3;           // on top of the link latency

/// A grant: `packet` leaves the switch by this output VC.
struct Grant {
  unsigned sw;
  std::int32_t packet;
  OutputVcId output_vc;
  std::int32_t departure;
};

/// Most network links of the routes that fit a number of VC slots: long ones need many VCs.
[[nodiscard]] constexpr int most_hops_with(int slots) { return slots <= 8 ? kFewHops : kMaxHops; }

/// For one size of switch masks.
template <int Words, int Slots>
class Fabric {
 public:
  using SwitchState = Switch<Words, Slots>;
  using PacketType = Packet<most_hops_with(Slots)>;
  static constexpr unsigned kVcs = SwitchState::kVcs;
  static constexpr unsigned kPorts = SwitchState::kPorts;
  static constexpr unsigned kSlots = Slots;

  Fabric(const Network& network, const Config& config)
      : network_(network),
        speedup_(config.speedup),
        buffer_(config.buffer_flits),
        switches_(static_cast<std::size_t>(network.num_switches())),
        credits_(switches_.size() * kVcs + static_cast<std::size_t>(network.num_nodes()) * Slots,
                 static_cast<std::uint16_t>(config.buffer_flits)),
        in_transit_(counts_transit(config) ? switches_.size() * kVcs : 0, 0),
        arrivals_(wheel_span(config)),
        credit_returns_(wheel_span(config)),
        transits_(in_transit_.empty() ? 0 : wheel_span(config)) {
    connect_nodes();
    connect_links(config);
  }

  [[nodiscard]] const Network& network() const { return network_; }
  [[nodiscard]] PacketPool<PacketType>& packets() { return packets_; }
  [[nodiscard]] const PacketPool<PacketType>& packets() const { return packets_; }
  [[nodiscard]] SwitchState& at(int sw) { return switches_[static_cast<std::size_t>(sw)]; }
  [[nodiscard]] const SwitchState& at(int sw) const {
    return switches_[static_cast<std::size_t>(sw)];
  }
  /// Per output VC of all switches, then per (node, VC).
  [[nodiscard]] const std::vector<std::uint16_t>& credits() const { return credits_; }
  [[nodiscard]] CreditView credit_view() const {
    return {{static_cast<int>(kPorts), Slots}, credits_, in_transit_, buffer_};
  }
  /// Cycles that events may lie ahead.
  [[nodiscard]] std::int32_t span() const { return credit_returns_.span(); }

  /// Fetches what `take_credit` of this node will touch.
  void prefetch_credits(int node) const { __builtin_prefetch(&credits_[node_credit(node, 0)], 1); }
  /// Takes a credit of a node for one of its VCs; false if it has none.
  bool take_credit(int node, unsigned vc) {
    std::uint16_t& credit = credits_[node_credit(node, vc)];
    if (credit == 0) return false;
    --credit;
    return true;
  }
  /// Sends a packet with a route from its node on this VC.
  void send(std::int32_t packet, int node, unsigned vc, std::int32_t cycle) {
    const int sw = network_.node_switch(node);
    const auto port = static_cast<unsigned>(node - network_.first_node(sw));
    arrivals_.push(cycle + kInjectionTime,
                   {packet, static_cast<unsigned>(sw) * kVcs + port * kSlots + vc,
                    packets_[packet].route[0]});
  }

  /// Flits and credits that are due arrive.
  void deliver_events(std::int32_t cycle) {
    SwitchState* const switches = switches_.data();
    PacketType* const packets = packets_.data();
    const auto enqueue = [=](const Arrival& arrival) {
      SwitchState& state = switches[arrival.input_vc / kVcs];
      const unsigned input_vc = arrival.input_vc % kVcs;
      InputQueue& queue = state.queues[input_vc];
      if (queue.head >= 0) {
        packets[queue.tail].next = arrival.packet;
        queue.tail = arrival.packet;
        return;
      }
      queue = {arrival.packet, arrival.packet};
      state.request(input_vc, arrival.wants);
    };
    arrivals_.drain(cycle, enqueue, [=](const Arrival& arrival) {
      const SwitchState& state = switches[arrival.input_vc / kVcs];
      __builtin_prefetch(&state.queues[arrival.input_vc % kVcs], 1);
      state.prefetch(arrival.wants);
    });
    std::uint16_t* const credits = credits_.data();
    const std::size_t count = switches_.size();
    const auto add_credit = [=](std::uint32_t counter) {
      if (credits[counter]++ != 0) return;
      const std::size_t sw = counter / kVcs;
      if (sw < count) switches[sw].first_credit(counter % kVcs);
    };
    credit_returns_.drain(cycle, add_credit,
                          [=](std::uint32_t counter) { __builtin_prefetch(&credits[counter], 1); });
    if (in_transit_.empty()) return;
    transits_.drain(cycle, [this](const Transit& transit) {
      if (transit.begins) begin_transit(transit);
      else --in_transit_[transit.output_vc];
    });
  }

  /// All switches run their internal steps. Calls `marked(grant)` for packets with marks, whose
  /// route it may change, and `delivered(packet, cycle, switch)` for those that leave the network.
  // A function of its own, so that it has enough registers.
  template <class Marked, class Delivered>
  [[gnu::noinline, gnu::flatten]] void run_switches(std::int32_t cycle, Marked&& marked,
                                                    Delivered&& delivered) {
    PacketType* const packets = packets_.data();
    std::uint16_t* credits = credits_.data();
    const std::size_t count = switches_.size();
    const int steps = steps_in(cycle);
    for (std::size_t sw = 0; sw < count; ++sw, credits += kVcs) {
      SwitchState& state = switches_[sw];
      if (sw + 1 < count) switches_[sw + 1].prefetch_steps();
      const At at{static_cast<unsigned>(sw), &state, packets, credits, cycle};
      for (int step = 0; step < steps && !state.idle(); ++step) {
        const std::int32_t earliest = cycle + std::min(step, 1);
        // A winner crosses in the next step, if it can; its packet should be at hand then.
        state.step(
            credits, scratch_, [&](std::int32_t id) { __builtin_prefetch(&packets[id], 1); },
            [&](unsigned input_vc) { move_flit(at, input_vc, earliest, marked, delivered); });
      }
    }
  }

  /// Flits that have left over a link; those granted since may still wait in the output FIFO, which
  /// sends one per cycle without a break.
  [[nodiscard]] std::int64_t departed(const Link& link, std::int32_t cycle) const {
    const OutputPort& output = at(link.source).outputs[link.output_port];
    return output.flits - std::max(output.next_departure - cycle, 0);
  }

  /// Calls `visit(input VC)` for every flit on a link, and `visit(counter)` for every credit there.
  template <class Visit>
  void for_each_arriving(Visit&& visit) const {
    arrivals_.for_each([&](const Arrival& arrival) { visit(arrival.input_vc); });
  }
  template <class Visit>
  void for_each_returning(Visit&& visit) const {
    credit_returns_.for_each(visit);
  }

 private:
  struct Arrival {
    std::int32_t packet;
    std::uint32_t input_vc;  // among those of all switches
    OutputVcId wants;
  };

  /// A flit leaves by an output VC, among those of all switches; its credit may be back when a round
  /// trip is over.
  struct Transit {
    std::uint32_t output_vc;
    std::int32_t end;
    bool begins;
  };

  /// The switch whose flits move, with plain pointers to what they touch.
  struct At {
    unsigned sw;
    SwitchState* state;
    PacketType* packets;
    std::uint16_t* credits;  // of its output VCs
    std::int32_t cycle;
  };

  static bool counts_transit(const Config& config) {
    return config.queue.find("waiting") != std::string::npos;
  }
  static int wheel_span(const Config& config) {
    const int latency = *std::ranges::max_element(config.latency);
    return config.vc_count * config.buffer_flits + 2 * latency + 16;
  }
  // Credits of nodes are applied with those of links, when events are delivered. A node next looks at
  // them when it injects in the following cycle, hence one cycle less of delay.
  void connect_nodes() {
    for (int sw = 0; sw < network_.num_switches(); ++sw) {
      for (int port = 0; port < network_.num_terminals(sw); ++port) {
        InputPort& input = at(sw).inputs[static_cast<std::size_t>(port)];
        input.upstream = static_cast<std::uint32_t>(node_credit(network_.first_node(sw) + port, 0));
        input.credit_delay = kInjectionCreditDelay - 1;
      }
    }
  }
  void connect_links(const Config& config) {
    for (const Link& link : network_.links()) {
      const int latency = config.latency[link.kind];
      OutputPort& output = at(link.source).outputs[link.output_port];
      output.downstream = link.target * static_cast<int>(kVcs) + link.input_port * Slots;
      output.flight_time = latency + kArrivalDelay;
      InputPort& input = at(link.target).inputs[link.input_port];
      input.upstream = static_cast<std::uint32_t>(link.source) * kVcs + link.output_port * kSlots;
      input.credit_delay = static_cast<std::int16_t>(latency + kCreditDelay);
    }
  }
  [[nodiscard]] std::size_t node_credit(int node, unsigned vc) const {
    return switches_.size() * kVcs + static_cast<unsigned>(node) * kSlots + vc;
  }
  // Internal steps of a cycle; with a speedup of 2.5 two and three in turn.
  [[nodiscard]] int steps_in(std::int32_t cycle) const {
    const auto until = [&](double cycles) { return static_cast<std::int64_t>(cycles * speedup_); };
    return static_cast<int>(until(cycle + 1.0) - until(cycle));
  }
  template <class Marked, class Delivered>
  void move_flit(const At& at, unsigned input_vc, std::int32_t earliest, Marked& marked,
                 Delivered& delivered) {
    SwitchState& state = *at.state;
    const OutputVcId output_vc = state.wanted_by(input_vc);
    const std::int32_t id = dequeue(at, input_vc);
    PacketType& packet = at.packets[id];
    return_credit(state.inputs[input_vc / kSlots], input_vc % kSlots, at.cycle);
    --at.credits[output_vc];
    OutputPort& output = state.outputs[output_vc / kSlots];
    const std::int32_t departure = std::max(earliest, output.next_departure);
    output.next_departure = departure + 1;
    ++output.flits;
    if (packet.marks != 0) [[unlikely]] marked(Grant{at.sw, id, output_vc, departure});
    if (output.downstream < 0) {
      credit_returns_.push(departure + kEjectionCreditDelay, at.sw * kVcs + output_vc);
      delivered(packet, departure + kEjectionTime, at.sw);
      packets_.release(id);
      return;
    }
    if (!in_transit_.empty()) [[unlikely]] leave(at, output_vc, departure);
    packet.next = -1;
    const OutputVcId wants = packet.route[++packet.position];
    arrivals_.push(departure + output.flight_time,
                   {id, static_cast<unsigned>(output.downstream) + output_vc % kSlots, wants});
  }
  // Takes the granted head out of its queue; the one behind it requests from the next step on.
  std::int32_t dequeue(const At& at, unsigned input_vc) {
    SwitchState& state = *at.state;
    state.release(input_vc);
    InputQueue& queue = state.queues[input_vc];
    const std::int32_t id = queue.head;
    const std::int32_t next = at.packets[id].next;
    queue.head = next;
    if (next >= 0) {
      const PacketType& following = at.packets[next];
      state.request(input_vc, following.route[following.position]);
    }
    return id;
  }
  // Flits leave within the cycle after their grant unless others are before them.
  void leave(const At& at, OutputVcId output_vc, std::int32_t departure) {
    const int link = network_.output_link(static_cast<int>(at.sw), output_vc / Slots);
    const Transit transit{at.sw * kVcs + output_vc, departure + round_trip(network_.link(link)), true};
    if (departure > at.cycle + 1) transits_.push(departure, transit);
    else begin_transit(transit);
  }
  void begin_transit(Transit transit) {
    ++in_transit_[transit.output_vc];
    transit.begins = false;
    transits_.push(transit.end, transit);
  }
  [[nodiscard]] int round_trip(const Link& link) const {
    return at(link.source).outputs[link.output_port].flight_time +
           at(link.target).inputs[link.input_port].credit_delay;
  }
  void return_credit(InputPort& port, unsigned vc, std::int32_t cycle) {
    const std::int32_t sent = std::max(cycle, port.next_credit_cycle);
    port.next_credit_cycle = sent + 1;
    credit_returns_.push(sent + port.credit_delay, port.upstream + vc);
  }

  const Network& network_;
  double speedup_;
  int buffer_;  // flits
  std::vector<SwitchState> switches_;
  typename SwitchState::Scratch scratch_;
  std::vector<std::uint16_t> credits_;
  std::vector<std::uint16_t> in_transit_;  // per output VC of all switches, if a rule counts that
  PacketPool<PacketType> packets_;
  EventWheel<Arrival> arrivals_;
  EventWheel<std::uint32_t> credit_returns_;  // indices into credits_
  EventWheel<Transit> transits_;
};

}  // namespace tvlb::sim
