#include "path_rows.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <tuple>

#include "keyed_paths.hpp"
#include "short_halves.hpp"

namespace tvlb {
namespace {

struct Candidate {
    std::int32_t intermediate;
    std::int32_t first;
    std::int32_t second;
    std::uint8_t shape;
    std::uint64_t key;
};

[[nodiscard]] auto triple(const Candidate& c) {
    return std::tie(c.intermediate, c.first, c.second);
}

void add_local_detours(const Dragonfly& w, std::int32_t s, std::int32_t d, PathRows& rows) {
    const auto start = w.group(s) * w.group_size();
    const int count = w.group_size() - 2;
    for (auto via = start; via < start + w.group_size(); ++via) {
        if (via != s && via != d) rows.add(via, kAbsent, kAbsent, 2, 1.0 / count);
    }
}

// Drops all but the first `percent` of the candidates of the drawn length in keyed order; the others
// stay where they are.
void cut_drawn_class(std::vector<Candidate>& chosen, const ShapeRule& rule) {
    const auto is_drawn = [&](const Candidate& c) { return rule.is_drawn(c.shape); };
    const auto by_key = [](const Candidate& x, const Candidate& y) {
        return x.key != y.key ? x.key < y.key : triple(x) < triple(y);
    };
    std::vector<Candidate> drawn;
    std::copy_if(chosen.begin(), chosen.end(), std::back_inserter(drawn), is_drawn);
    const auto keep = drawn_count(static_cast<std::int64_t>(drawn.size()), rule.percent);
    if (keep == static_cast<std::int64_t>(drawn.size())) return;
    const auto first_dropped = drawn.begin() + keep;
    std::nth_element(drawn.begin(), first_dropped, drawn.end(), by_key);
    std::erase_if(chosen, [&](const Candidate& c) {
        return is_drawn(c) && !by_key(c, *first_dropped);
    });
}

[[nodiscard]] std::vector<Candidate> list_shapes(const Dragonfly& w, const ShapeRule& rule,
                                                 std::int32_t s, std::int32_t d) {
    std::vector<Candidate> chosen;
    const auto key = pair_key(rule.seed, s, d);
    ByShape<bool> drawn{};
    ByShape<bool> listed{};
    for (std::size_t shape = 0; shape < kShapes; ++shape) {
        drawn[shape] = rule.is_drawn(shape);
        listed[shape] = drawn[shape] || rule.weight[shape] > 0.0;
    }
    for_each_triple(w, s, d, [&](auto via, auto first, auto second, std::size_t shape) {
        if (!listed[shape]) return;
        const auto order = drawn[shape] ? path_key(key, via, first, second) : 0;
        chosen.push_back({via, first, second, static_cast<std::uint8_t>(shape), order});
    });
    if (rule.drawn_hops > 0) cut_drawn_class(chosen, rule);
    if (!rule.is_compact()) {
        std::erase_if(chosen, [&](const Candidate& c) { return rule.weight[c.shape] == 0.0; });
    }
    return chosen;
}

[[nodiscard]] ShapeRule only_shape(std::size_t shape) {
    ShapeRule rule;
    rule.weight[shape] = 1.0;
    return rule;
}

// Weights by shape such that those of the chosen paths sum to 1.
[[nodiscard]] ByShape<double> scaled(ByShape<double> weight, const std::vector<Candidate>& chosen) {
    ByShape<std::int64_t> count{};
    for (const auto& c : chosen) ++count[c.shape];
    double total = 0.0;
    for (std::size_t shape = 0; shape < kShapes; ++shape) {
        total += weight[shape] * static_cast<double>(count[shape]);
    }
    for (auto& of_shape : weight) of_shape /= total;
    return weight;
}

void add_shapes(const Dragonfly& w, const ShapeRule& rule, std::int32_t s, std::int32_t d,
                PathRows& rows) {
    const auto chosen = list_shapes(w, rule, s, d);
    if (chosen.empty()) {
        if (rule.nearest.empty()) return;
        const auto nearest = nearest_shape(rule.nearest, count_shapes(w, s, d));
        if (nearest != kShapes) add_shapes(w, only_shape(nearest), s, d, rows);
        return;
    }
    const auto weight = scaled(rule.weight, chosen);
    for (const auto& c : chosen) {
        rows.add(c.intermediate, c.first, c.second, shape_hops(c.shape), weight[c.shape]);
    }
}

void add_short(const Dragonfly& w, const ShortRule& rule, std::int32_t s, std::int32_t d,
               PathRows& rows) {
    const auto vias = short_intermediates(w, rule, s, d);
    for (const auto& [via, first, second] : vias) {
        const double weight =
            1.0 / (static_cast<double>(vias.size()) * first.count * second.count);
        for (const auto out : w.global_links(w.group(s), w.group(via))) {
            if (w.min_hops(s, out, via) != first.hops) continue;
            for (const auto in : w.global_links(w.group(via), w.group(d))) {
                if (w.min_hops(via, in, d) != second.hops) continue;
                rows.add(via, out, in, first.hops + second.hops, weight);
            }
        }
    }
}

template <class AddPair>
PathRows enumerate_pairs(const Dragonfly& w, Switches sources, Switches targets, AddPair add_pair) {
    PathRows rows;
    rows.offset.reserve(sources.size() + 1);
    for (std::size_t pair = 0; pair < sources.size(); ++pair) {
        const auto s = sources[pair];
        const auto d = targets[pair];
        if (s != d) {
            if (w.group(s) == w.group(d)) {
                add_local_detours(w, s, d, rows);
            } else {
                add_pair(s, d, rows);
            }
        }
        rows.offset.push_back(static_cast<std::int64_t>(rows.hops.size()));
    }
    return rows;
}

// Returns the draw weight of a path whose rule weight is 1.
double profile_pair(const Dragonfly& w, const ShapeRule& rule, std::int32_t s, std::int32_t d,
                    std::span<std::int64_t> count, std::span<double> weight) {
    const auto found = pair_weights(rule, count_shapes(w, s, d));
    if (found.total == 0.0) return 0.0;
    const auto add = [&](std::size_t hops, std::int64_t paths, double each) {
        count[hops] += paths;
        weight[hops] += each * static_cast<double>(paths);
    };
    for (std::size_t shape = 0; shape < kShapes; ++shape) {
        const bool drawn = rule.is_drawn(shape) && !found.is_nearest;
        if (found.weight[shape] == 0.0 || drawn) continue;
        add(static_cast<std::size_t>(shape_hops(shape)), found.count[shape], found.weight[shape]);
    }
    add(static_cast<std::size_t>(rule.drawn_hops), found.kept, found.kept_weight);
    for (auto& of_length : weight) of_length /= found.total;
    return 1.0 / found.total;
}

double profile_pair(const Dragonfly& w, const ShortRule& rule, std::int32_t s, std::int32_t d,
                    std::span<std::int64_t> count, std::span<double> weight) {
    const auto vias = short_intermediates(w, rule, s, d);
    for (const auto& [via, first, second] : vias) {
        const auto hops = static_cast<std::size_t>(first.hops + second.hops);
        count[hops] += static_cast<std::int64_t>(first.count) * second.count;
        weight[hops] += 1.0 / static_cast<double>(vias.size());
    }
    return 1.0;
}

template <class Rule>
ClassProfile profile_pairs(const Dragonfly& w, const Rule& rule, Switches sources, Switches targets) {
    ClassProfile out;
    out.count.resize(sources.size() * kClasses);
    out.weight.resize(sources.size() * kClasses);
    out.unit.resize(sources.size());
    for (std::size_t pair = 0; pair < sources.size(); ++pair) {
        const auto s = sources[pair];
        const auto d = targets[pair];
        const auto count = std::span(out.count).subspan(pair * kClasses, kClasses);
        const auto weight = std::span(out.weight).subspan(pair * kClasses, kClasses);
        if (s == d) continue;
        if (w.group(s) != w.group(d)) {
            out.unit[pair] = profile_pair(w, rule, s, d, count, weight);
        } else if (w.group_size() > 2) {
            count[2] = w.group_size() - 2;
            weight[2] = 1.0;
            out.unit[pair] = 1.0 / static_cast<double>(count[2]);
        }
    }
    return out;
}

}  // namespace

std::vector<std::int64_t> pair_compositions(const Dragonfly& dragonfly, Switches sources,
                                            Switches targets) {
    constexpr std::size_t kCells = 9;
    const auto cell = [](std::size_t m, std::size_t n) { return 3 * (m - 1) + (n - 1); };
    const ShortestHops hops(dragonfly);
    std::vector<std::int64_t> out(sources.size() * 2 * kCells, 0);
    for (std::size_t pair = 0; pair < sources.size(); ++pair) {
        const auto s = sources[pair];
        const auto d = targets[pair];
        if (dragonfly.group(s) == dragonfly.group(d)) continue;
        const auto counts = std::span(out).subspan(pair * 2 * kCells, 2 * kCells);
        const auto by_shape = count_shapes(dragonfly, s, d);
        for (std::size_t shape = 0; shape < kShapes; ++shape) {
            const auto first = static_cast<std::size_t>(first_half_hops(shape));
            const auto second = static_cast<std::size_t>(shape_hops(shape)) - first;
            counts[cell(first, second)] += by_shape[shape];
        }
        for (std::int32_t via = 0; via < dragonfly.num_switches(); ++via) {
            if (dragonfly.group(via) == dragonfly.group(s) || dragonfly.group(via) == dragonfly.group(d)) continue;
            const auto first = hops.of(s, via);
            const auto second = hops.of(via, d);
            if (first <= 3 && second <= 3) ++counts[kCells + cell(first, second)];
        }
    }
    return out;
}

std::uint8_t shape_of(const Dragonfly& w, const Path& path) {
    if (w.group(path.source) == w.group(path.target)) return static_cast<std::uint8_t>(kShapes);
    return static_cast<std::uint8_t>(
        first_half_bits(w, path.source, path.first_link, path.intermediate) |
        second_half_bits(w, path.intermediate, path.second_link, path.target));
}

std::vector<std::uint8_t> takes_nearest(const Dragonfly& dragonfly, const ShapeRule& rule,
                                        Switches sources, Switches targets) {
    std::vector<std::uint8_t> out(sources.size(), 0);
    for (std::size_t pair = 0; pair < sources.size(); ++pair) {
        const auto s = sources[pair];
        const auto d = targets[pair];
        if (dragonfly.group(s) == dragonfly.group(d)) continue;
        const auto count = count_shapes(dragonfly, s, d);
        const bool lacks = rule.is_compact() ? pair_weights(rule, count).is_nearest
                                             : list_shapes(dragonfly, rule, s, d).empty();
        out[pair] = lacks && nearest_shape(rule.nearest, count) != kShapes ? 1 : 0;
    }
    return out;
}

PathRows enumerate(const Dragonfly& dragonfly, const ShapeRule& rule, Switches sources,
                   Switches targets) {
    return enumerate_pairs(dragonfly, sources, targets, [&](auto s, auto d, PathRows& rows) {
        add_shapes(dragonfly, rule, s, d, rows);
    });
}

PathRows enumerate(const Dragonfly& dragonfly, const ShortRule& rule, Switches sources,
                   Switches targets) {
    return enumerate_pairs(dragonfly, sources, targets, [&](auto s, auto d, PathRows& rows) {
        add_short(dragonfly, rule, s, d, rows);
    });
}

PathRows enumerate_min(const Dragonfly& dragonfly, Switches sources, Switches targets) {
    PathRows rows;
    for (std::size_t pair = 0; pair < sources.size(); ++pair) {
        const auto s = sources[pair];
        const auto d = targets[pair];
        if (s != d && dragonfly.group(s) == dragonfly.group(d)) {
            rows.add(kAbsent, kAbsent, kAbsent, 1, 1.0);
        } else if (s != d) {
            const auto links = dragonfly.global_links(dragonfly.group(s), dragonfly.group(d));
            for (const auto link : links) {
                rows.add(kAbsent, link, kAbsent, dragonfly.min_hops(s, link, d),
                         1.0 / static_cast<double>(links.size()));
            }
        }
        rows.offset.push_back(static_cast<std::int64_t>(rows.hops.size()));
    }
    return rows;
}

ClassProfile profile(const Dragonfly& dragonfly, const ShapeRule& rule, Switches sources,
                     Switches targets) {
    if (!rule.is_compact()) throw std::invalid_argument("only listed paths tell the weights of a pair");
    return profile_pairs(dragonfly, rule, sources, targets);
}

ClassProfile profile(const Dragonfly& dragonfly, const ShortRule& rule, Switches sources,
                     Switches targets) {
    return profile_pairs(dragonfly, rule, sources, targets);
}

}  // namespace tvlb
