// The throughput model as a matrix game, solved by regret matching plus (Tammelin, 2014) with
// expected prices (Farina, Kroer, Sandholm, 2021): every flow mixes over its vertices, an opponent
// spreads a price over the links, and the averages weighted by iteration^3 approach the optimum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tvlb {

// Path classes of one kind; the arrays of tvlb.model.PathClasses.
struct ClassesView {
    std::span<const std::int64_t> flow;
    std::span<const double> weight;
    std::span<const std::int64_t> offset;
    std::span<const std::int32_t> link;
    std::span<const double> share;
};

struct GameOptions {
    bool cumulate;         // VLB vertices are "uniform over all classes up to this one"
    double gap;            // relative; iterations end when the bounds are this close
    double theta_cap;      // limits both bounds
    std::int64_t max_iterations;
};

struct GameSolution {
    std::vector<double> minimal;  // per MIN class: share of its flow
    std::vector<double> detour;   // per VLB class
    std::vector<double> price;    // per link, sums to 1
    double theta_low = 0.0;
    double theta_up = 0.0;
    std::int64_t iterations = 0;
};

// `rate` is the demand of each flow at theta = 1; `price` a first guess with a positive sum.
GameSolution solve_game(std::span<const double> rate, const ClassesView& minimal,
                        const ClassesView& detour, std::span<const double> price,
                        const GameOptions& options);

}  // namespace tvlb
