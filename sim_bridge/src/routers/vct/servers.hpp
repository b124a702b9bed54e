// The nodes' sending side: a finite queue, a packet staged beside it, and one that is being sent.
#pragma once

#include <cstdint>
#include <vector>

#include "common/event_wheel.hpp"
#include "common/sources.hpp"
#include "common/traffic.hpp"
#include "common/waiting.hpp"
#include "config.hpp"

namespace tvlb::sim::vct {

class Servers {
 public:
  Servers(const Network& network, const Traffic& traffic, const Config& config)
      : network_(network),
        traffic_(traffic),
        nodes_(traffic, config, config.packet_phits),
        vcs_(config.vc_count),
        phits_(config.packet_phits),
        input_packets_(static_cast<std::uint8_t>(config.input_packets())),
        queues_(traffic.num_nodes(), config.source_queue_packets),
        outstanding_(static_cast<std::size_t>(traffic.num_nodes() * config.vc_count), 0),
        ends_(config.packet_phits + 1) {}

  /// Step 4 for the nodes that are due. Calls `refused()` for packets that find the queue full and
  /// `start(node, vc, packet)` for those whose header leaves now.
  template <class Refused, class Start>
  void run(std::int32_t cycle, Refused&& refused, Start&& start) {
    ends_.drain(cycle, [&](std::int32_t id) {
      nodes_[id].sends = false;
      wake(id);
    });
    nodes_.drain(cycle, [&](std::int32_t id) {
      Node& node = nodes_[id];
      if (node.next > cycle) return nodes_.wake(id, node.next, cycle);
      // What a cycle before this one would have staged has left the queue.
      if (cycle > node.stages_from) stage(id, node);
      if (queues_.is_full(node.queue)) {
        refused();
      } else {
        queues_.push(id, node.queue,
                     {cycle, traffic_.draw_destination(network_, id, node.destinations)});
        wake(id);
      }
      nodes_.advance(node);
      nodes_.wake(id, node.next, cycle);
    });
    for (const std::int32_t id : awake_) {
      Node& node = nodes_[id];
      node.is_awake = false;
      if (cycle >= node.stages_from) stage(id, node);
      if (node.sends || !node.has_staged) continue;
      const int vc = free_vc(id);
      if (vc < 0) continue;
      ++outstanding_[place(id, vc)];
      node.has_staged = false;
      node.stages_from = cycle + 1;
      node.sends = true;
      ends_.push(cycle + phits_, id);
      start(id, vc, node.staged);
    }
    awake_.clear();
  }

  /// A buffer of the node's switch has room for one more packet.
  void credited(std::int32_t node, int vc) {
    --outstanding_[place(node, vc)];
    wake(node);
  }

 private:
  struct Node : Generator {
    std::int32_t stages_from = 0;  // cycle from which a packet may be staged
    WaitingPackets::Fifo queue;
    Waiting staged{};
    bool has_staged = false;
    bool sends = false;
    bool is_awake = false;
  };

  [[nodiscard]] std::size_t place(std::int32_t node, int vc) const {
    return static_cast<std::size_t>(node) * static_cast<std::size_t>(vcs_) +
           static_cast<std::size_t>(vc);
  }
  void wake(std::int32_t node) {
    if (nodes_[node].is_awake) return;
    nodes_[node].is_awake = true;
    awake_.push_back(node);
  }
  void stage(std::int32_t id, Node& node) {
    if (node.has_staged || node.queue.count == 0) return;
    node.staged = queues_.pop(id, node.queue);
    node.has_staged = true;
  }
  [[nodiscard]] int free_vc(std::int32_t node) const {
    for (int vc = 0; vc < vcs_; ++vc) {
      if (outstanding_[place(node, vc)] < input_packets_) return vc;
    }
    return -1;
  }

  const Network& network_;
  const Traffic& traffic_;
  Sources<Node> nodes_;
  int vcs_;
  int phits_;
  std::uint8_t input_packets_;
  WaitingPackets queues_;
  std::vector<std::uint8_t> outstanding_;  // per (node, VC): packets whose credits are not back
  std::vector<std::int32_t> awake_;        // nodes to look at in this cycle
  EventWheel<std::int32_t> ends_;           // of transmissions
};

}  // namespace tvlb::sim::vct
