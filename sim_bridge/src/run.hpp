// One run, for one size of switch masks: its state and the three phases of a cycle. When it ends
// and what it found is in run_course.hpp, the watchdog in run_deadlock.hpp, the checks of a build
// for debugging in run_checks.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "event_wheel.hpp"
#include "packet_pool.hpp"
#include "route_writer.hpp"
#include "simulator.hpp"
#include "sources.hpp"
#include "statistics.hpp"
#include "switch.hpp"
#include "trace.hpp"
#include "window.hpp"

namespace tvlb::sim {

// Cycles between events, from the rules of the simulator specification.
inline constexpr int kInjectionTime = 2;         // node to switch
inline constexpr int kInjectionCreditDelay = 2;  // credit sent to usable at the node
inline constexpr int kEjectionTime = 2;          // departure to delivery
inline constexpr int kEjectionCreditDelay = 6;   // departure to usable at the switch
inline constexpr int kArrivalDelay = 1;          // on top of the link latency
inline constexpr int kCreditDelay = 3;           // on top of the link latency

inline constexpr int kPollInterval = 256;           // cycles between looks at the stop flag
inline constexpr int kDeadlockInterval = 1024;      // cycles between searches for a deadlock
inline constexpr int kWarmupCheckInterval = 1000;   // cycles
inline constexpr int kDrainCheckInterval = 64;      // cycles

// A build for debugging checks the conservation of flits and credits in every cycle.
#ifdef TVLB_CHECK
inline constexpr bool kChecksEveryCycle = true;
#else
inline constexpr bool kChecksEveryCycle = false;
#endif

template <int Words, int Slots>
class Run {
 public:
  Run(const Dragonfly& network, const Traffic& traffic, const PathSampler& sampler,
      const Config& config, StopFlag& stop);

  Result execute();

 private:
  using SwitchState = Switch<Words, Slots>;
  static constexpr unsigned kVcs = SwitchState::kVcs;
  static constexpr unsigned kPorts = SwitchState::kPorts;

  struct Arrival {
    std::int32_t packet;
    std::uint32_t input_vc;  // among those of all switches
    OutputVcId wants;
  };

  /// The switch whose flits move, with plain pointers to what they touch.
  struct At {
    unsigned sw;
    SwitchState* state;
    Packet* packets;
    std::uint16_t* credits;  // of its output VCs
  };

  static int wheel_span(const Config& config);
  void connect_nodes();
  void connect_links();

  bool inject(int node);
  void choose_route(Packet& packet, int source, Draws& draws);
  void redecide_waiting();
  void redecide(int node, SwitchState& state, unsigned input_vc);
  void deliver_events();
  void run_switches();
  void move_flit(const At& at, unsigned input_vc, std::int32_t earliest);
  void return_credit(InputPort& port, unsigned vc);
  void revise_route(unsigned sw, Packet& packet);
  void begin_trace(std::int32_t id, int node, int destination);
  void trace_grant(unsigned sw, std::int32_t id, OutputVcId output_vc, std::int32_t departure);

  [[nodiscard]] bool goes_on();
  [[nodiscard]] bool seems_saturated();
  void open_window();
  void close_window();
  void poll();
  void report_progress();
  void detect_end_of_warmup();
  void stop(Stopped how, std::string reason);

  [[nodiscard]] std::int32_t blocking_buffer(std::int32_t input_vc) const;
  [[nodiscard]] bool is_full(std::int32_t input_vc) const;
  [[nodiscard]] std::vector<std::int32_t> closed_walk(std::int32_t start) const;
  [[nodiscard]] std::vector<Buffer> find_wait_cycle() const;
  void watch_deadlock();

  void check_conservation() const;
  [[nodiscard]] std::vector<std::int32_t> queue_lengths() const;
  [[nodiscard]] bool has_input(int sw, int port) const;
  [[nodiscard]] Result result();
  void write_statistics(Result& result) const;
  std::int64_t record_undelivered();
  [[nodiscard]] std::int64_t total_flit_hops() const;
  void count_link_flits(int sign);

  const Dragonfly& network_;
  const Traffic& traffic_;
  Config config_;
  StopFlag& stop_;
  Window window_;

  std::vector<SwitchState> switches_;
  typename SwitchState::Scratch scratch_;
  std::vector<std::uint16_t> credits_;  // per output VC of all switches, then per (node, VC)
  PacketPool packets_;
  Sources sources_;
  RouteWriter routes_;
  std::vector<Stream> revision_streams_;  // per switch
  EventWheel<Arrival> arrivals_;
  EventWheel<std::uint32_t> credit_returns_;  // indices into credits_

  Measurement measurement_;
  Statistics statistics_;
  Tracer tracer_;
  std::vector<std::int64_t> link_flits_;
  std::vector<Buffer> wait_cycle_;
  std::int32_t cycle_ = 0;
  std::int32_t reported_cycles_ = 0;
  bool redecides_;  // waiting packets, in every cycle
  bool steady_;
  bool running_ = true;
  Stopped stopped_ = Stopped::completed;
  std::string stop_reason_;
};

template <int Words, int Slots>
int Run<Words, Slots>::wheel_span(const Config& config) {
  const int latency = std::max(config.local_latency, config.global_latency);
  return config.vc_count * config.buffer_flits + 2 * latency + 16;
}

template <int Words, int Slots>
Run<Words, Slots>::Run(const Dragonfly& network, const Traffic& traffic, const PathSampler& sampler,
                       const Config& config, StopFlag& stop)
    : network_(network),
      traffic_(traffic),
      config_(config),
      stop_(stop),
      window_{config.warmup_cycles, config.warmup_cycles + config.measured_cycles},
      switches_(static_cast<std::size_t>(network.num_switches())),
      credits_(switches_.size() * kVcs + static_cast<std::size_t>(network.num_nodes()) * Slots,
               static_cast<std::uint16_t>(config.buffer_flits)),
      sources_(traffic, config),
      routes_(network, sampler, config, {credits_, static_cast<int>(kPorts), Slots}),
      arrivals_(wheel_span(config)),
      credit_returns_(wheel_span(config)),
      measurement_(window_),
      statistics_(window_, network.num_switches()),
      tracer_(config.traced_packets,
              config.load * traffic.total_rate() * static_cast<double>(config.measured_cycles)),
      link_flits_(static_cast<std::size_t>(network.num_links()), 0),
      redecides_(config.decide == "each-attempt"),
      steady_(config.warmup == "fixed") {
  for (std::size_t sw = 0; sw < switches_.size(); ++sw) {
    revision_streams_.emplace_back(config.seed, Purpose::revision, sw);
  }
  connect_nodes();
  connect_links();
}

// Credits of nodes are applied with those of links, in phase 2. A node next looks at them in phase
// 1 of the following cycle, hence one cycle less of delay.
template <int Words, int Slots>
void Run<Words, Slots>::connect_nodes() {
  const auto first_counter = static_cast<std::uint32_t>(switches_.size()) * kVcs;
  for (int sw = 0; sw < network_.num_switches(); ++sw) {
    SwitchState& state = switches_[static_cast<std::size_t>(sw)];
    for (int port = 0; port < network_.num_terminals(sw); ++port) {
      InputPort& input = state.inputs[static_cast<std::size_t>(port)];
      const int node = network_.first_node(sw) + port;
      input.upstream = first_counter + static_cast<std::uint32_t>(node * Slots);
      input.credit_delay = kInjectionCreditDelay - 1;
    }
  }
}

template <int Words, int Slots>
void Run<Words, Slots>::connect_links() {
  for (const Link& link : network_.links()) {
    const int latency =
        link.kind == 0 ? config_.local_latency : config_.global_latency;
    OutputPort& output = switches_[static_cast<std::size_t>(link.source)].outputs[link.output_port];
    output.downstream = link.target * static_cast<int>(kVcs) + link.input_port * Slots;
    output.flight_time = latency + kArrivalDelay;
    InputPort& input = switches_[static_cast<std::size_t>(link.target)].inputs[link.input_port];
    input.upstream =
        static_cast<std::uint32_t>(link.source) * kVcs + link.output_port * unsigned{Slots};
    input.credit_delay = static_cast<std::int16_t>(latency + kCreditDelay);
  }
}

// ---- Phase 1: injection -------------------------------------------------------------------------

// One attempt of a node; true if its oldest packet left.
template <int Words, int Slots>
bool Run<Words, Slots>::inject(int node) {
  Draws draws(sources_.routes(node));
  const auto vc = draws.below(static_cast<std::uint32_t>(config_.vc_count));
  std::uint16_t& credit =
      credits_[switches_.size() * kVcs + static_cast<unsigned>(node) * unsigned{Slots} + vc];
  if (credit == 0) return false;
  --credit;
  const std::int32_t id = packets_.allocate();
  Packet& packet = packets_[id];
  packet.created = sources_.oldest(node);
  packet.destination = traffic_.draw_destination(network_, node, sources_.destinations(node));
  packet.next = -1;
  packet.position = 0;
  packet.marks = 0;
  const int source = network_.node_switch(node);
  choose_route(packet, source, draws);
  measurement_.injected(packet.created);
  statistics_.injected(cycle_, source);
  if (tracer_.active()) [[unlikely]] begin_trace(id, node, packet.destination);
  const auto port = static_cast<unsigned>(node - network_.first_node(source));
  arrivals_.push(cycle_ + kInjectionTime,
                 {id, static_cast<unsigned>(source) * kVcs + port * Slots + vc, packet.route[0]});
  return true;
}

template <int Words, int Slots>
void Run<Words, Slots>::choose_route(Packet& packet, int source, Draws& draws) {
  const int target = network_.node_switch(packet.destination);
  const auto vc = static_cast<int>(draws.below(static_cast<std::uint32_t>(config_.vc_count)));
  const int exit = packet.destination - network_.first_node(target);
  const auto ejection = static_cast<OutputVcId>(exit * Slots + vc);
  if (source == target) {
    RouteWriter::eject(ejection, packet);
    return;
  }
  routes_.decide(source, target, ejection, draws, packet);
  measurement_.decided(packet.created, 1, static_cast<int>(packet.took_vlb));
}

template <int Words, int Slots>
void Run<Words, Slots>::redecide_waiting() {
  for (int sw = 0; sw < network_.num_switches(); ++sw) {
    SwitchState& state = switches_[static_cast<std::size_t>(sw)];
    const auto end = static_cast<unsigned>(network_.num_terminals(sw) * Slots);
    for (unsigned input_vc = 0; input_vc < end; ++input_vc) {
      if (!state.waits_for_vc(input_vc)) continue;
      redecide(network_.first_node(sw) + static_cast<int>(input_vc) / Slots, state, input_vc);
    }
  }
}

// The decision in force when the packet leaves is the one that counts.
template <int Words, int Slots>
void Run<Words, Slots>::redecide(int node, SwitchState& state, unsigned input_vc) {
  Packet& packet = packets_[state.queues[input_vc].head];
  const int source = network_.node_switch(node);
  const int target = network_.node_switch(packet.destination);
  if (source == target) return;
  const int before = static_cast<int>(packet.took_vlb);
  const OutputVcId ejection = packet.route[packet.hops];
  Draws draws(sources_.routes(node));
  routes_.decide(source, target, ejection, draws, packet);
  measurement_.decided(packet.created, 0, static_cast<int>(packet.took_vlb) - before);
  state.stop_asking(input_vc);
  state.ask(input_vc, packet.route[0]);
}

// ---- Phase 2: delivery --------------------------------------------------------------------------

template <int Words, int Slots>
void Run<Words, Slots>::deliver_events() {
  SwitchState* const switches = switches_.data();
  Packet* const packets = packets_.data();
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
    state.ask(input_vc, arrival.wants);
  };
  arrivals_.drain(cycle_, enqueue, [=](const Arrival& arrival) {
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
  credit_returns_.drain(cycle_, add_credit,
                        [=](std::uint32_t counter) { __builtin_prefetch(&credits[counter], 1); });
}

// ---- Phase 3: switches --------------------------------------------------------------------------

template <int Words, int Slots>
void Run<Words, Slots>::run_switches() {
  Packet* const packets = packets_.data();
  std::uint16_t* credits = credits_.data();
  const std::size_t count = switches_.size();
  for (std::size_t sw = 0; sw < count; ++sw, credits += kVcs) {
    SwitchState& state = switches_[sw];
    const At at{static_cast<unsigned>(sw), &state, packets, credits};
    for (int step = 0; step < config_.speedup && !state.idle(); ++step) {
      const std::int32_t earliest = cycle_ + std::min(step, 1);
      // A winner crosses in the next step, if it can; its packet should be at hand then.
      state.step(
          credits, scratch_, [&](std::int32_t id) { __builtin_prefetch(&packets[id], 1); },
          [&](unsigned input_vc) { move_flit(at, input_vc, earliest); });
    }
  }
}

template <int Words, int Slots>
void Run<Words, Slots>::move_flit(const At& at, unsigned input_vc, std::int32_t earliest) {
  SwitchState& state = *at.state;
  const OutputVcId output_vc = state.wanted_by(input_vc);
  state.release(input_vc);
  InputQueue& queue = state.queues[input_vc];
  const std::int32_t id = queue.head;
  Packet& packet = at.packets[id];
  queue.head = packet.next;
  if (packet.next >= 0) {
    const Packet& following = at.packets[packet.next];
    state.ask(input_vc, following.route[following.position]);
  }
  return_credit(state.inputs[input_vc / Slots], input_vc % Slots);
  --at.credits[output_vc];
  OutputPort& output = state.outputs[output_vc / Slots];
  const std::int32_t departure = std::max(earliest, output.next_departure);
  output.next_departure = departure + 1;
  ++output.flits;
  if (packet.marks != 0) [[unlikely]] {
    if (packet.has(Packet::kRevisable)) revise_route(at.sw, packet);
    if (packet.has(Packet::kTraced)) trace_grant(at.sw, id, output_vc, departure);
  }
  if (output.downstream < 0) {
    credit_returns_.push(departure + kEjectionCreditDelay, at.sw * kVcs + output_vc);
    const std::int32_t delivery = departure + kEjectionTime;
    measurement_.delivered(packet.created, delivery, packet.hops);
    statistics_.delivered(packet.created, delivery, at.sw);
    packets_.release(id);
    return;
  }
  packet.next = -1;
  const OutputVcId wants = packet.route[++packet.position];
  arrivals_.push(departure + output.flight_time,
                 {id, static_cast<unsigned>(output.downstream) + output_vc % Slots, wants});
}

template <int Words, int Slots>
void Run<Words, Slots>::return_credit(InputPort& port, unsigned vc) {
  const std::int32_t sent = std::max(cycle_, port.next_credit_cycle);
  port.next_credit_cycle = sent + 1;
  credit_returns_.push(sent + port.credit_delay, port.upstream + vc);
}

// At the first grant of a packet that may be decided on again, as PAR does.
template <int Words, int Slots>
void Run<Words, Slots>::revise_route(unsigned sw, Packet& packet) {
  const int target = network_.node_switch(packet.destination);
  Draws draws(revision_streams_[sw]);
  routes_.revise(static_cast<int>(sw), target, draws, packet);
  measurement_.decided(packet.created, 1, static_cast<int>(packet.took_vlb));
}

template <int Words, int Slots>
void Run<Words, Slots>::begin_trace(std::int32_t id, int node, int destination) {
  Packet& packet = packets_[id];
  if (!measurement_.follows(packet.created) || !tracer_.samples_next()) return;
  packet.assign(Packet::kTraced, true);
  tracer_.begin(id, {node, destination, packet.created, cycle_});
}

template <int Words, int Slots>
void Run<Words, Slots>::trace_grant(unsigned sw, std::int32_t id, OutputVcId output_vc,
                                    std::int32_t departure) {
  Trace& trace = tracer_.of(id);
  const int port = output_vc / Slots;
  trace.took_vlb = packets_[id].took_vlb;
  trace.hops.push_back({static_cast<std::int32_t>(sw), port, output_vc % Slots, departure});
  if (port < network_.num_terminals(static_cast<int>(sw))) {
    tracer_.end(id, departure + kEjectionTime);
  }
}

}  // namespace tvlb::sim

#include "run_checks.hpp"
#include "run_course.hpp"
#include "run_deadlock.hpp"
