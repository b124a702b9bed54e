// Deadlocks: buffers of which the head can never leave, each waiting for the next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "figures.hpp"
#include "network.hpp"

namespace tvlb::sim {

/// Buffers that wait for each other in a circle; none if all heads can leave. What can move is found from
/// the heads outwards, until no more is; the rest never will. `moves` says which buffers are empty or have
/// a head in motion, `can_leave(buffer, moves)` whether a head has a way out, and `next(buffer)` which
/// buffer it waits for.
std::vector<std::uint32_t> wait_cycle(std::vector<bool> moves, auto&& can_leave, auto&& next) {
  const auto count = static_cast<std::uint32_t>(moves.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t buffer = 0; buffer < count; ++buffer) {
      if (moves[buffer] || !can_leave(buffer, moves)) continue;
      moves[buffer] = changed = true;
    }
  }
  const auto first = std::ranges::find(moves, false);
  if (first == moves.end()) return {};
  std::vector<std::uint32_t> walk;
  std::vector<bool> seen(count);
  auto at = static_cast<std::uint32_t>(first - moves.begin());
  for (; !seen[at]; at = next(at)) {
    seen[at] = true;
    walk.push_back(at);
  }
  // Up to the first buffer of the circle is the way to it.
  walk.erase(walk.begin(), std::ranges::find(walk, at));
  return walk;
}

/// Of input VCs that are numbered by switch, port and VC.
inline std::vector<Buffer> buffers_at(const Network& network, const std::vector<std::uint32_t>& input_vcs,
                                      int ports, int vcs) {
  std::vector<Buffer> buffers;
  for (const std::uint32_t one : input_vcs) {
    const auto number = static_cast<std::int32_t>(one);
    const std::int32_t port = number / vcs;
    buffers.push_back({network.input_link(port / ports, port % ports), number % vcs});
  }
  return buffers;
}

}  // namespace tvlb::sim
