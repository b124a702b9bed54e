// Link usage of path rows, by pair and hop class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "wiring.hpp"

namespace tvlb {

// A read-only view of path rows (see PathRows) with the ends of their pairs.
struct RowsView {
    std::span<const std::int32_t> source;  // by pair
    std::span<const std::int32_t> target;  // by pair
    std::span<const std::int64_t> offset;  // pairs + 1
    std::span<const std::int32_t> intermediate;
    std::span<const std::int32_t> first_link;
    std::span<const std::int32_t> second_link;
    std::span<const std::int8_t> hops;
    std::span<const double> weight;

    [[nodiscard]] std::size_t pairs() const { return source.size(); }
    [[nodiscard]] std::size_t begin(std::size_t pair) const {
        return static_cast<std::size_t>(offset[pair]);
    }
    [[nodiscard]] std::size_t end(std::size_t pair) const {
        return static_cast<std::size_t>(offset[pair + 1]);
    }
    [[nodiscard]] Path path(std::size_t pair, std::size_t row) const {
        return {source[pair], target[pair], intermediate[row], first_link[row], second_link[row]};
    }
};

// Sparse sums of weights: entry e says that class `cls[e]` = pair * kClasses + hops puts `value[e]`
// on `link[e]`; sorted by (class, link).
struct ClassUsage {
    std::vector<std::int64_t> cls;
    std::vector<std::int32_t> link;
    std::vector<double> value;
};

[[nodiscard]] ClassUsage class_usage(const Wiring& wiring, const RowsView& rows);

// Sum of weights over each link, all pairs together.
[[nodiscard]] std::vector<double> total_usage(const Wiring& wiring, const RowsView& rows);

}  // namespace tvlb
