// When the warm-up is over, judged from the run itself.
#pragma once

#include <cstddef>
#include <span>

#include "statistics.hpp"

namespace tvlb::sim {

/// MSER: how many leading values to drop so that the mean of the others has the smallest standard
/// error (White, Cobb, Spratt, 2000). At least kLeastKept values stay; 0 for fewer.
std::size_t mser_truncation(std::span<const double> values);
inline constexpr std::size_t kLeastKept = 5;

/// Whether a run has left its transient: MSER drops no more than the first half of the series of
/// mean latencies.
bool seems_steady(std::span<const PacketSums> series);

}  // namespace tvlb::sim
