#include "shape_rule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "order.hpp"

namespace tvlb {

ShapeRule make_shape_rule(std::span<const double> weight, std::span<const int> nearest,
                          int drawn_hops, int percent, std::uint64_t seed) {
    ShapeRule rule;
    rule.drawn_hops = drawn_hops;
    rule.percent = percent;
    rule.seed = seed;
    const auto is_weight = [](double value) { return std::isfinite(value) && value >= 0.0; };
    if (weight.size() != kShapes || !std::all_of(weight.begin(), weight.end(), is_weight)) {
        throw std::invalid_argument("a rule has 16 weights of at least 0");
    }
    std::copy(weight.begin(), weight.end(), rule.weight.begin());
    for (const auto shape : nearest) {
        if (shape < 0 || shape >= static_cast<int>(kShapes)) {
            throw std::invalid_argument("no such shape");
        }
        rule.nearest.push_back(static_cast<std::uint8_t>(shape));
    }
    const bool whole = percent == 0 && drawn_hops == 0;
    const bool drawn = percent >= 1 && percent <= 99 && drawn_hops >= 2 && drawn_hops <= kMaxPathLinks;
    if (!whole && !drawn) throw std::invalid_argument("a drawn length has 1 to 99 percent");
    bool weighs = whole;
    for (std::size_t shape = 0; shape < kShapes; ++shape) {
        weighs = weighs || (rule.is_drawn(shape) && rule.weight[shape] > 0.0);
    }
    if (!weighs) throw std::invalid_argument("no path of the drawn length weighs anything");
    return rule;
}

bool ShapeRule::is_compact() const {
    double least = std::numeric_limits<double>::infinity();
    double most = 0.0;
    for (std::size_t shape = 0; shape < kShapes; ++shape) {
        if (!is_drawn(shape)) continue;
        least = std::min(least, weight[shape]);
        most = std::max(most, weight[shape]);
    }
    return least >= most;
}

PairWeights pair_weights(const ShapeRule& rule, const ByShape<std::int64_t>& count) {
    PairWeights out;
    out.weight = rule.weight;
    out.count = count;
    std::int64_t longer = 0;
    for (std::size_t shape = 0; shape < kShapes; ++shape) {
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
    if (nearest == kShapes) return out;
    PairWeights only;
    only.count = count;
    only.total = static_cast<double>(count[nearest]);
    only.is_nearest = true;
    only.weight[nearest] = 1.0;
    return only;
}

}  // namespace tvlb
