// Rules that give every VLB path a weight by its shape, or by the lengths of its halves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "order.hpp"
#include "topology.hpp"

namespace tvlb {

// The shape of a VLB path is the halves that it is made of: first code * number of halves + second.
[[nodiscard]] inline std::size_t num_shapes(const Topology& topology) {
    return topology.halves().size() * topology.halves().size();
}

// Every path weighs as its shape says; 0 leaves it out. Of all paths with `drawn_hops` hops, whatever
// they weigh, only `percent` can belong to the set, the first of each pair in the keyed order of
// `seed`. A pair without any path takes all paths of the first shape of `nearest` that it has, if it
// has one.
struct ShapeRule {
    std::vector<double> weight;   // by shape
    std::vector<std::int8_t> hops;  // by shape
    std::vector<std::uint16_t> nearest;
    int drawn_hops = 0;  // 0: every length is whole
    int percent = 0;
    std::uint64_t seed = 0;

    [[nodiscard]] std::size_t shapes() const { return weight.size(); }
    [[nodiscard]] bool is_drawn(std::size_t shape) const { return hops[shape] == drawn_hops; }
    // Whether all paths that are drawn from weigh the same, so that none has to be listed to know
    // what the paths of a pair weigh together.
    [[nodiscard]] bool is_compact() const;
    // The rule of all paths of one shape.
    [[nodiscard]] ShapeRule only(std::size_t shape) const;
};

// Throws std::invalid_argument where a value is out of range.
[[nodiscard]] ShapeRule make_shape_rule(std::vector<double> weight, std::vector<std::int8_t> hops,
                                        std::span<const int> nearest, int drawn_hops, int percent,
                                        std::uint64_t seed);

// Throws std::invalid_argument where a rule is of other shapes than a network has.
void check_rule(const ShapeRule& rule, const Topology& topology);

// Shortest halves: the intermediate uniform among those within the limits, each half uniform
// among the shortest MIN paths.
struct ShortRule {
    int max_first;
    int max_second;
    int max_total;

    [[nodiscard]] bool allows(int first, int second) const {
        return first <= max_first && second <= max_second && first + second <= max_total;
    }
};

// Every path alike, and none: what is drawn from without looking at shapes.
struct AllRule {};
struct EmptyRule {};

// The first shape of `nearest` that has a path; `count.size()` if none has.
template <class Counts>
[[nodiscard]] std::size_t nearest_shape(std::span<const std::uint16_t> nearest, const Counts& count) {
    for (const std::size_t shape : nearest) {
        if (count[shape] > 0) return shape;
    }
    return count.size();
}

// The weights that count for one pair, and their sum over its paths.
template <class Weights, class Counts>
struct PairWeights {
    Weights weight;
    Counts count;
    std::int64_t kept = 0;  // paths of `drawn_hops` hops that belong to the set
    double kept_weight = 0.0;
    double total = 0.0;
    bool is_nearest = false;
};

// For a compact rule; `zeros` are weights of 0.
template <class Weights, class Counts>
[[nodiscard]] PairWeights<Weights, Counts> pair_weights(const ShapeRule& rule, const Counts& count,
                                                        const Weights& zeros) {
    PairWeights<Weights, Counts> out{zeros, count};
    std::int64_t longer = 0;
    for (std::size_t shape = 0; shape < count.size(); ++shape) {
        out.weight[shape] = rule.weight[shape];
        if (rule.is_drawn(shape)) {
            longer += count[shape];
            out.kept_weight = rule.weight[shape];
        } else {
            out.total += rule.weight[shape] * static_cast<double>(count[shape]);
        }
    }
    out.kept = drawn_count(longer, rule.percent);
    out.total += out.kept_weight * static_cast<double>(out.kept);
    if (out.total > 0.0) return out;
    const auto nearest = nearest_shape(rule.nearest, count);
    if (nearest == count.size()) return out;
    PairWeights<Weights, Counts> only{zeros, count};
    only.total = static_cast<double>(count[nearest]);
    only.is_nearest = true;
    only.weight[nearest] = 1.0;
    return only;
}

}  // namespace tvlb
