#include "shape_rule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace tvlb {

ShapeRule make_shape_rule(std::vector<double> weight, std::vector<std::int8_t> hops,
                          std::span<const int> nearest, int drawn_hops, int percent,
                          std::uint64_t seed) {
    ShapeRule rule{std::move(weight), std::move(hops), {}, drawn_hops, percent, seed};
    const auto is_weight = [](double value) { return std::isfinite(value) && value >= 0.0; };
    if (rule.hops.size() != rule.shapes() || !std::ranges::all_of(rule.weight, is_weight)) {
        throw std::invalid_argument("every shape has a weight of at least 0 and its hops");
    }
    for (const auto shape : nearest) {
        if (shape < 0 || static_cast<std::size_t>(shape) >= rule.shapes()) {
            throw std::invalid_argument("no such shape");
        }
        rule.nearest.push_back(static_cast<std::uint16_t>(shape));
    }
    const bool whole = percent == 0 && drawn_hops == 0;
    const bool drawn = percent >= 1 && percent <= 99 && drawn_hops >= 2;
    if (!whole && !drawn) throw std::invalid_argument("a drawn length has 1 to 99 percent");
    bool weighs = whole;
    for (std::size_t shape = 0; shape < rule.shapes(); ++shape) {
        weighs = weighs || (rule.is_drawn(shape) && rule.weight[shape] > 0.0);
    }
    if (!weighs) throw std::invalid_argument("no path of the drawn length weighs anything");
    return rule;
}

bool ShapeRule::is_compact() const {
    double least = std::numeric_limits<double>::infinity();
    double most = 0.0;
    for (std::size_t shape = 0; shape < shapes(); ++shape) {
        if (!is_drawn(shape)) continue;
        least = std::min(least, weight[shape]);
        most = std::max(most, weight[shape]);
    }
    return least >= most;
}

ShapeRule ShapeRule::only(std::size_t shape) const {
    ShapeRule rule;
    rule.weight.assign(shapes(), 0.0);
    rule.hops = hops;
    rule.weight[shape] = 1.0;
    return rule;
}

void check_rule(const ShapeRule& rule, const Topology& topology) {
    if (rule.shapes() != num_shapes(topology)) {
        throw std::invalid_argument("the rule is of other shapes than the network has");
    }
}

}  // namespace tvlb
