#include "explicit_rows.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tvlb::sim {
namespace {

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

bool is_uniform(std::span<const double> cumulative) {
  const auto size = static_cast<double>(cumulative.size());
  for (std::size_t i = 0; i < cumulative.size(); ++i) {
    const double even = static_cast<double>(i + 1) / size;
    if (std::abs(cumulative[i] - even) > 1e-12) return false;
  }
  return true;
}

}  // namespace

ExplicitRows::ExplicitRows(const Dragonfly& network, std::size_t expected, bool weighted)
    : switches_(index(network.num_switches())),
      codes_(network),
      weighted_(weighted),
      offset_(switches_ * switches_ + 1, 0) {
  rows_.reserve(expected);
  if (!weighted) return;
  cumulative_.reserve(expected);
  uniform_.assign(switches_ * switches_, 1);
}

void ExplicitRows::check(const PathRows& rows) const {
  const std::size_t pairs = rows.sources.size();
  const std::size_t count = rows.intermediate.size();
  if (rows.targets.size() != pairs || rows.offset.size() != pairs + 1 ||
      rows.offset.front() != 0 || index(rows.offset.back()) != count ||
      !std::ranges::is_sorted(rows.offset)) {
    throw std::invalid_argument("path rows: offset must rise from 0 to the number of rows");
  }
  if (rows.first_link.size() != count || rows.second_link.size() != count ||
      rows.cumulative.size() != (weighted_ ? count : 0)) {
    throw std::invalid_argument("path rows: arrays must have equal lengths");
  }
}

void ExplicitRows::append(const Dragonfly& network, const PathRows& rows) {
  check(rows);
  for (std::size_t i = 0; i < rows.sources.size(); ++i) append_pair(network, rows, i);
}

void ExplicitRows::finish() { start_pairs_up_to(switches_ * switches_); }

// The next rows belong to pair `last`; the pairs before it that were not added have none.
void ExplicitRows::start_pairs_up_to(std::size_t last) {
  while (next_pair_ <= last) offset_[next_pair_++] = static_cast<std::int64_t>(rows_.size());
}

void ExplicitRows::append_pair(const Dragonfly& network, const PathRows& rows, std::size_t number) {
  const std::int32_t source = rows.sources[number];
  const std::int32_t target = rows.targets[number];
  if (source < 0 || index(source) >= switches_ || target < 0 || index(target) >= switches_ ||
      pair(source, target) < next_pair_) {
    throw std::invalid_argument("path rows: pairs must be ascending switch ids");
  }
  start_pairs_up_to(pair(source, target));
  const auto begin = index(rows.offset[number]);
  const auto end = index(rows.offset[number + 1]);
  for (std::size_t i = begin; i < end; ++i) {
    const Triple path{rows.intermediate[i], rows.first_link[i], rows.second_link[i]};
    rows_.push_back(codes_.encode(network, source, target, path));
  }
  if (!weighted_) return;
  const auto cumulative = rows.cumulative.subspan(begin, end - begin);
  cumulative_.insert(cumulative_.end(), cumulative.begin(), cumulative.end());
  uniform_[pair(source, target)] = is_uniform(cumulative) ? 1 : 0;
}

std::optional<Triple> ExplicitRows::draw(const Dragonfly& network, int source, int target,
                                         Draws& draws) const {
  const std::size_t here = pair(source, target);
  const std::int64_t begin = offset_[here];
  const std::int64_t size = offset_[here + 1] - begin;
  if (size == 0) return std::nullopt;
  const auto decode = [&](std::int64_t row) {
    return codes_.decode(network, source, target, rows_[index(begin + row)]);
  };
  if (!weighted_ || uniform_[here] != 0) {
    return decode(draws.below(static_cast<std::uint32_t>(size)));
  }
  const auto first = cumulative_.begin() + begin;
  return decode(std::upper_bound(first, first + size - 1, draws.uniform()) - first);
}

}  // namespace tvlb::sim
