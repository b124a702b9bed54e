// Random streams of eight bytes each, keyed by (seed, purpose, index): a run does not depend on
// how many threads or simulations share the process.
#pragma once

#include <cstdint>

namespace tvlb::sim {

enum class Purpose : std::uint64_t { generation = 1, destination = 2, route = 3, revision = 4 };

/// SplitMix64 (Steele, Lea, Flood 2014) started at a hash of its key.
class Stream {
 public:
  Stream() = default;
  Stream(std::uint64_t seed, Purpose purpose, std::uint64_t index)
      : state_(mix(mix(mix(seed + kStep) + static_cast<std::uint64_t>(purpose)) + index)) {}

  std::uint64_t next() { return mix(state_ += kStep); }

  /// Uniform integer in [0, bound); the bias is below bound / 2^64.
  std::uint32_t below(std::uint32_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint32_t>((static_cast<Wide>(next()) * bound) >> 64U);
  }

  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15ULL;

  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }

  std::uint64_t state_ = 0;
};

}  // namespace tvlb::sim
