// Link usage of path rows, by pair and hop class.
#pragma once

#include <cstdint>
#include <vector>

#include "rows.hpp"

namespace tvlb {

// Sparse sums of weights: entry e says that class `cls[e]` = pair * num_classes + hops puts `value[e]`
// on `link[e]`; sorted by (class, link).
struct ClassUsage {
    std::vector<std::int64_t> cls;
    std::vector<std::int32_t> link;
    std::vector<double> value;
};

[[nodiscard]] ClassUsage class_usage(const Topology& topology, const RowsView& rows);

// Sum of weights over each link, all pairs together.
[[nodiscard]] std::vector<double> total_usage(const Topology& topology, const RowsView& rows);

}  // namespace tvlb
