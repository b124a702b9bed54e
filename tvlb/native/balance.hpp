// Load balancing by removing paths (Rahman et al., SC'19, section 3.3.3).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "usage.hpp"

namespace tvlb {

struct BalanceOptions {
    double local_threshold = 2.0;   // per pair: overloaded above this multiple of the mean
    double global_threshold = 1.2;  // over all pairs
    std::int64_t floor_paths = 4;   // a pair keeps at least max(floor_paths, ceil(share * n))
    double floor_share = 0.5;
    std::uint64_t seed = 0;
};

struct BalanceOutcome {
    std::vector<std::uint8_t> keep;          // by row
    std::vector<std::uint8_t> pair_stopped;  // by pair: still overloaded when no removal was left
    std::int64_t removed_locally = 0;
    std::int64_t removed_globally = 0;
};

// Largest over mean usage per pair and kind of link, [pair * 2 + kind], over the links that some but
// not all of the pair's paths take; 0 where there is no such link.
[[nodiscard]] std::vector<double> pair_imbalance(const Topology& topology, const RowsView& rows);

// Balances each inter-group pair of `rows` on its own, whichever pairs these are; the outcome has
// no global removals.
[[nodiscard]] BalanceOutcome balance_pairs(const Topology& topology, const RowsView& rows,
                                           const BalanceOptions& options);

// `balance_pairs`, then all pairs together: `rows` must list every pair once. Pairs inside a group
// count towards the usage and stay as they are.
[[nodiscard]] BalanceOutcome balance(const Topology& topology, const RowsView& rows,
                                     const BalanceOptions& options);

}  // namespace tvlb
