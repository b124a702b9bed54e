// Load balancing by draw weights: no path goes, those over busy links are drawn less often.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "usage.hpp"

namespace tvlb {

struct WeightOptions {
    std::int64_t rounds = 30;
    double step = 0.5;          // in a round, exp(-step) is the factor at twice the mean usage
    double floor = 1.0 / 64.0;  // a path keeps at least this share of its weight
};

// Draw weights by row, given a factor for each link: the old ones times the product over the path's
// links, which counts no less than `floor` times the largest product of the pair; scaled to sum to
// 1 per pair. Pairs inside a group and pairs with equal products keep theirs to the last bit.
[[nodiscard]] std::vector<double> reweighted(const Topology& topology, const RowsView& rows,
                                             std::span<const double> factor, double floor);

// The factors by link that even out the usage of the links over all pairs: `rows` must list every
// pair once. Pairs inside a group count towards the usage. If nothing is more even than the start
// they are all 1.
[[nodiscard]] std::vector<double> balance_weights(const Topology& topology, const RowsView& rows,
                                                  const WeightOptions& options);

}  // namespace tvlb
