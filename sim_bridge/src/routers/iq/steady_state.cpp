#include "statistics.hpp"

#include <limits>
#include <vector>

namespace tvlb::sim {
namespace {

constexpr std::size_t kLeastIntervals = 20;

std::vector<double> mean_latencies(std::span<const PacketSums> series) {
  std::vector<double> means;
  means.reserve(series.size());
  for (const PacketSums& interval : series) {
    if (interval.packets == 0) continue;
    means.push_back(static_cast<double>(interval.latency) /
                    static_cast<double>(interval.packets));
  }
  return means;
}

}  // namespace

std::size_t mser_truncation(std::span<const double> values) {
  std::size_t best = 0;
  double smallest = std::numeric_limits<double>::infinity();
  double mean = 0.0;
  double squares = 0.0;  // of the deviations from the mean
  // From the end, so that one pass updates mean and squares (Welford).
  for (std::size_t kept = 1; kept <= values.size(); ++kept) {
    const double value = values[values.size() - kept];
    const double count = static_cast<double>(kept);
    const double delta = value - mean;
    mean += delta / count;
    squares += delta * (value - mean);
    const double error = squares / (count * count);
    if (kept < kLeastKept || error > smallest) continue;
    smallest = error;
    best = values.size() - kept;
  }
  return best;
}

bool seems_steady(std::span<const PacketSums> series) {
  const std::vector<double> means = mean_latencies(series);
  return means.size() >= kLeastIntervals && 2 * mser_truncation(means) <= means.size();
}

}  // namespace tvlb::sim
