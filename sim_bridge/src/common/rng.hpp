// Random streams of eight bytes each, keyed by (seed, purpose, index): a run does not depend on
// how many threads or simulations share the process.
#pragma once

#include <cstdint>

#include "order.hpp"

namespace tvlb::sim {

enum class Purpose : std::uint64_t { generation = 1, destination = 2, route = 3, revision = 4 };

/// SplitMix64 (Steele, Lea, Flood 2014) started at a hash of its key.
class Stream {
 public:
  Stream() = default;
  Stream(std::uint64_t seed, Purpose purpose, std::uint64_t index)
      : state_(mix64(mix64(mix64(seed + kStep) + static_cast<std::uint64_t>(purpose)) + index)) {}

  std::uint64_t next() { return mix64(state_ += kStep); }

  /// Uniform integer in [0, bound); the bias is below bound / 2^64.
  std::uint32_t below(std::uint32_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint32_t>((static_cast<Wide>(next()) * bound) >> 64U);
  }

  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15ULL;

  std::uint64_t state_ = 0;
};

/// Several small draws out of one number of a stream: what a multiplication leaves in the low bits
/// is the next uniform number. Fresh bits are taken before a bias could reach 2^-32.
class Draws {
 public:
  explicit Draws(Stream& stream) : stream_(stream), bits_(stream.next()) {}

  struct WhereNeeded {};
  /// Takes no number before the first draw.
  Draws(Stream& stream, WhereNeeded) : stream_(stream), bits_(0), spread_(kMaxSpread + 1) {}

  /// Uniform integer in [0, bound).
  std::uint32_t below(std::uint32_t bound) {
    if (spread_ * bound > kMaxSpread) refill();
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(bits_) * bound;
    bits_ = static_cast<std::uint64_t>(product);
    spread_ *= bound;
    return static_cast<std::uint32_t>(product >> 64U);
  }

  /// Uniform in [0, 1).
  double uniform() { return stream_.uniform(); }

 private:
  static constexpr std::uint64_t kMaxSpread = std::uint64_t{1} << 32U;

  void refill() {
    bits_ = stream_.next();
    spread_ = 1;
  }

  Stream& stream_;
  std::uint64_t bits_;
  std::uint64_t spread_ = 1;  // product of the bounds drawn from `bits_`
};

}  // namespace tvlb::sim
