// The keyed order of paths: a 64-bit hash of (seed, source, target, intermediate, links).
//
// The order is part of the table format: a random fraction keeps the paths with the smallest
// keys, and balancing removes the largest first.
#pragma once

#include <cstdint>

namespace tvlb {

// Output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
    return value ^ (value >> 31);
}

[[nodiscard]] constexpr std::uint64_t fold(std::uint64_t state, std::int32_t value) {
    return mix64((state + 0x9E3779B97F4A7C15ULL) ^ static_cast<std::uint32_t>(value));
}

[[nodiscard]] constexpr std::uint64_t pair_key(std::uint64_t seed, std::int32_t source,
                                               std::int32_t target) {
    return fold(fold(mix64(seed + 0x9E3779B97F4A7C15ULL), source), target);
}

// What the keys of the paths through an intermediate and a first link have in common.
[[nodiscard]] constexpr std::uint64_t half_key(std::uint64_t pair, std::int32_t intermediate,
                                               std::int32_t first) {
    return fold(fold(pair, intermediate), first);
}

[[nodiscard]] constexpr std::uint64_t path_key(std::uint64_t pair, std::int32_t intermediate,
                                               std::int32_t first, std::int32_t second) {
    return fold(half_key(pair, intermediate, first), second);
}

// Number of `class_size` paths that a percentage keeps: floor(percent/100 * n + 1/2).
[[nodiscard]] constexpr std::int64_t drawn_count(std::int64_t class_size, int percent) {
    return (class_size * percent + 50) / 100;
}

}  // namespace tvlb
