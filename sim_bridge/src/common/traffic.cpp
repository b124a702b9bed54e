#include "traffic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>

namespace tvlb::sim {
namespace {

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

bool within(std::span<const std::int32_t> values, int low, int bound) {
  return std::ranges::all_of(values, [=](int v) { return v >= low && v < bound; });
}

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

}  // namespace

Traffic::Traffic(const Network& network, Demand demand) : demand_(std::move(demand)) {
  check(network);
  check_matrix(network);
}

void Traffic::check(const Network& network) const {
  const std::size_t nodes = index(network.num_nodes());
  require(demand_.rate.size() == nodes && demand_.uniform_fraction.size() == nodes &&
              demand_.destination.size() == nodes && demand_.matrix_row.size() == nodes,
          "traffic: arrays must have one entry per node");
  require(within(demand_.destination, -1, network.num_nodes()),
          "traffic: a destination is out of range");
  for (std::size_t node = 0; node < nodes; ++node) {
    const double rate = demand_.rate[node];
    const double uniform = demand_.uniform_fraction[node];
    require(rate >= 0.0 && std::isfinite(rate), "traffic: rates must be >= 0");
    require(uniform >= 0.0 && uniform <= 1.0, "traffic: uniform fractions must lie in 0..1");
    require(rate == 0.0 || uniform == 1.0 || demand_.destination[node] >= 0 ||
                demand_.matrix_row[node] >= 0,
            "traffic: a sending node has no destination");
  }
}

void Traffic::check_matrix(const Network& network) const {
  const int rows = std::max(static_cast<int>(demand_.matrix_offset.size()) - 1, 0);
  require(within(demand_.matrix_row, -1, rows), "traffic: a matrix row is out of range");
  require(demand_.matrix_target.size() == demand_.matrix_cumulative.size(),
          "traffic: matrix arrays must have equal lengths");
  const int targets =
      demand_.matrix_target_is_switch ? network.num_switches() : network.num_nodes();
  require(within(demand_.matrix_target, 0, targets), "traffic: a matrix target is out of range");
  if (rows == 0) return;
  const auto& offset = demand_.matrix_offset;
  require(offset.front() == 0 && index(offset.back()) == demand_.matrix_target.size() &&
              std::ranges::is_sorted(offset),
          "traffic: matrix_offset must rise from 0 to the number of entries");
  for (const int row : demand_.matrix_row) {
    require(row < 0 || offset[index(row)] < offset[index(row) + 1],
            "traffic: a used matrix row is empty");
    // A row of a single node could be that of the sender alone.
    require(row < 0 || !demand_.matrix_to_others || targets_several(network, row),
            "traffic: a matrix row has no other node than one");
  }
  for (const int target : demand_.matrix_target) {
    require(!demand_.matrix_target_is_switch || network.num_terminals(target) > 0,
            "traffic: a target switch has no node");
  }
}

bool Traffic::targets_several(const Network& network, int row) const {
  const std::int64_t first = demand_.matrix_offset[index(row)];
  return demand_.matrix_offset[index(row) + 1] - first > 1 ||
         (demand_.matrix_target_is_switch && network.num_terminals(demand_.matrix_target[index(first)]) > 1);
}

double Traffic::max_rate() const {
  return demand_.rate.empty() ? 0.0 : *std::ranges::max_element(demand_.rate);
}

double Traffic::total_rate() const { return std::accumulate(demand_.rate.begin(), demand_.rate.end(), 0.0); }

int Traffic::draw_from_matrix(const Network& network, int row, Stream& stream) const {
  const auto first = demand_.matrix_cumulative.begin() + demand_.matrix_offset[index(row)];
  const auto last = demand_.matrix_cumulative.begin() + demand_.matrix_offset[index(row) + 1];
  const auto found = std::upper_bound(first, last - 1, stream.uniform());
  const int target = demand_.matrix_target[index(found - demand_.matrix_cumulative.begin())];
  if (!demand_.matrix_target_is_switch) return target;
  const auto nodes = static_cast<std::uint32_t>(network.num_terminals(target));
  return network.first_node(target) + static_cast<int>(stream.below(nodes));
}

int Traffic::draw_destination(const Network& network, int node, Stream& stream) const {
  const double fraction = demand_.uniform_fraction[index(node)];
  if (fraction > 0.0 && (fraction == 1.0 || stream.uniform() < fraction)) {
    if (!demand_.uniform_to_others) {
      return static_cast<int>(stream.below(static_cast<std::uint32_t>(num_nodes())));
    }
    const auto other = static_cast<int>(stream.below(static_cast<std::uint32_t>(num_nodes() - 1)));
    return other + static_cast<int>(other >= node);
  }
  const int row = demand_.matrix_row[index(node)];
  if (row < 0) return demand_.destination[index(node)];
  for (;;) {
    const int drawn = draw_from_matrix(network, row, stream);
    if (drawn != node || !demand_.matrix_to_others) return drawn;
  }
}

GeometricGaps::GeometricGaps(double probability) : probability_(probability) {
  if (probability > 0.0 && probability < 1.0) inverse_log_survival_ = 1.0 / std::log1p(-probability);
  double survival = 1.0;
  for (std::size_t gap = 1; gap < reached_.size(); ++gap) {
    survival *= 1.0 - probability;
    // At most 1 - 2^-53, so the product stays below 2^64.
    reached_[gap] = static_cast<std::uint64_t>(std::min(1.0 - survival, 1.0 - 0x1.0p-53) * 0x1.0p64);
  }
  for (std::size_t bucket = 0; bucket < first_gap_.size(); ++bucket) {
    const std::uint64_t begin = std::uint64_t{bucket} << (64U - kGuideBits);
    const auto first = std::upper_bound(reached_.begin() + 1, reached_.end(), begin);
    first_gap_[bucket] = static_cast<std::uint8_t>(first - reached_.begin());
  }
}

std::int32_t GeometricGaps::draw_long(std::uint64_t drawn) const {
  if (probability_ <= 0.0) return kNever;
  if (probability_ >= 1.0) return 1;
  // 1 - u is exact for multiples u of 2^-53.
  const double uniform = static_cast<double>(drawn >> 11U) * 0x1.0p-53;
  const double failures = std::log(1.0 - uniform) * inverse_log_survival_;
  if (failures >= static_cast<double>(kNever - 1)) return kNever;
  return std::max(kTabled + 1, 1 + static_cast<int>(failures));
}

}  // namespace tvlb::sim
