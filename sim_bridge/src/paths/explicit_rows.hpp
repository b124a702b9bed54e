// A sampler of stored paths.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "path_sampler.hpp"
#include "triple.hpp"

namespace tvlb::sim {

/// Input of ExplicitRows: pair i owns rows offset[i] .. offset[i + 1], weights optional.
struct RowColumns {
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
class ExplicitRows : public PathSampler {
 public:
  /// Adds the rows of pairs that follow those added before, ascending by (source, target).
  /// Throws std::invalid_argument where the arrays do not fit the network or each other.
  virtual void append(const RowColumns& rows) = 0;

  /// Called once after the last rows, before the first draw.
  virtual void finish() = 0;
};

template <class Family>
class ExplicitRowsOf final : public ExplicitRows {
 public:
  /// Without rows. `expected` is the number to make room for.
  ExplicitRowsOf(const Family& network, std::size_t expected, bool weighted)
      : network_(network),
        switches_(as_index(network.num_switches())),
        codes_(network),
        weighted_(weighted),
        offset_(switches_ * switches_ + 1, 0) {
    rows_.reserve(expected);
    if (!weighted) return;
    cumulative_.reserve(expected);
    uniform_.assign(switches_ * switches_, 1);
  }

  void append(const RowColumns& rows) override {
    check(rows);
    for (std::size_t i = 0; i < rows.sources.size(); ++i) append_pair(rows, i);
  }
  void finish() override { start_pairs_up_to(switches_ * switches_); }
  [[nodiscard]] std::optional<Triple> draw(int source, int target, Draws& draws) const override {
    const std::size_t here = pair(source, target);
    const std::int64_t begin = offset_[here];
    const std::int64_t size = offset_[here + 1] - begin;
    if (size == 0) return std::nullopt;
    const auto decode = [&](std::int64_t row) {
      return codes_.decode(network_, source, target, rows_[as_index(begin + row)]);
    };
    if (!weighted_ || uniform_[here] != 0) {
      return decode(draws.below(static_cast<std::uint32_t>(size)));
    }
    const auto first = cumulative_.begin() + begin;
    return decode(std::upper_bound(first, first + size - 1, draws.uniform()) - first);
  }

 private:
  [[nodiscard]] static std::size_t as_index(std::int64_t value) {
    return static_cast<std::size_t>(value);
  }
  [[nodiscard]] std::size_t pair(int source, int target) const {
    return static_cast<std::size_t>(source) * switches_ + static_cast<std::size_t>(target);
  }
  static bool is_uniform(std::span<const double> cumulative) {
    const auto size = static_cast<double>(cumulative.size());
    for (std::size_t i = 0; i < cumulative.size(); ++i) {
      const double even = static_cast<double>(i + 1) / size;
      if (std::abs(cumulative[i] - even) > 1e-12) return false;
    }
    return true;
  }
  void check(const RowColumns& rows) const {
    const std::size_t pairs = rows.sources.size();
    const std::size_t count = rows.intermediate.size();
    if (rows.targets.size() != pairs || rows.offset.size() != pairs + 1 ||
        rows.offset.front() != 0 || as_index(rows.offset.back()) != count ||
        !std::ranges::is_sorted(rows.offset)) {
      throw std::invalid_argument("path rows: offset must rise from 0 to the number of rows");
    }
    if (rows.first_link.size() != count || rows.second_link.size() != count ||
        rows.cumulative.size() != (weighted_ ? count : 0)) {
      throw std::invalid_argument("path rows: arrays must have equal lengths");
    }
  }
  void append_pair(const RowColumns& rows, std::size_t number) {
    const std::int32_t source = rows.sources[number];
    const std::int32_t target = rows.targets[number];
    if (source < 0 || as_index(source) >= switches_ || target < 0 || as_index(target) >= switches_ ||
        pair(source, target) < next_pair_) {
      throw std::invalid_argument("path rows: pairs must be ascending switch ids");
    }
    start_pairs_up_to(pair(source, target));
    const auto begin = as_index(rows.offset[number]);
    const auto end = as_index(rows.offset[number + 1]);
    for (std::size_t i = begin; i < end; ++i) {
      const Triple path{rows.intermediate[i], rows.first_link[i], rows.second_link[i]};
      rows_.push_back(codes_.encode(network_, source, target, path));
    }
    if (!weighted_) return;
    const auto cumulative = rows.cumulative.subspan(begin, end - begin);
    cumulative_.insert(cumulative_.end(), cumulative.begin(), cumulative.end());
    uniform_[pair(source, target)] = is_uniform(cumulative) ? 1 : 0;
  }
  // The next rows belong to pair `last`; the pairs before it that were not added have none.
  void start_pairs_up_to(std::size_t last) {
    while (next_pair_ <= last) offset_[next_pair_++] = static_cast<std::int64_t>(rows_.size());
  }

  const Family& network_;
  std::size_t switches_;
  TripleCodes<Family> codes_;
  bool weighted_;
  std::size_t next_pair_ = 0;         // the first whose rows have not begun
  std::vector<std::int64_t> offset_;  // per pair, and one more
  std::vector<std::uint32_t> rows_;
  std::vector<double> cumulative_;
  std::vector<std::uint8_t> uniform_;  // per pair; empty without weights
};

}  // namespace tvlb::sim
