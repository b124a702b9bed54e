// What fabrics share that move whole packets between FIFOs of one (input port, VC) each: their ports as the
// network connects them, packets on links, and which switches have something to do.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "config.hpp"
#include "event_wheel.hpp"
#include "packet_pool.hpp"
#include "paths/min_ports.hpp"
#include "rng.hpp"
#include "topology.hpp"

namespace tvlb::sim {

/// Packets by their `next`, -1 none.
struct PacketList {
  std::int32_t head = -1;
  std::int32_t tail = -1;
};

struct PortIn {
  std::uint32_t upstream = 0;    // VC 0 among all output VCs, then the nodes
  std::int32_t credit_time = 0;  // cycles
};

struct PortOut {
  std::int32_t downstream = -1;  // VC 0 of the input port at the other end, -1 for a node
  std::int32_t latency = 0;      // cycles
  std::int32_t link = -1;
  std::uint8_t kind = 0;
};

/// `InputVc` is a PacketList, `InputPort` a PortIn and `OutputPort` a PortOut, and what the router adds.
template <class Packet, class InputVc, class InputPort, class OutputPort>
class PortFabric {
 public:
  [[nodiscard]] PacketPool<Packet>& packets() { return packets_; }

 protected:
  struct Arrival {
    std::int32_t packet;
    std::uint32_t input_vc;
  };

  static constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();
  static constexpr unsigned kWordBits = 64;

  /// Of packets of some phits, `min_ports` none if these have routes; events lie at most `span` cycles
  /// ahead, and credits take `node_latency` cycles to nodes.
  PortFabric(const Topology& network, const MinPorts* min_ports, const RunConfig& config, int phits, int span,
             int node_latency)
      : network_(network),
        min_ports_(min_ports),
        policy_(config.vcs),
        vcs_(config.vc_count),
        ports_(network.max_ports()),
        per_switch_(static_cast<std::uint32_t>(ports_ * vcs_)),
        num_vcs_(static_cast<std::uint32_t>(network.num_switches()) * per_switch_),
        phits_(phits),
        words_((per_switch_ + kWordBits - 1) / kWordBits),
        inputs_(num_vcs_),
        input_ports_(index(network.num_switches() * ports_)),
        output_ports_(input_ports_.size()),
        arrivals_(span),
        is_active_(index(network.num_switches()), false) {
    for (std::int32_t node = 0; node < network.num_nodes(); ++node) {
      PortIn& input = input_ports_[input_of(node) / static_cast<unsigned>(vcs_)];
      input.upstream = num_vcs_ + static_cast<std::uint32_t>(node * vcs_);
      input.credit_time = node_latency;
    }
    for (std::int32_t id = 0; id < network.num_links(); ++id) connect(id, config.latency);
  }

  [[nodiscard]] static std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }
  [[nodiscard]] std::int32_t switch_of(std::uint32_t vc) const {
    return static_cast<std::int32_t>(vc / per_switch_);
  }
  [[nodiscard]] InputPort& port_of(std::uint32_t input_vc) {
    return input_ports_[input_vc / static_cast<unsigned>(vcs_)];
  }
  [[nodiscard]] const InputPort& port_of(std::uint32_t input_vc) const {
    return input_ports_[input_vc / static_cast<unsigned>(vcs_)];
  }
  /// VC 0 of a node's input port.
  [[nodiscard]] std::uint32_t input_of(std::int32_t node) const {
    const std::int32_t sw = network_.node_switch(node);
    return static_cast<std::uint32_t>((sw * ports_ + node - network_.first_node(sw)) * vcs_);
  }
  [[nodiscard]] bool is_node(std::uint32_t upstream) const { return upstream >= num_vcs_; }
  [[nodiscard]] std::int32_t node_of(std::uint32_t upstream) const {
    return static_cast<std::int32_t>(upstream - num_vcs_) / vcs_;
  }
  /// The output VC, or that of a node, that an input VC is behind.
  [[nodiscard]] std::uint32_t upstream_of(std::uint32_t input_vc) const {
    return port_of(input_vc).upstream + input_vc % static_cast<unsigned>(vcs_);
  }

  /// A packet joins a list; whether it is its head now.
  bool append(PacketList& list, std::int32_t id) {
    packets_[id].next = -1;
    const bool is_head = list.head < 0;
    if (is_head) list.head = id;
    else packets_[list.tail].next = id;
    list.tail = id;
    return is_head;
  }

  // Rows of bits, a bit per input VC of a switch.
  [[nodiscard]] std::uint64_t& word_of(std::vector<std::uint64_t>& rows, std::int32_t row,
                                       std::uint32_t local) const {
    return rows[index(row) * words_ + local / kWordBits];
  }
  [[nodiscard]] static std::uint64_t bit(std::uint32_t local) {
    return std::uint64_t{1} << (local % kWordBits);
  }

  /// A switch is looked at from now on, or in the next cycle.
  void activate(std::int32_t sw) {
    if (is_active_[index(sw)]) return;
    is_active_[index(sw)] = true;
    active_.push_back(sw);
  }
  /// Calls `visit(switch)` for those that are to be looked at; it may activate any again.
  template <class Visit>
  void for_each_active(Visit&& visit) {
    current_.swap(active_);
    for (const std::int32_t sw : current_) is_active_[index(sw)] = false;
    for (const std::int32_t sw : current_) visit(sw);
    current_.clear();
  }
  [[nodiscard]] bool is_active(std::int32_t sw) const { return is_active_[index(sw)]; }

  /// Of the checks of a cycle: throws std::logic_error where something does not hold.
  static void require(bool holds, const char* what, std::int32_t cycle) {
    if (!holds) throw std::logic_error(std::string(what) + " in cycle " + std::to_string(cycle));
  }
  [[nodiscard]] std::int32_t length(const PacketList& list) const {
    std::int32_t count = 0;
    for (std::int32_t id = list.head; id >= 0; id = packets_[id].next) ++count;
    return count;
  }

  const Topology& network_;
  const MinPorts* min_ports_;
  vc::Table policy_;
  int vcs_;
  int ports_;
  std::uint32_t per_switch_;  // VCs of a switch in one direction
  std::uint32_t num_vcs_;
  std::int32_t phits_;  // of a packet
  std::size_t words_;   // of a mask over the input VCs of a switch

  PacketPool<Packet> packets_;
  std::vector<InputVc> inputs_;
  std::vector<InputPort> input_ports_;
  std::vector<OutputPort> output_ports_;
  EventWheel<Arrival> arrivals_;

 private:
  void connect(std::int32_t id, const std::vector<int>& latency) {
    const Link& link = network_.link(id);
    const std::int32_t from = link.source * ports_ + link.output_port;
    const std::int32_t to = link.target * ports_ + link.input_port;
    PortOut& output = output_ports_[index(from)];
    output = {to * vcs_, latency[link.kind], id, link.kind};
    static_cast<PortIn&>(input_ports_[index(to)]) = {static_cast<std::uint32_t>(from * vcs_), output.latency};
  }

  std::vector<bool> is_active_;        // per switch
  std::vector<std::int32_t> active_;   // switches to look at
  std::vector<std::int32_t> current_;  // the same, while they are
};

}  // namespace tvlb::sim
