// The nodes' sending side: a finite queue, a packet staged beside it, and one that is being sent.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "common/event_wheel.hpp"
#include "common/traffic.hpp"
#include "config.hpp"

namespace tvlb::sim::vct {

/// A packet that waits at its node.
struct Waiting {
  std::int32_t created;
  std::int32_t destination;
};

class Servers {
 public:
  Servers(const Network& network, const Traffic& traffic, const Config& config);

  /// Step 4 for the nodes that are due. Calls `refused()` for packets that find the queue full and
  /// `start(node, vc, packet)` for those whose header leaves now.
  template <class Refused, class Start>
  void run(std::int32_t cycle, Refused&& refused, Start&& start);

  /// A buffer of the node's switch has room for one more packet.
  void credited(std::int32_t node, int vc) {
    --outstanding_[place(node, vc)];
    wake(node);
  }
  [[nodiscard]] const std::vector<std::uint8_t>& outstanding() const { return outstanding_; }

 private:
  struct Node {
    Stream generation;
    Stream destinations;
    std::uint32_t gaps;          // index among the distinct ones
    std::int32_t next;           // cycle of the next packet
    std::int32_t stages_from;    // cycle from which a packet may be staged
    std::int32_t first = 0;      // of the queue, in its ring
    std::int32_t queued = 0;
    Waiting staged{};
    bool has_staged = false;
    bool sends = false;
    bool is_awake = false;
  };

  [[nodiscard]] std::size_t place(std::int32_t node, int vc) const {
    return static_cast<std::size_t>(node) * static_cast<std::size_t>(vcs_) +
           static_cast<std::size_t>(vc);
  }
  [[nodiscard]] Node& of(std::int32_t node) { return nodes_[static_cast<std::size_t>(node)]; }
  void wake(std::int32_t node) {
    if (of(node).is_awake) return;
    of(node).is_awake = true;
    awake_.push_back(node);
  }
  void plan(std::int32_t node, std::int32_t now);
  void stage(std::int32_t id, Node& node);
  [[nodiscard]] int free_vc(std::int32_t node) const;

  static constexpr int kWheelSpan = 255;  // cycles; longer gaps are waited for in parts

  const Network& network_;
  const Traffic& traffic_;
  std::vector<GeometricGaps> gaps_;
  std::vector<Node> nodes_;
  int vcs_;
  int phits_;
  int most_queued_;
  std::uint8_t input_packets_;
  std::vector<Waiting> queues_;            // rings, per node
  std::vector<std::uint8_t> outstanding_;  // per (node, VC): packets whose credits are not back
  std::vector<std::int32_t> awake_;        // nodes to look at in this cycle
  EventWheel<std::int32_t> generations_{kWheelSpan};
  EventWheel<std::int32_t> ends_;  // of transmissions
};

inline Servers::Servers(const Network& network, const Traffic& traffic, const Config& config)
    : network_(network),
      traffic_(traffic),
      vcs_(config.vc_count),
      phits_(config.packet_phits),
      most_queued_(config.source_queue_packets),
      input_packets_(static_cast<std::uint8_t>(config.input_packets())),
      queues_(static_cast<std::size_t>(traffic.num_nodes() * config.source_queue_packets)),
      outstanding_(static_cast<std::size_t>(traffic.num_nodes() * config.vc_count), 0),
      ends_(config.packet_phits + 1) {
  std::map<double, std::uint32_t> gaps_of_rate;
  nodes_.reserve(static_cast<std::size_t>(traffic.num_nodes()));
  for (std::int32_t id = 0; id < traffic.num_nodes(); ++id) {
    const double rate = config.load * traffic.rate(id) / config.packet_phits;
    const auto [gaps, is_new] =
        gaps_of_rate.try_emplace(rate, static_cast<std::uint32_t>(gaps_.size()));
    if (is_new) gaps_.emplace_back(rate);
    const auto key = static_cast<std::uint64_t>(id);
    nodes_.push_back({Stream(config.seed, Purpose::generation, key),
                      Stream(config.seed, Purpose::destination, key), gaps->second, -1, 0});
    Node& node = nodes_.back();
    node.next = next_generation(-1, gaps_[node.gaps], node.generation);
    plan(id, 0);
  }
}

inline void Servers::plan(std::int32_t id, std::int32_t now) {
  const std::int32_t due = of(id).next;
  if (due == kNever) return;
  generations_.push(std::min(due, now + kWheelSpan), id);
}

inline void Servers::stage(std::int32_t id, Node& node) {
  if (node.has_staged || node.queued == 0) return;
  node.staged = queues_[static_cast<std::size_t>(id * most_queued_ + node.first)];
  node.first = node.first + 1 == most_queued_ ? 0 : node.first + 1;
  --node.queued;
  node.has_staged = true;
}

inline int Servers::free_vc(std::int32_t node) const {
  for (int vc = 0; vc < vcs_; ++vc) {
    if (outstanding_[place(node, vc)] < input_packets_) return vc;
  }
  return -1;
}

template <class Refused, class Start>
void Servers::run(std::int32_t cycle, Refused&& refused, Start&& start) {
  ends_.drain(cycle, [&](std::int32_t id) {
    of(id).sends = false;
    wake(id);
  });
  generations_.drain(cycle, [&](std::int32_t id) {
    Node& node = of(id);
    if (node.next > cycle) return plan(id, cycle);
    // What a cycle before this one would have staged has left the queue.
    if (cycle > node.stages_from) stage(id, node);
    if (node.queued == most_queued_) {
      refused();
    } else {
      const int last = (node.first + node.queued) % most_queued_;
      queues_[static_cast<std::size_t>(id * most_queued_ + last)] = {
          cycle, traffic_.draw_destination(network_, id, node.destinations)};
      ++node.queued;
      wake(id);
    }
    node.next = next_generation(cycle, gaps_[node.gaps], node.generation);
    plan(id, cycle);
  });
  for (const std::int32_t id : awake_) {
    Node& node = of(id);
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

}  // namespace tvlb::sim::vct
