// The watchdog: finds input buffers that can never move again. Included by run.hpp.
#pragma once

#include <algorithm>
#include <string>

#include "run.hpp"

namespace tvlb::sim {

// ---- Deadlock -----------------------------------------------------------------------------------

// Buffers whose heads wait, each for room in the next, are deadlocked if every one of them is full:
// queues are FIFOs and a route is fixed once its packet is in the network, so no head can leave
// before the next one does. Where nothing moves any more there is such a cycle; it is found too
// while the rest of the network still moves.

// The buffer without room that the head of `input_vc` wants to enter, -1 if there is none.
template <int Words, int Slots>
std::int32_t Run<Words, Slots>::blocking_buffer(std::int32_t input_vc) const {
  const auto sw = static_cast<std::size_t>(input_vc) / kVcs;
  const unsigned input = static_cast<unsigned>(input_vc) % kVcs;
  const SwitchState& state = switches_[sw];
  if (state.queues[input].head < 0) return -1;
  const unsigned wanted = state.wanted_by(input);
  const std::int32_t downstream = state.outputs[wanted / Slots].downstream;
  if (downstream < 0 || credits_[sw * kVcs + wanted] != 0) return -1;
  return downstream + static_cast<std::int32_t>(wanted % Slots);
}

template <int Words, int Slots>
bool Run<Words, Slots>::is_full(std::int32_t input_vc) const {
  const auto place = static_cast<unsigned>(input_vc);
  int length = 0;
  std::int32_t id = switches_[place / kVcs].queues[place % kVcs].head;
  for (; id >= 0 && length < config_.buffer_flits; id = packets_[id].next) ++length;
  return length == config_.buffer_flits;
}

// From a buffer on the cycle once round.
template <int Words, int Slots>
std::vector<std::int32_t> Run<Words, Slots>::closed_walk(std::int32_t start) const {
  std::vector<std::int32_t> walk{start};
  for (std::int32_t at = blocking_buffer(start); at != start; at = blocking_buffer(at)) {
    walk.push_back(at);
  }
  return walk;
}

template <int Words, int Slots>
std::vector<Buffer> Run<Words, Slots>::find_wait_cycle() const {
  const auto count = static_cast<std::int32_t>(switches_.size() * kVcs);
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
      const auto sw = one / static_cast<std::int32_t>(kVcs);
      const auto input = one % static_cast<std::int32_t>(kVcs);
      buffers.push_back({network_.input_link(sw, input / Slots), input % Slots});
    }
    return buffers;
  }
  return {};
}

template <int Words, int Slots>
void Run<Words, Slots>::watch_deadlock() {
  wait_cycle_ = find_wait_cycle();
  if (!wait_cycle_.empty()) stop(Stopped::deadlocked, "deadlock");
}

}  // namespace tvlb::sim
