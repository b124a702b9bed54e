// The network in motion, packet by packet, by the rules of docs/adaptive-misrouting.md: one output FIFO per
// port, room downstream reserved at the crossbar, and a route that is decided anew at every look at a head
// that waits to be injected. When a granted packet leaves and arrives is known at once, so only arrivals,
// credits and the ends of transfers are events, and heads that cannot be granted sleep until what blocks
// them changes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/course.hpp"
#include "common/port_fabric.hpp"
#include "common/waiting.hpp"
#include "config.hpp"
#include "steering/interface.hpp"

namespace tvlb::sim::fog {

/// Of a saturated network there are a million: of its choice it has what counts here.
struct Packet {
  std::int32_t created;    // cycle
  std::int32_t target;     // switch of its destination
  std::int32_t arrived;    // cycle in which its header reached the input that holds it
  std::int32_t left = -1;  // cycle in which it left its first switch, -1 before
  std::int32_t next = -1;  // packet behind in the same queue, -1 none
  std::int32_t intermediate = -1;
  std::int16_t port = -1;  // that it leaves its first switch by, -1 for any
  vc::Table::State vc_state = 0;
  std::uint8_t exit = 0;  // port of its destination at the target
  std::uint8_t local_hops : 4 = 0;
  std::uint8_t global_hops : 4 = 0;
  std::uint8_t level = 0;
  std::uint8_t phase : 1 = 1;  // 0: on the way to an intermediate switch; 1: to the destination
  bool is_tried : 1 = false;   // an attempt was made
  bool is_traced : 1 = false;
  bool vlb : 1 = false;
  bool was_vlb : 1 = false;
  bool to_group : 1 = false;

  [[nodiscard]] std::int32_t heading() const { return phase == 0 ? intermediate : target; }
  [[nodiscard]] Choice choice() const {
    Choice taken{{.intermediate = intermediate, .hops = -1}, vlb};
    taken.level = level;
    taken.to_group = to_group;
    taken.port = port;
    taken.was_vlb = was_vlb;
    return taken;
  }
  /// Goes by another choice from its first switch on.
  void take(const Choice& choice) {
    intermediate = choice.path.intermediate;
    port = choice.port;
    level = choice.level;
    phase = choice.vlb ? 0 : 1;
    is_tried = true;
    vlb = choice.vlb;
    was_vlb = was_vlb || choice.vlb;
    to_group = choice.to_group;
  }
};

/// Of one (input port, VC): packets whose header has arrived and that were not granted yet.
struct InputVc : PacketList {
  std::uint32_t nominated = 0;  // round of the last nomination
  std::uint8_t port = 0;        // that the head wants, with this VC
  std::uint8_t vc = 0;
  bool is_open = false;  // which is decided at every attempt
  bool sleeps = false;   // until its port changes
};

struct InputPort : PortIn {
  std::int32_t busy_until = 0;  // cycle from which it may be granted
  std::uint8_t ready = 0;       // VCs whose head may be looked at
};

/// A cycle before all others.
inline constexpr std::int32_t kLongAgo = std::numeric_limits<std::int32_t>::min() / 2;

struct OutputPort : PortOut {
  std::int32_t busy_until = 0;          // cycle from which it takes another packet
  std::int32_t last_leaves = kLongAgo;  // cycle, of the last packet
  std::int32_t wakes_at = -1;           // cycle in which sleeping heads are woken
  std::int32_t buffer = 0;              // phits of a VC at the other end
  std::uint8_t oldest = 0;              // entry of its last packets
};

/// Visible to steerings of other libraries.
class [[gnu::visibility("default")]] Fabric : public PortFabric<Packet, InputVc, InputPort, OutputPort> {
 public:
  /// `attempts`: whether the routes of heads that wait to be injected are decided at every look.
  Fabric(const Topology& network, const MinPorts& min_ports, const Config& config, bool attempts);

  /// Credits and packets arrive, transfers end.
  void deliver(std::int32_t cycle);
  /// Heads are granted output ports. Calls `attempt(id, switch, draws)` at every look at a head that waits
  /// to be injected, `crossed(id, link, VC, leaves)` for packets that will leave by a link in a cycle, and
  /// `ejected(id, leaves)` for those that will leave to their node; what it releases is forgotten.
  template <class Attempt, class Crossed, class Ejected>
  void allocate(std::int32_t cycle, Attempt&& attempt, Crossed&& crossed, Ejected&& ejected) {
    for_each_active([&](std::int32_t sw) { allocate_at(sw, cycle, attempt, crossed, ejected); });
  }

  [[nodiscard]] bool has_room(std::int32_t node) const { return queued(node) < most_queued_; }
  /// A packet enters the injection FIFO of its node behind the cycle in which it is created; a traced one
  /// is the next of `packets()`.
  void inject(const Waiting& packet, std::int32_t node, bool is_traced);

  /// Phits granted towards a VC whose credit is not back.
  [[nodiscard]] std::int32_t used(std::int32_t sw, std::int32_t port, int vc) const {
    return used_[index((sw * ports_ + port) * vcs_ + vc)];
  }
  /// Whether a switch has packets in an input or output FIFO.
  [[nodiscard]] bool holds_packets(std::int32_t sw, std::int32_t cycle) const {
    const Held& held = held_[index(sw)];
    return held.inputs > 0 || held.until >= cycle;
  }
  /// The VC of a packet's first link.
  [[nodiscard]] int first_vc(std::int32_t sw, std::int32_t port) const {
    return policy_.step(0, output_ports_[index(sw * ports_ + port)].kind, 0).first;
  }
  [[nodiscard]] const MinPorts& min_ports() const { return *min_ports_; }

  /// Buffers of which the head can never leave, each waiting for the next; none if all can.
  [[nodiscard]] std::vector<Buffer> find_wait_cycle() const;
  /// Throws std::logic_error unless packets and credits add up, links carry a packet at a time, and all
  /// heads that may be granted are looked at; slow.
  void check(std::int32_t cycle, std::int64_t in_network) const;

 private:
  struct Nomination {
    std::int32_t port;
    std::uint32_t input_vc;
    std::int32_t output;
  };
  struct Held {
    std::int32_t inputs = 0;  // packets in input FIFOs
    std::int32_t until = -1;  // last cycle in which there is one in an output FIFO
  };

  [[nodiscard]] static int wheel_span(const Config& config);

  /// Packets in the injection FIFO of a node.
  [[nodiscard]] int queued(std::int32_t node) const {
    return (inputs_[input_of(node)].head >= 0 ? 1 : 0) + fifos_[index(node)].count;
  }
  std::int32_t make(const Waiting& packet, bool is_traced);
  /// A packet joins its input VC.
  void enter(std::uint32_t input_vc, std::int32_t id, std::int32_t cycle);
  /// The next packet of an input VC is its head.
  void advance(std::uint32_t input_vc, std::int32_t cycle);
  void make_ready(std::uint32_t input_vc);
  void sleep(std::uint32_t input_vc, std::int32_t output, std::int32_t cycle);
  void wake(std::int32_t output, std::int32_t cycle);
  /// Which way a head goes by its packet's choice.
  void head_for(InputVc& input, std::int32_t sw, int port) const {
    const Packet& packet = packets_[input.head];
    input.port = static_cast<std::uint8_t>(port);
    const OutputPort& output = output_ports_[index(sw * ports_ + port)];
    input.vc = output.downstream < 0
                   ? std::uint8_t{0}
                   : policy_.step(packet.vc_state, output.kind, packet.phase).first;
  }
  [[nodiscard]] bool is_at_end(const Packet& packet, std::int32_t sw) const {
    return packet.phase != 0 && packet.target == sw;
  }
  /// The last packet but as many as the FIFO holds has left.
  [[nodiscard]] std::int32_t oldest(std::int32_t output) const {
    return leaves_[index(output * output_packets_ + output_ports_[index(output)].oldest)];
  }
  [[nodiscard]] bool has_credits(const OutputPort& output, std::int32_t number, int vc) const {
    return used_[index(number * vcs_ + vc)] + phits_ <= output.buffer;
  }
  /// Whether the head of an input VC may be nominated.
  [[nodiscard]] bool passes(const InputVc& input, std::int32_t output, std::int32_t cycle) const {
    const OutputPort& port = output_ports_[index(output)];
    if (oldest(output) >= cycle) return false;
    if (port.downstream < 0) return true;
    return port.busy_until <= cycle && has_credits(port, output, input.vc);
  }

  /// Whether the node at an output port has begun to receive a packet and has not all of it.
  [[nodiscard]] bool receives(std::int32_t output, std::int32_t cycle) const {
    const OutputPort& port = output_ports_[index(output)];
    if (port.downstream >= 0) return false;
    const std::int32_t* const leaves = &leaves_[index(output * output_packets_)];
    for (int back = 1; back <= output_packets_; ++back) {
      const int entry = port.oldest - back;
      const std::int32_t at = leaves[entry < 0 ? entry + output_packets_ : entry];
      if (at < cycle) return at + phits_ > cycle;
    }
    return false;
  }

  template <class Attempt>
  void decide(InputVc& input, std::int32_t sw, bool is_first, Attempt&& attempt) {
    Draws draws(streams_[index(sw)], Draws::WhereNeeded{});
    if (is_first && attempts_) attempt(input.head, sw, draws);
    const Packet& packet = packets_[input.head];
    if (is_at_end(packet, sw)) return head_for(input, sw, packet.exit);
    if (is_first && packet.port >= 0) return head_for(input, sw, packet.port);
    const auto ports = (*min_ports_)(sw, packet.heading());
    const auto count = static_cast<std::uint32_t>(ports.size());
    head_for(input, sw, ports[count > 1 ? draws.below(count) : 0]);
  }

  template <class Attempt>
  void nominate(std::int32_t sw, int port, std::int32_t cycle, std::uint32_t round, Attempt&& attempt) {
    const std::int32_t number = sw * ports_ + port;
    const InputPort& from = input_ports_[index(number)];
    for (unsigned left = from.ready; left != 0;) {
      const auto first = static_cast<std::uint32_t>(number * vcs_);
      int vc = std::countr_zero(left);
      for (unsigned others = left & (left - 1); others != 0; others &= others - 1) {
        const int other = std::countr_zero(others);
        if (inputs_[first + static_cast<unsigned>(other)].nominated <
            inputs_[first + static_cast<unsigned>(vc)].nominated) {
          vc = other;
        }
      }
      left &= ~(1U << vc);
      const std::uint32_t input_vc = first + static_cast<unsigned>(vc);
      InputVc& input = inputs_[input_vc];
      if (input.is_open) decide(input, sw, is_node(from.upstream), attempt);
      const std::int32_t output = sw * ports_ + input.port;
      if (passes(input, output, cycle)) {
        input.nominated = round;
        nominations_.push_back({port, input_vc, output});
        return;
      }
      if (!input.is_open) sleep(input_vc, output, cycle);
    }
  }

  template <class Attempt, class Crossed, class Ejected>
  void allocate_at(std::int32_t sw, std::int32_t cycle, Attempt&& attempt, Crossed&& crossed,
                   Ejected&& ejected) {
    auto& ready = ready_ports_[index(sw)];
    for (int round = 0; round < rounds_; ++round) {
      const auto stamp = static_cast<std::uint32_t>(cycle) * static_cast<std::uint32_t>(rounds_) +
                         static_cast<std::uint32_t>(round) + 1;
      nominations_.clear();
      for (std::size_t word = 0; word < ready.size(); ++word) {
        for (std::uint64_t left = ready[word]; left != 0; left &= left - 1) {
          const int port = static_cast<int>(word * kWordBits) + std::countr_zero(left);
          nominate(sw, port, cycle, stamp, attempt);
        }
      }
      if (!nominations_.empty()) grant_all(sw, cycle, stamp, crossed, ejected);
      if ((ready[0] | ready[1]) == 0) return;
    }
    activate(sw);
  }

  // Of the nominations for an output port, that of the input port that was granted least recently.
  template <class Crossed, class Ejected>
  void grant_all(std::int32_t sw, std::int32_t cycle, std::uint32_t round, Crossed&& crossed,
                 Ejected&& ejected) {
    for (std::size_t one = 0; one < nominations_.size(); ++one) {
      Nomination& best = nominations_[one];
      const std::int32_t output = best.output;
      if (output < 0) continue;
      for (std::size_t other = one + 1; other < nominations_.size(); ++other) {
        if (nominations_[other].output != output) continue;
        if (goes_before(nominations_[other], best, sw)) std::swap(nominations_[other], best);
        nominations_[other].output = -1;
      }
      if (output_ports_[index(output)].busy_until > cycle || receives(output, cycle)) continue;
      granted_[index(output * ports_ + best.port)] = round;
      grant(best, sw, cycle, crossed, ejected);
    }
  }
  [[nodiscard]] bool goes_before(const Nomination& one, const Nomination& other, std::int32_t sw) const {
    const bool node = is_node(input_ports_[index(sw * ports_ + one.port)].upstream);
    const bool other_node = is_node(input_ports_[index(sw * ports_ + other.port)].upstream);
    if (transit_first_ && node != other_node) return other_node;
    const std::uint32_t last = granted_[index(one.output * ports_ + one.port)];
    const std::uint32_t other_last = granted_[index(other.output * ports_ + other.port)];
    return last != other_last ? last < other_last : one.port < other.port;
  }

  template <class Crossed, class Ejected>
  void grant(const Nomination& to, std::int32_t sw, std::int32_t cycle, Crossed&& crossed,
             Ejected&& ejected) {
    InputVc& input = inputs_[to.input_vc];
    const std::int32_t id = input.head;
    const int vc = input.vc;
    release_input(to, sw, cycle);
    Packet& packet = packets_[id];
    OutputPort& port = output_ports_[index(to.output)];
    const std::int32_t leaves = std::max(cycle + crossbar_, port.last_leaves + phits_);
    port.last_leaves = leaves;
    leaves_[index(to.output * output_packets_ + port.oldest)] = leaves;
    port.oldest = static_cast<std::uint8_t>(port.oldest + 1 == output_packets_ ? 0 : port.oldest + 1);
    held_[index(sw)].until = std::max(held_[index(sw)].until, leaves);
    if (packet.left < 0) packet.left = leaves;
    if (port.downstream < 0) {
      ejected(id, leaves);
      return;
    }
    port.busy_until = cycle + transfer_;
    const auto output_vc = to.output * vcs_ + vc;
    used_[index(output_vc)] += phits_;
    packet.vc_state = policy_.step(packet.vc_state, port.kind, packet.phase).then;
    if (port.kind == kGlobalKind) ++packet.global_hops;
    else ++packet.local_hops;
    crossed(id, port.link, vc, leaves);
    arrivals_.push(leaves + port.latency, {id, static_cast<std::uint32_t>(port.downstream + vc)});
  }
  /// The head of a nomination leaves its input.
  void release_input(const Nomination& of, std::int32_t sw, std::int32_t cycle);

  static constexpr std::uint8_t kGlobalKind = 1;

  bool attempts_;
  std::int32_t transfer_;  // cycles of a packet through the crossbar
  std::int32_t crossbar_;  // least cycles until it leaves
  int rounds_;
  int output_packets_;
  int most_queued_;
  bool transit_first_;

  std::vector<std::int32_t> used_;       // per output VC, phits
  std::vector<std::int32_t> leaves_;     // rings per output port: when its last packets leave
  std::vector<std::uint32_t> granted_;   // per output and input port of a switch: round of the last grant
  std::vector<std::uint64_t> sleeping_;  // per output port: heads that wait for it to change
  std::vector<std::array<std::uint64_t, 2>> ready_ports_;  // per switch: input ports with heads to look at
  std::vector<Held> held_;                                 // per switch
  std::vector<WaitingPackets::Fifo> fifos_;                // per node: packets behind the head of its FIFO
  WaitingPackets waiting_;  // a traced one, which is one of `packets_`, has ~id as its destination
  std::vector<Stream> streams_;                            // per switch
  std::vector<Nomination> nominations_;

  EventWheel<std::uint32_t> credits_;   // output VCs: the credit of a packet is back
  EventWheel<std::int32_t> transfers_;  // input ports: the packet in motion has crossed
  EventWheel<std::int32_t> wakings_;    // output ports
};

}  // namespace tvlb::sim::fog
