// A path of a switch pair, whole and in 32 bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "topology.hpp"

namespace tvlb::sim {

/// A VLB path: MIN to `intermediate` and MIN on, both halves named as the family names them; or, of an
/// intermediate below 0, the MIN path that `first_half` names.
struct Triple {
  std::int32_t intermediate;
  std::int32_t first_half;
  std::int32_t second_half;
};

/// Numbers for the paths of a known pair: the intermediate in the low bits, above it the positions
/// of both halves among the MIN paths. The source in place of an intermediate says MIN.
template <class Family>
class TripleCodes {
 public:
  explicit TripleCodes(const Family& network)
      : bits_(static_cast<unsigned>(
            std::bit_width(static_cast<unsigned>(network.num_switches() - 1)))) {}

  /// Throws std::invalid_argument where it is no path of the pair, or where the number would
  /// not fit. With at most 128 ports per switch all paths of even Dragonflies fit.
  [[nodiscard]] std::uint32_t encode(const Family& network, int source, int target,
                                     const Triple& path) const {
    const int via = path.intermediate;
    if (via < 0) return packed(position(network, source, target, path.first_half), source);
    if (via >= network.num_switches()) {
      throw std::invalid_argument("path rows: a switch id is out of range");
    }
    if (network.has_choice(source, target) != network.is_intermediate(source, via, target)) {
      throw std::invalid_argument("path rows: switch " + std::to_string(via) +
                                  " is no intermediate of its pair");
    }
    const std::uint64_t second = position(network, via, target, path.second_half);
    const std::uint64_t halves =
        position(network, source, via, path.first_half) * seconds(network, via, target) + second;
    return packed(halves, via);
  }

  [[nodiscard]] Triple decode(const Family& network, int source, int target,
                              std::uint32_t code) const {
    const auto via = static_cast<int>(code & ((std::uint32_t{1} << bits_) - 1));
    const std::uint32_t halves = code >> bits_;
    if (via == source) {
      return {-1, network.min_name(source, target, static_cast<std::int32_t>(halves)), -1};
    }
    const std::uint32_t radix = seconds(network, via, target);
    const std::uint32_t first = halves / radix;
    return {via, network.min_name(source, via, static_cast<std::int32_t>(first)),
            network.min_name(via, target, static_cast<std::int32_t>(halves - first * radix))};
  }

 private:
  [[nodiscard]] std::uint32_t packed(std::uint64_t halves, int via) const {
    const std::uint64_t code = (halves << bits_) + static_cast<std::uint64_t>(via);
    if (code >= std::numeric_limits<std::uint32_t>::max()) {
      throw std::invalid_argument("path rows: too many MIN paths between two switches");
    }
    return static_cast<std::uint32_t>(code);
  }
  static std::uint32_t seconds(const Family& network, int via, int target) {
    return static_cast<std::uint32_t>(network.min_paths(via, target));
  }

  static std::uint64_t position(const Family& network, int from, int to, std::int32_t name) {
    const auto found = network.min_position(from, to, name);
    if (found < 0) {
      throw std::invalid_argument("path rows: " + std::to_string(name) +
                                  " names no MIN path from switch " + std::to_string(from) +
                                  " to switch " + std::to_string(to));
    }
    return static_cast<std::uint64_t>(found);
  }

  unsigned bits_;
};

}  // namespace tvlb::sim
