// Steps that several samplers share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "dragonfly/dragonfly.hpp"
#include "common/rng.hpp"
#include "paths/triple.hpp"

namespace tvlb::sim {

inline std::int32_t pick(std::span<const std::int32_t> values, Draws& draws) {
  return values[draws.below(static_cast<std::uint32_t>(values.size()))];
}

/// Uniform in [0, count) without the runs of `width` that start at `first` and at `second`.
inline int below_without(int count, int width, int first, int second, Draws& draws) {
  auto value = static_cast<int>(draws.below(static_cast<std::uint32_t>(count - 2 * width)));
  if (value >= std::min(first, second)) value += width;
  if (value >= std::max(first, second)) value += width;
  return value;
}

/// The two-hop detours inside a group: any third switch.
inline std::optional<Triple> draw_detour(const Dragonfly& network, int source, int target,
                                         Draws& draws) {
  const int size = network.group_size();
  if (size < 3) return std::nullopt;
  const int base = network.group(source) * size;
  const int member = below_without(size, 1, source - base, target - base, draws);
  return Triple{base + member, -1, -1};
}

}  // namespace tvlb::sim
