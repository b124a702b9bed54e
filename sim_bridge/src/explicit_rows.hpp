// A sampler of stored paths.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dragonfly/dragonfly.hpp"
#include "rng.hpp"
#include "triple.hpp"

namespace tvlb::sim {

/// Input of ExplicitRows: pair i owns rows offset[i] .. offset[i + 1], weights optional.
struct PathRows {
  std::span<const std::int32_t> sources;  // pairs
  std::span<const std::int32_t> targets;
  std::span<const std::int64_t> offset;  // pairs + 1
  std::span<const std::int32_t> intermediate;
  std::span<const std::int32_t> first_link;
  std::span<const std::int32_t> second_link;
  std::span<const double> cumulative;  // within each pair, last = 1; empty: all uniform
};

/// Draws from stored rows by weight; pairs of equal weights skip the search. 4 bytes per row, 12
/// with weights.
class ExplicitRows {
 public:
  /// Without rows. `expected` is the number to make room for.
  ExplicitRows(const Dragonfly& network, std::size_t expected, bool weighted);

  /// Adds the rows of pairs that follow those added before, ascending by (source, target).
  /// Throws std::invalid_argument where the arrays do not fit the network or each other.
  void append(const Dragonfly& network, const PathRows& rows);

  /// Called once after the last rows, before the first draw.
  void finish();

  [[nodiscard]] std::optional<Triple> draw(const Dragonfly& network, int source, int target,
                                           Draws& draws) const;

 private:
  [[nodiscard]] std::size_t pair(int source, int target) const {
    return static_cast<std::size_t>(source) * switches_ + static_cast<std::size_t>(target);
  }
  void check(const PathRows& rows) const;
  void append_pair(const Dragonfly& network, const PathRows& rows, std::size_t number);
  void start_pairs_up_to(std::size_t last);

  std::size_t switches_;
  TripleCodes codes_;
  bool weighted_;
  std::size_t next_pair_ = 0;         // the first whose rows have not begun
  std::vector<std::int64_t> offset_;  // per pair, and one more
  std::vector<std::uint32_t> rows_;
  std::vector<double> cumulative_;
  std::vector<std::uint8_t> uniform_;  // per pair; empty without weights
};

}  // namespace tvlb::sim
