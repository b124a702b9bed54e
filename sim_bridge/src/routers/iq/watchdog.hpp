// Finds input buffers that can never move again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fabric.hpp"
#include "measure.hpp"

namespace tvlb::sim {

// Buffers whose heads wait, each for room in the next, are deadlocked if every one of them is full:
// queues are FIFOs and a route is fixed once its packet is in the network, so no head can leave
// before the next one does. Where nothing moves any more there is such a cycle; it is found too
// while the rest of the network still moves.
template <class FabricType>
class Watchdog {
 public:
  Watchdog(const FabricType& fabric, int buffer_flits)
      : fabric_(fabric), buffer_flits_(buffer_flits) {}

  /// The buffers of one such cycle, none if there is none.
  [[nodiscard]] std::vector<Buffer> find_wait_cycle() const {
    const std::int32_t count = fabric_.network().num_switches() * kVcs;
    std::vector<std::int32_t> visitor(static_cast<std::size_t>(count), -1);
    for (std::int32_t start = 0; start < count; ++start) {
      std::int32_t at = start;
      while (at >= 0 && visitor[static_cast<std::size_t>(at)] < 0) {
        visitor[static_cast<std::size_t>(at)] = start;
        at = blocking_buffer(at);
      }
      if (at < 0 || visitor[static_cast<std::size_t>(at)] != start) continue;
      const std::vector<std::int32_t> walk = closed_walk(at);
      if (!std::ranges::all_of(walk, [&](std::int32_t one) { return is_full(one); })) continue;
      std::vector<Buffer> buffers;
      for (const std::int32_t one : walk) {
        buffers.push_back({fabric_.network().input_link(one / kVcs, one % kVcs / kSlots), one % kSlots});
      }
      return buffers;
    }
    return {};
  }

 private:
  static constexpr auto kVcs = static_cast<std::int32_t>(FabricType::kVcs);
  static constexpr auto kSlots = static_cast<std::int32_t>(FabricType::kSlots);

  /// The buffer without room that the head of `input_vc` wants to enter, -1 if there is none.
  [[nodiscard]] std::int32_t blocking_buffer(std::int32_t input_vc) const {
    const std::int32_t sw = input_vc / kVcs;
    const auto input = static_cast<unsigned>(input_vc % kVcs);
    const auto& state = fabric_.at(sw);
    if (state.queues[input].head < 0) return -1;
    const std::int32_t wanted = state.wanted_by(input);
    const auto port = static_cast<unsigned>(wanted / kSlots);
    const std::int32_t downstream = state.outputs[port].downstream;
    const auto counter = static_cast<std::size_t>(sw * kVcs + wanted);
    if (downstream < 0 || fabric_.credits()[counter] != 0) return -1;
    return downstream + wanted % kSlots;
  }

  [[nodiscard]] bool is_full(std::int32_t input_vc) const {
    int length = 0;
    const auto& queue = fabric_.at(input_vc / kVcs).queues[static_cast<unsigned>(input_vc % kVcs)];
    std::int32_t id = queue.head;
    const auto& packets = fabric_.packets_at(input_vc / kVcs);
    for (; id >= 0 && length < buffer_flits_; id = packets[id].next) ++length;
    return length == buffer_flits_;
  }

  /// From a buffer on the cycle once round.
  [[nodiscard]] std::vector<std::int32_t> closed_walk(std::int32_t start) const {
    std::vector<std::int32_t> walk{start};
    for (std::int32_t at = blocking_buffer(start); at != start; at = blocking_buffer(at)) {
      walk.push_back(at);
    }
    return walk;
  }

  const FabricType& fabric_;
  int buffer_flits_;
};

}  // namespace tvlb::sim
