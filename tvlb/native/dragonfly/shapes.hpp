// Shapes of the VLB paths of a Dragonfly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "dragonfly.hpp"

namespace tvlb {

// Which local hops a path takes around its two global links, as bits.
inline constexpr unsigned kAtSource = 8;
inline constexpr unsigned kBefore = 4;  // the intermediate
inline constexpr unsigned kAfter = 2;
inline constexpr unsigned kAtTarget = 1;
inline constexpr std::size_t kShapes = 16;

inline constexpr std::array<std::int8_t, kShapes> kShapeHops = {2, 3, 3, 4, 3, 4, 4, 5,
                                                                3, 4, 4, 5, 4, 5, 5, 6};
[[nodiscard]] constexpr int shape_hops(std::size_t shape) { return kShapeHops[shape]; }

template <class Value>
using ByShape = std::array<Value, kShapes>;

// Calls visit(shape, number of intermediates) for two global links that meet in a group of `a`
// switches; `ends` are the bits of the local hops at the source and the target.
template <class Visit>
void for_each_shape(std::size_t ends, bool same_switch, std::int64_t a, Visit visit) {
    if (same_switch) {
        visit(ends, 1);
        visit(ends | kBefore | kAfter, a - 1);
    } else {
        visit(ends | kAfter, 1);
        visit(ends | kBefore, 1);
        visit(ends | kBefore | kAfter, a - 2);
    }
}

// Local hops of the halves of a path, to the intermediate and from it, of an inter-group pair.
[[nodiscard]] inline std::size_t first_half_bits(const Dragonfly& w, std::int32_t s, std::int32_t first,
                                                 std::int32_t via) {
    return (w.source(first) != s ? kAtSource : 0U) | (w.target(first) != via ? kBefore : 0U);
}
[[nodiscard]] inline std::size_t second_half_bits(const Dragonfly& w, std::int32_t via,
                                                  std::int32_t second, std::int32_t d) {
    return (w.source(second) != via ? kAfter : 0U) | (w.target(second) != d ? kAtTarget : 0U);
}
[[nodiscard]] inline std::size_t end_bits(const Dragonfly& w, std::int32_t s, std::int32_t first,
                                          std::int32_t second, std::int32_t d) {
    return (w.source(first) != s ? kAtSource : 0U) | (w.target(second) != d ? kAtTarget : 0U);
}

// Paths of an inter-group pair by shape; no intermediate is visited.
[[nodiscard]] inline ByShape<std::int64_t> count_shapes(const Dragonfly& w, std::int32_t s,
                                                        std::int32_t d) {
    ByShape<std::int64_t> count{};
    for (std::int32_t g = 0; g < w.num_groups(); ++g) {
        if (g == w.group(s) || g == w.group(d)) continue;
        for (const auto first : w.global_links(w.group(s), g)) {
            for (const auto second : w.global_links(g, w.group(d))) {
                for_each_shape(end_bits(w, s, first, second, d), w.target(first) == w.source(second),
                               w.group_size(),
                               [&](std::size_t shape, std::int64_t paths) { count[shape] += paths; });
            }
        }
    }
    return count;
}

}  // namespace tvlb
