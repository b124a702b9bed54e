// Regret matching plus (Tammelin et al., IJCAI'15) on the game of the throughput model.
#pragma once

#include <cstdint>
#include <vector>

#include "game.hpp"

namespace tvlb {

struct RegretOptions {
    double gap = 1e-3;  // (theta_up - theta_low) / theta_up at which to stop
    std::int64_t max_iterations = 0;
};

// Bounds are for shares rounded to single precision, 6e-8 relative.
struct RegretOutcome {
    std::vector<double> minimal;  // flits/cycle shipped on each class at theta_low
    std::vector<double> detour;
    std::vector<double> price;  // by link; proves theta_up
    double theta_low = 0.0;
    double theta_up = 0.0;
    std::int64_t iterations = 0;
};

// Stops at the gap or the iteration limit, never by the clock: equal input gives equal output.
[[nodiscard]] RegretOutcome solve_by_regret(const GameView& view, const RegretOptions& options);

}  // namespace tvlb
