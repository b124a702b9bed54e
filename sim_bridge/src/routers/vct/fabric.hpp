// The network in motion, packet by packet: input and output buffers of every switch, and when
// packets and credits move between them. A phit follows the one before it in the next cycle
// wherever a packet is, so headers decide all and only they are events.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "common/course.hpp"
#include "common/port_fabric.hpp"
#include "config.hpp"
#include "paths/candidates.hpp"

namespace tvlb::sim::vct {

/// Of several phits, which never interleave with others, so that all of them follow from the header.
struct Packet {
  std::int32_t created;       // cycle
  std::int32_t destination;   // node
  std::int32_t target;        // switch of that node
  std::int32_t intermediate;  // switch, -1 once passed or where there is none
  std::int32_t next;          // packet behind in the same queue, -1 none
  vc::Table::State vc_state;  // of the policy of virtual channels
  std::uint8_t links;         // taken so far, of any kind
  std::uint8_t phase;         // 0: on the way to an intermediate switch; 1: to the destination
  bool is_traced;
  bool took_vlb = false;       // as it was last decided
  bool decides_again = false;  // behind the first link
};

/// Output ports along a drawn path, then `kNoPort`.
using Route = std::array<std::uint8_t, kMaxHops + 1>;
inline constexpr std::uint8_t kNoPort = 255;

/// Buffer of one (input port, VC): packets whose header has arrived and that were not granted yet.
struct InputVc : PacketList {
  std::uint32_t granted = 0;  // output VC that the packet in motion enters
  std::uint8_t port = 0;      // that the head wants, if it is the only one
  bool moves = false;         // a packet crosses the switch
  VcMask vcs = 0;             // that the head may take there; none: it has several ports
};

/// Buffer of one (output port, VC): packets that have not begun to leave.
struct OutputVc : PacketList {
  // Packets that have entered and whose credits have not all come back: those of the first of them
  // come back from this cycle on, one each.
  std::int32_t credits_from = std::numeric_limits<std::int32_t>::max();
  std::int32_t written_from = 0;  // cycle in which the packet that is written began to enter
  std::int16_t uncredited = 0;
  std::int16_t downstream = 0;  // of these, those that have begun to leave
  std::uint8_t held = 0;        // packets with phits in the buffer
  bool is_written = false;
};

struct OutputPort : PortOut {
  VcMask open = 0;   // that take a packet
  VcMask ready = 0;  // that have a packet and room for it at the other end
  std::uint8_t pointer = 0;
  bool sends = false;
  bool is_due = false;  // listed for the links of this cycle
};

/// Visible to steerings of other libraries; what these do not call is hidden, or it would not be inlined.
class [[gnu::visibility("default")]] Fabric : public PortFabric<Packet, InputVc, PortIn, OutputPort> {
 public:
  /// Packets go by MIN ports; without these each has a route.
  Fabric(const Topology& network, const MinPorts* min_ports, const Config& config);

  /// Of a packet; it goes by the port at the number of links taken.
  [[nodiscard]] Route& route(std::int32_t id) {
    if (index(id) >= routes_.size()) routes_.resize(index(id) + 1);
    return routes_[index(id)];
  }
  /// A packet's header leaves its node on this VC.
  void send(std::int32_t id, std::int32_t node, int vc, std::int32_t cycle);

  /// Step 1: what is due arrives. Calls `entered(id, switch)` for headers from nodes and `arrived(id,
  /// switch, link)` for those from links before they are looked at, and `credited(node, vc)` for buffers
  /// of switches that have room for another packet.
  template <class Entered, class Arrived, class Credited>
  void deliver(std::int32_t cycle, Entered&& entered, Arrived&& arrived, Credited&& credited) {
    credits_from_.drain(cycle, [&](std::uint32_t vc) { outputs_[vc].credits_from = cycle; });
    credits_.drain(cycle, [&](std::uint32_t vc) {
      if (is_node(vc)) {
        credited(node_of(vc), static_cast<int>(vc - num_vcs_) % vcs_);
      } else {
        credit_back(vc);
      }
    });
    sent_.drain(cycle, [&](std::uint32_t vc) {
      OutputPort& port = output_ports_[vc / static_cast<unsigned>(vcs_)];
      port.sends = false;
      make_due(vc / static_cast<unsigned>(vcs_));
      --outputs_[vc].held;
      open(vc);
    });
    written_.drain(cycle, [&](std::uint32_t vc) {
      InputVc& input = inputs_[vc];
      input.moves = false;
      outputs_[input.granted].is_written = false;
      open(input.granted);
      if (input.head >= 0) request(vc);
    });
    arrivals_.drain(cycle, [&](const Arrival& arrival) {
      Packet& packet = packets_[arrival.packet];
      const std::int32_t sw = switch_of(arrival.input_vc);
      const std::uint32_t upstream = port_of(arrival.input_vc).upstream;
      if (is_node(upstream)) {
        entered(arrival.packet, sw);
      } else {
        if (packet.intermediate == sw) {
          packet.intermediate = -1;
          packet.phase = 1;
        }
        arrived(arrival.packet, sw, output_ports_[upstream / static_cast<unsigned>(vcs_)].link);
      }
      InputVc& input = inputs_[arrival.input_vc];
      if (append(input, arrival.packet) && !input.moves) request(arrival.input_vc);
    });
  }
  /// Every head that waits at its first switch goes by what `renew(id, switch)` makes of its packet.
  template <class Renew>
  void renew_waiting(Renew&& renew) {
    for (std::int32_t sw = 0; sw < network_.num_switches(); ++sw) {
      const auto first = static_cast<std::uint32_t>(sw) * per_switch_;
      const auto count = static_cast<std::uint32_t>(network_.num_terminals(sw) * vcs_);
      for (std::uint32_t vc = first; vc < first + count; ++vc) {
        if (inputs_[vc].head < 0 || inputs_[vc].moves) continue;
        withdraw(vc);
        renew(inputs_[vc].head, sw);
        request(vc);
      }
    }
  }
  /// Step 2: heads are granted output VCs.
  void allocate_outputs(std::int32_t cycle);
  /// Step 3: links start packets. Calls `crossed(id, link, vc)` for those on links and `ejected(id, vc)`
  /// for those whose header leaves to its node.
  template <class Crossed, class Ejected>
  void send_packets(std::int32_t cycle, Crossed&& crossed, Ejected&& ejected) {
    for (const std::int32_t number : due_ports_) {
      OutputPort& port = output_ports_[index(number)];
      port.is_due = false;
      if (port.sends || port.ready == 0) continue;
      const auto behind = static_cast<VcMask>(port.ready & ~first_vcs(port.pointer));
      const int vc = std::countr_zero(behind != 0 ? behind : port.ready);
      port.pointer = static_cast<std::uint8_t>(vc + 1 == vcs_ ? 0 : vc + 1);
      const auto output = static_cast<std::uint32_t>(number * vcs_ + vc);
      OutputVc& from = outputs_[output];
      const std::int32_t id = from.head;
      Packet& packet = packets_[id];
      from.head = packet.next;
      port.sends = true;
      sent_.push(cycle + phits_, output);
      if (port.downstream < 0) {
        if (from.head < 0) port.ready &= static_cast<VcMask>(~(1U << vc));
        ejected(id, vc);
        continue;
      }
      ++from.downstream;
      if (!starts_.empty()) starts_[output].add(cycle);
      if (from.head < 0 || from.downstream == input_packets_) {
        port.ready &= static_cast<VcMask>(~(1U << vc));
      }
      ++packet.links;
      packet.vc_state = step(packet, port).then;
      crossed(id, port.link, vc);
      arrivals_.push(cycle + port.latency, {id, static_cast<std::uint32_t>(port.downstream + vc)});
    }
    due_ports_.clear();
  }

  /// Buffers of which the head can never leave, each waiting for the next; none if all can.
  [[nodiscard]] std::vector<Buffer> find_wait_cycle() const;
  /// Phits that have entered an output port and whose credits are not back; whether one of its VCs
  /// takes a packet.
  [[nodiscard]] std::int32_t queue(std::int32_t sw, std::int32_t port, std::int32_t cycle) const;
  [[nodiscard]] bool room(std::int32_t sw, std::int32_t port, int vc) const {
    return ((output_ports_[index(sw * ports_ + port)].open >> vc) & 1) != 0;
  }
  /// Output VCs of all switches by (switch, port, VC).
  [[nodiscard]] CounterLayout layout() const { return {ports_, vcs_}; }
  /// Phits that have entered an output VC and whose credits are not back; of these, where a rule counts
  /// what waits, those that left within the last round trip.
  [[nodiscard]] std::int32_t queue(std::uint32_t output_vc, std::int32_t cycle) const {
    const OutputVc& vc = outputs_[output_vc];
    const std::int32_t back = std::clamp(cycle - vc.credits_from + 1, 0, phits_);
    const std::int32_t outside = vc.is_written ? phits_ - (cycle - vc.written_from) : 0;
    return vc.uncredited * phits_ - back - outside;
  }
  [[nodiscard]] std::int32_t in_transit(std::uint32_t output_vc, std::int32_t cycle) const;

  /// Throws std::logic_error unless packets and credits add up; slow.
  void check(std::int32_t cycle, std::int64_t in_network) const;

 private:
  struct Request {
    std::uint32_t input_vc;
    std::uint32_t output_vc;
  };
  /// Cycles in which the last packets of an output VC began to leave, a ring.
  class Starts {
   public:
    explicit Starts(std::size_t packets) : cycles_(packets) {}

    void add(std::int32_t cycle) {
      last_ = last_ + 1 == cycles_.size() ? 0 : last_ + 1;
      cycles_[last_] = cycle;
    }
    /// Of the packet that began so many packets before the last one.
    [[nodiscard]] std::int32_t operator[](std::size_t before) const {
      return cycles_[last_ >= before ? last_ - before : last_ + cycles_.size() - before];
    }

   private:
    std::vector<std::int32_t> cycles_;
    std::size_t last_ = 0;
  };

  /// Cycles that events may lie ahead.
  [[nodiscard]] static int wheel_span(const Config& config);
  /// The head of an input VC makes itself known to the ports that it may take, or no longer waits there.
  void request(std::uint32_t input_vc);
  void withdraw(std::uint32_t input_vc);
  [[gnu::visibility("hidden")]] void mark(std::uint32_t input_vc);
  /// What the policy of virtual channels says of a packet that takes a link.
  [[nodiscard]] const vc::Table::Step& step(const Packet& packet, const OutputPort& port) const {
    return policy_.step(packet.vc_state, port.kind, packet.phase);
  }
  [[nodiscard]] VcMask allowed(const Packet& packet, const OutputPort& port) const {
    const auto& [first, last, then] = step(packet, port);
    return static_cast<VcMask>(first_vcs(last + 1) & ~first_vcs(first));
  }
  /// By which a head goes on; none at its last switch.
  [[nodiscard]] std::span<const std::uint8_t> ports_on(std::int32_t id, std::int32_t sw) const {
    const Packet& packet = packets_[id];
    if (min_ports_ == nullptr) {
      const std::uint8_t& port = routes_[index(id)][packet.links];
      return {&port, std::size_t{port != kNoPort}};
    }
    // A packet that meets its destination on the way to its intermediate switch leaves.
    if (sw == packet.target) return {};
    return (*min_ports_)(sw, packet.intermediate < 0 ? packet.target : packet.intermediate);
  }
  /// Calls `visit(port, VCs)` for the output ports that a head may take.
  template <class Visit>
  void for_each_choice(std::uint32_t input_vc, Visit&& visit) const;
  /// Of the switch's output VCs the one that the head asks for, -1 if none of its choices is open.
  [[nodiscard, gnu::visibility("hidden")]] std::int64_t choose(std::uint32_t input_vc, std::int32_t sw,
                                                               std::int32_t cycle);
  [[gnu::visibility("hidden")]] void allocate_at(std::int32_t sw, std::int32_t cycle);
  [[gnu::visibility("hidden")]] void grant(const Request& request, std::int32_t cycle);
  void open(std::uint32_t output_vc);
  /// Lists a port for the links of this cycle, if it may start a packet.
  void make_due(std::uint32_t port);
  void credit_back(std::uint32_t output_vc);
  [[nodiscard]] bool can_leave(std::uint32_t input_vc, const std::vector<bool>& moves) const;

  std::int32_t input_packets_;
  std::uint8_t output_packets_;

  std::vector<Route> routes_;  // by packet
  std::vector<OutputVc> outputs_;
  std::vector<Starts> starts_;  // per output VC, if a rule counts what waits
  std::vector<std::uint64_t> waiting_;   // per output port: heads that want one of its VCs
  std::vector<std::uint64_t> changed_;   // per switch: heads to look at
  std::vector<std::int32_t> due_ports_;  // ports that may start a packet
  std::vector<Stream> streams_;          // per switch, of ties and winners
  std::vector<Request> requests_;
  std::vector<std::uint32_t> claims_;  // per output VC of a switch: how many asked for it
  std::vector<std::uint32_t> winner_;

  EventWheel<std::uint32_t> written_;       // input VCs: the packet in motion has crossed
  EventWheel<std::uint32_t> sent_;          // output VCs: a packet has left
  EventWheel<std::uint32_t> credits_from_;  // output VCs: credits of a packet begin to come back
  EventWheel<std::uint32_t> credits_;       // output VCs and nodes: all credits of a packet are back
};

}  // namespace tvlb::sim::vct
