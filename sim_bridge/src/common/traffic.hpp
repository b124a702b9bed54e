// Who sends to whom and when: Bernoulli generation and destination draws, per node.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "network.hpp"
#include "rng.hpp"

namespace tvlb::sim {

/// What Traffic is made of; per node unless noted.
struct Demand {
  std::vector<double> rate;              // multiplies the load; 0 = silent
  std::vector<double> uniform_fraction;  // of packets that go to a uniformly drawn node
  std::vector<std::int32_t> destination;  // of the rest; -1 = none or by matrix
  std::vector<std::int32_t> matrix_row;   // -1 = no matrix
  std::vector<std::int64_t> matrix_offset;  // per row, and one more
  std::vector<std::int32_t> matrix_target;  // per entry
  std::vector<double> matrix_cumulative;    // per entry, last of a row = 1
  bool matrix_target_is_switch = false;     // then a uniform node of that switch
  bool uniform_to_others = false;           // uniform packets never go to their sender
  bool matrix_to_others = false;            // a packet by matrix for its sender is drawn anew
};

class [[gnu::visibility("default")]] Traffic {
 public:
  /// Throws std::invalid_argument where the arrays do not fit the network.
  Traffic(const Network& network, Demand demand);

  [[nodiscard]] int num_nodes() const { return static_cast<int>(demand_.rate.size()); }
  [[nodiscard]] double rate(int node) const { return demand_.rate[static_cast<std::size_t>(node)]; }
  [[nodiscard]] double max_rate() const;
  [[nodiscard]] double total_rate() const;
  [[nodiscard]] int draw_destination(const Network& network, int node, Stream& stream) const;

 private:
  void check(const Network& network) const;
  void check_matrix(const Network& network) const;
  [[nodiscard]] bool targets_several(const Network& network, int row) const;
  [[nodiscard]] int draw_from_matrix(const Network& network, int row, Stream& stream) const;

  Demand demand_;
};

inline constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();

/// Gaps between the packets of a Bernoulli process: geometric, at least one cycle. Short gaps come
/// from a table by inversion, long ones from a logarithm.
class [[gnu::visibility("default")]] GeometricGaps {
 public:
  /// `probability` per cycle, in [0, 1].
  explicit GeometricGaps(double probability);

  [[nodiscard]] bool has_any() const { return probability_ > 0.0; }
  [[nodiscard]] std::int32_t draw(Stream& stream) const {
    const std::uint64_t drawn = stream.next();
    std::int32_t gap = first_gap_[drawn >> (64U - kGuideBits)];
    while (gap <= kTabled && drawn >= reached_[static_cast<std::size_t>(gap)]) ++gap;
    return gap <= kTabled ? gap : draw_long(drawn);
  }

 private:
  static constexpr std::int32_t kTabled = 128;
  static constexpr unsigned kGuideBits = 6;

  [[nodiscard]] std::int32_t draw_long(std::uint64_t drawn) const;

  double probability_;
  double inverse_log_survival_ = 0.0;
  std::array<std::uint64_t, kTabled + 1> reached_{};  // 2^64 * P(gap <= index), rounded down
  std::array<std::uint8_t, std::size_t{1} << kGuideBits> first_gap_{};  // by leading bits
};

}  // namespace tvlb::sim
