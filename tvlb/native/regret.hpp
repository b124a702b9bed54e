// Regret matching plus (Tammelin et al., IJCAI'15) on the game of the throughput model.
#pragma once

#include <cstdint>
#include <vector>

#include "game.hpp"

namespace tvlb {

struct RegretOptions {
    double gap = 1e-3;  // (theta_up - theta_low) / theta_up at which to stop
    std::int64_t max_iterations = 0;  // of this run
};

// Where a run ended, to go on from there with more links listed: the vertices stay the same, and to
// a link that was not listed it is as if its load had never been worth a price.
struct RegretState {
    std::vector<double> mix;  // by vertex
    std::vector<double> mix_average;
    std::vector<double> mix_regret;
    std::vector<float> price;  // by link
    std::vector<float> price_average;
    std::vector<float> price_regret;
    double average_weight = 0.0;
    std::int64_t iterations = 0;
};

// Bounds are for shares rounded to single precision, 6e-8 relative.
struct RegretOutcome {
    std::vector<double> minimal;  // flits/cycle shipped on each class at theta_low
    std::vector<double> detour;
    std::vector<double> price;  // by link; proves theta_up
    double theta_low = 0.0;
    double theta_up = 0.0;
    RegretState state;
};

// Stops at the gap or the iteration limit, never by the clock: equal input gives equal output.
// `resumed` is the state of a run on the same flows and classes with fewer links listed, or null.
[[nodiscard]] RegretOutcome solve_by_regret(const GameView& view, const RegretOptions& options,
                                            const RegretState* resumed);

}  // namespace tvlb
