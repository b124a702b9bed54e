// The network in motion: what is in the switches and on the links, and how flits and credits move.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
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

inline constexpr std::int32_t kLongestBlock = 32;  // cycles
/// State of the switches of a unit, which should stay in the second-level cache; at least as much as its wheels
/// of events, so that all wheels take no more memory than all switches.
inline constexpr std::size_t kUnitBytes = std::size_t{640} << 10U;

/// A grant: `packet` leaves the switch by this output VC.
struct Grant {
  unsigned sw;
  std::int32_t packet;
  OutputVcId output_vc;
  std::int32_t departure;
};

/// Switches first <= switch < last that run cycle by cycle together; `number` counts the units, and
/// `part` the parts of the network, of which each has a thread.
struct Unit {
  unsigned number;
  int first;
  int last;
  int part;
};

/// For one size of switch masks, and routes of at most so many network links.
///
/// What is on the links is kept with the unit of switches that it is for, by the cycle in which it
/// arrives. So a unit may run some cycles before the next one does, as many as a flit needs for a link.
template <int Words, int Slots, int Hops>
class Fabric {
 public:
  using SwitchState = Switch<Words, Slots>;
  using PacketType = Packet<Hops>;
  static constexpr unsigned kVcs = SwitchState::kVcs;
  static constexpr unsigned kPorts = SwitchState::kPorts;
  static constexpr unsigned kSlots = Slots;

  Fabric(const Network& network, const Config& config)
      : network_(network),
        speedup_(config.speedup),
        buffer_(config.buffer_flits),
        block_(block_of(config)),
        switches_(static_cast<std::size_t>(network.num_switches())),
        unit_of_(switches_.size()),
        credits_(switches_.size() * kVcs + static_cast<std::size_t>(network.num_nodes()) * Slots,
                 static_cast<std::uint16_t>(config.buffer_flits)),
        in_transit_(counts_transit(config) ? switches_.size() * kVcs : 0, 0),
        span_(wheel_span(config)),
        arrivals_(0),
        returns_(0),
        transits_(0) {
    connect_nodes();
    connect_links(config);
  }
  /// To be called once, with what runs together: all switches in their order.
  void form(std::span<const Unit> units) {
    if (units.size() > kElsewhere) throw std::length_error("the network has too many switches");
    arrivals_ = EventWheel<Arrival>(span_ + block_, units.size());
    returns_ = EventWheel<std::uint32_t>(span_ + block_, units.size());
    if (!in_transit_.empty()) transits_ = EventWheel<Transit>(span_ + block_, units.size());
    for (const Unit& unit : units) {
      for (int sw = unit.first; sw < unit.last; ++sw) unit_of_[static_cast<std::size_t>(sw)] = unit;
    }
    const auto parts = static_cast<std::size_t>(units.back().part) + 1;
    parts_ = std::vector<Part>(parts);
    for (Part& part : parts_) part.sent[0] = part.sent[1] = std::vector<Crossing>(parts);
    connect_units();
  }
  [[nodiscard]] int num_parts() const { return static_cast<int>(parts_.size()); }

  [[nodiscard]] const Network& network() const { return network_; }
  /// Of a part.
  [[nodiscard]] PacketPool<PacketType>& packets(int part) { return parts_[static_cast<std::size_t>(part)].packets; }
  /// Of the part of a switch.
  [[nodiscard]] const PacketPool<PacketType>& packets_at(int sw) const {
    return parts_[static_cast<std::size_t>(unit_of_[static_cast<std::size_t>(sw)].part)].packets;
  }
  [[nodiscard]] SwitchState& at(int sw) { return switches_[static_cast<std::size_t>(sw)]; }
  [[nodiscard]] const SwitchState& at(int sw) const {
    return switches_[static_cast<std::size_t>(sw)];
  }
  /// Per output VC of all switches, then per (node, VC).
  [[nodiscard]] const std::vector<std::uint16_t>& credits() const { return credits_; }
  [[nodiscard]] CreditView credit_view() const {
    return {{static_cast<int>(kPorts), Slots}, credits_, in_transit_, buffer_};
  }
  [[nodiscard]] int switches_per_unit() const {
    std::size_t wheels = EventWheel<Arrival>::bytes(span_ + block_) + EventWheel<std::uint32_t>::bytes(span_ + block_);
    if (!in_transit_.empty()) wheels += EventWheel<Transit>::bytes(span_ + block_);
    return static_cast<int>(std::max(kUnitBytes, wheels) / sizeof(SwitchState)) + 1;
  }
  /// Cycles that events may lie ahead.
  [[nodiscard]] std::int32_t span() const { return EventWheel<std::uint32_t>(span_).span(); }
  /// Most cycles of a block: what leaves a switch within it arrives after it.
  [[nodiscard]] std::int32_t block() const { return block_; }

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
  void send(const Unit& unit, std::int32_t packet, int node, unsigned vc, std::int32_t cycle) {
    const int sw = network_.node_switch(node);
    const auto port = static_cast<unsigned>(node - network_.first_node(sw));
    arrivals_.push(cycle + kInjectionTime,
                   {packet, static_cast<unsigned>(sw) * kVcs + port * kSlots + vc,
                    packets(unit.part)[packet].route[0]},
                   unit.number);
  }

  /// Another block begins, for all parts.
  void begin_block() { turn_ = 1 - turn_; }
  /// Takes in what other parts sent in the blocks before.
  void collect(int number) {
    Part& part = parts_[static_cast<std::size_t>(number)];
    for (Part& other : parts_) {
      Crossing& crossing = other.sent[1 - turn_][static_cast<std::size_t>(number)];
      for (const Flit& flit : crossing.flits) {
        const std::int32_t id = part.packets.allocate();
        part.packets[id] = flit.packet;
        arrivals_.push(flit.due, {id, flit.input_vc, flit.packet.route[flit.packet.position]},
                       unit_of_[flit.input_vc / kVcs].number);
      }
      for (const Credit& credit : crossing.credits) {
        returns_.push(credit.due, credit.counter, unit_of_[credit.counter / kVcs].number);
      }
      crossing.flits.clear();
      crossing.credits.clear();
    }
  }

  /// Flits and credits that are due arrive, and all switches of a unit run their internal steps. Calls
  /// `marked(grant)` for packets with marks, whose route it may change, and `delivered(packet, cycle,
  /// switch)` for those that leave the network. `kAlone`: of the only unit.
  // A function of its own, so that it has enough registers.
  template <bool kAlone, class Marked, class Delivered>
  [[gnu::noinline, gnu::flatten]] void run_cycle(const Unit& unit, std::int32_t cycle, Marked&& marked,
                                                 Delivered&& delivered) {
    Part& part = parts_[static_cast<std::size_t>(unit.part)];
    PacketType* const packets = part.packets.data();
    const auto first = static_cast<std::size_t>(unit.first);
    const auto last = static_cast<std::size_t>(unit.last);
    deliver(unit, packets, cycle);
    std::uint16_t* credits = &credits_[first * kVcs];
    const int steps = steps_in(cycle);
    for (std::size_t sw = first; sw < last; ++sw, credits += kVcs) {
      SwitchState& state = switches_[sw];
      if (sw + 1 < last) switches_[sw + 1].prefetch_steps();
      const At at{static_cast<unsigned>(sw), unit.number, &part, &state, packets, credits, cycle};
      for (int step = 0; step < steps && !state.idle(); ++step) {
        const std::int32_t earliest = cycle + std::min(step, 1);
        // A winner crosses in the next step, if it can; its packet should be at hand then.
        state.step(
            credits, part.scratch, [&](std::int32_t id) { __builtin_prefetch(&packets[id], 1); },
            [&](unsigned input_vc) { move_flit<kAlone>(at, input_vc, earliest, marked, delivered); });
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
    returns_.for_each(visit);
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

  /// On its way to another part.
  struct Flit {
    PacketType packet;
    std::uint32_t input_vc;
    std::int32_t due;
  };
  struct Credit {
    std::uint32_t counter;
    std::int32_t due;
  };
  struct Crossing {
    std::vector<Flit> flits;
    std::vector<Credit> credits;
  };
  /// What a thread has for itself.
  struct alignas(64) Part {
    PacketPool<PacketType> packets;
    typename SwitchState::Scratch scratch;
    std::array<std::vector<Crossing>, 2> sent;  // of two blocks in turn, by part
  };
  /// Of the unit that a port leads to: it is of another part, and the rest is which.
  static constexpr std::uint16_t kElsewhere = 0x8000;

  /// The switch whose flits move, with plain pointers to what they touch.
  struct At {
    unsigned sw;
    unsigned unit;
    Part* part;
    SwitchState* state;
    PacketType* packets;
    std::uint16_t* credits;  // of its output VCs
    std::int32_t cycle;
  };

  static bool counts_transit(const Config& config) {
    return config.queue.find("waiting") != std::string::npos;
  }
  static int longest_latency(const Config& config) { return *std::ranges::max_element(config.latency); }
  static int wheel_span(const Config& config) {
    return config.vc_count * config.buffer_flits + 2 * longest_latency(config) + 16;
  }
  static std::int32_t block_of(const Config& config) {
    return std::min(*std::ranges::min_element(config.latency) + kArrivalDelay, kLongestBlock);
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
      output.flight_time = static_cast<std::int16_t>(latency + kArrivalDelay);
      InputPort& input = at(link.target).inputs[link.input_port];
      input.upstream = static_cast<std::uint32_t>(link.source) * kVcs + link.output_port * kSlots;
      input.credit_delay = static_cast<std::int16_t>(latency + kCreditDelay);
    }
  }
  void connect_units() {
    const auto unit = [this](int sw) -> const Unit& { return unit_of_[static_cast<std::size_t>(sw)]; };
    const auto seen = [&](int from, int to) {
      const bool crosses = unit(from).part != unit(to).part;
      return static_cast<std::uint16_t>(crosses ? kElsewhere | unit(to).part : unit(to).number);
    };
    for (int sw = 0; sw < network_.num_switches(); ++sw) {
      for (int port = 0; port < network_.num_terminals(sw); ++port) {
        at(sw).inputs[static_cast<std::size_t>(port)].unit = seen(sw, sw);
      }
    }
    for (const Link& link : network_.links()) {
      at(link.source).outputs[link.output_port].unit = seen(link.source, link.target);
      at(link.target).inputs[link.input_port].unit = seen(link.target, link.source);
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

  // Not within `run_cycle`, for the same reason.
  [[gnu::noinline]] void deliver(const Unit& unit, PacketType* packets, std::int32_t cycle) {
    SwitchState* const switches = switches_.data();
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
    const auto fetch = [=](const Arrival& arrival) {
      const SwitchState& state = switches[arrival.input_vc / kVcs];
      __builtin_prefetch(&state.queues[arrival.input_vc % kVcs], 1);
      state.prefetch(arrival.wants);
    };
    arrivals_.drain(cycle, enqueue, fetch, unit.number);
    std::uint16_t* const credits = credits_.data();
    const std::size_t count = switches_.size();
    const auto add_credit = [=](std::uint32_t counter) {
      if (credits[counter]++ != 0) return;
      const std::size_t sw = counter / kVcs;
      if (sw < count) switches[sw].first_credit(counter % kVcs);
    };
    returns_.drain(
        cycle, add_credit, [=](std::uint32_t counter) { __builtin_prefetch(&credits[counter], 1); },
        unit.number);
    if (in_transit_.empty()) return;
    const auto end_or_begin = [&](const Transit& transit) {
      if (transit.begins) begin_transit(unit.number, transit);
      else --in_transit_[transit.output_vc];
    };
    transits_.drain(cycle, end_or_begin, Silent{}, unit.number);
  }

  template <bool kAlone, class Marked, class Delivered>
  void move_flit(const At& at, unsigned input_vc, std::int32_t earliest, Marked& marked,
                 Delivered& delivered) {
    SwitchState& state = *at.state;
    const OutputVcId output_vc = state.wanted_by(input_vc);
    const std::int32_t id = dequeue(at, input_vc);
    PacketType& packet = at.packets[id];
    return_credit<kAlone>(at, state.inputs[input_vc / kSlots], input_vc % kSlots);
    --at.credits[output_vc];
    OutputPort& output = state.outputs[output_vc / kSlots];
    const std::int32_t departure = std::max(earliest, output.next_departure);
    output.next_departure = departure + 1;
    ++output.flits;
    if (packet.marks != 0) [[unlikely]] marked(Grant{at.sw, id, output_vc, departure});
    if (output.downstream < 0) {
      returns_.push(departure + kEjectionCreditDelay, at.sw * kVcs + output_vc, kAlone ? 0 : at.unit);
      delivered(packet, departure + kEjectionTime, at.sw);
      at.part->packets.release(id);
      return;
    }
    if (!in_transit_.empty()) [[unlikely]] leave(at, output_vc, departure);
    packet.next = -1;
    const OutputVcId wants = packet.route[++packet.position];
    const auto input_vc_there = static_cast<unsigned>(output.downstream) + output_vc % kSlots;
    const std::int32_t due = departure + output.flight_time;
    const std::uint16_t unit = kAlone ? 0 : output.unit;
    if ((unit & kElsewhere) != 0) [[unlikely]] {
      send_away(*at.part, unit, id, input_vc_there, due);
      return;
    }
    arrivals_.push(due, {id, input_vc_there, wants}, unit);
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
  template <bool kAlone>
  void return_credit(const At& at, InputPort& port, unsigned vc) {
    const std::int32_t sent = std::max(at.cycle, port.next_credit_cycle);
    port.next_credit_cycle = sent + 1;
    const std::int32_t due = sent + port.credit_delay;
    const std::uint16_t unit = kAlone ? 0 : port.unit;
    if ((unit & kElsewhere) != 0) [[unlikely]] send_away(*at.part, unit, port.upstream + vc, due);
    else returns_.push(due, port.upstream + vc, unit);
  }
  // To another part; rare, and kept out of the loop over all flits.
  [[gnu::noinline]] void send_away(Part& part, unsigned to, std::int32_t id,
                                              std::uint32_t input_vc, std::int32_t due) {
    crossing(part, to).flits.push_back({part.packets[id], input_vc, due});
    part.packets.release(id);
  }
  [[gnu::noinline]] void send_away(Part& part, unsigned to, std::uint32_t counter,
                                              std::int32_t due) {
    crossing(part, to).credits.push_back({counter, due});
  }
  [[nodiscard]] Crossing& crossing(Part& part, unsigned to) const {
    return part.sent[turn_][to & ~unsigned{kElsewhere}];
  }

  // Flits leave within the cycle after their grant unless others are before them.
  void leave(const At& at, OutputVcId output_vc, std::int32_t departure) {
    const int link = network_.output_link(static_cast<int>(at.sw), output_vc / Slots);
    const Transit transit{at.sw * kVcs + output_vc, departure + round_trip(network_.link(link)), true};
    if (departure > at.cycle + 1) transits_.push(departure, transit, at.unit);
    else begin_transit(at.unit, transit);
  }
  void begin_transit(unsigned unit, Transit transit) {
    ++in_transit_[transit.output_vc];
    transit.begins = false;
    transits_.push(transit.end, transit, unit);
  }
  [[nodiscard]] int round_trip(const Link& link) const {
    return at(link.source).outputs[link.output_port].flight_time +
           at(link.target).inputs[link.input_port].credit_delay;
  }

  const Network& network_;
  double speedup_;
  int buffer_;  // flits
  std::int32_t block_;
  std::vector<SwitchState> switches_;
  std::vector<Unit> unit_of_;  // per switch
  std::vector<std::uint16_t> credits_;
  std::vector<std::uint16_t> in_transit_;  // per output VC of all switches, if a rule counts that
  std::vector<Part> parts_;
  std::size_t turn_ = 0;
  int span_;  // cycles that events may lie ahead
  EventWheel<Arrival> arrivals_;
  EventWheel<std::uint32_t> returns_;  // indices into credits_: credits come back
  EventWheel<Transit> transits_;
};

}  // namespace tvlb::sim
