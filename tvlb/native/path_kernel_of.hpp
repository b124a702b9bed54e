// The enumeration of path sets over what a family tells of its paths, pair by pair.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "interrupt.hpp"
#include "path_kernel.hpp"

namespace tvlb {

struct ShortVia {
    std::int32_t intermediate;
    Shortest first;
    Shortest second;
};

// A `Paths` is made of its network and has, besides what is used below, values by shape:
// `zeros<Value>()`. Visits are in row order.
template <class Paths>
class PathKernelOf : public PathKernel {
public:
    template <class Network>
    explicit PathKernelOf(const Network& network)
        : PathKernel(network), topology_(network), paths_(network), classes_(network.num_classes()) {}

    [[nodiscard]] PathRows enumerate(const ShapeRule& rule, Switches sources,
                                     Switches targets) const override {
        check_rule(rule, topology_);
        return enumerate_pairs(sources, targets,
                               [&](auto s, auto d, PathRows& rows) { add_shapes(rule, s, d, rows); });
    }

    [[nodiscard]] PathRows enumerate(const ShortRule& rule, Switches sources,
                                     Switches targets) const override {
        return enumerate_pairs(sources, targets,
                               [&](auto s, auto d, PathRows& rows) { add_short(rule, s, d, rows); });
    }

    [[nodiscard]] PathRows enumerate_min(Switches sources, Switches targets) const override {
        PathRows rows;
        for (std::size_t pair = 0; pair < sources.size(); ++pair) {
            check_interrupt();
            const auto s = sources[pair];
            const auto d = targets[pair];
            const auto count = topology_.min_paths(s, d);
            for (std::int32_t position = 0; position < count; ++position) {
                check_interrupt();
                const auto name = topology_.min_name(s, d, position);
                rows.add(kAbsent, name, kAbsent, paths_.min_hops(s, name, d), 1.0 / count);
            }
            rows.offset.push_back(static_cast<std::int64_t>(rows.hops.size()));
        }
        return rows;
    }

    [[nodiscard]] MinUsage min_usage(Switches sources, Switches targets) const override {
        const auto rows = enumerate_min(sources, targets);
        const RowsView view{sources,         targets,          rows.offset, rows.intermediate,
                            rows.first_link, rows.second_link, rows.hops,   rows.weight};
        MinUsage out{{}, class_usage(topology_, view)};
        out.profile.count.resize(sources.size() * classes_);
        out.profile.weight.resize(sources.size() * classes_);
        for (std::size_t pair = 0; pair < sources.size(); ++pair) {
            check_interrupt();
            for (auto row = view.begin(pair); row < view.end(pair); ++row) {
                const auto cell = pair * classes_ + static_cast<std::size_t>(rows.hops[row]);
                ++out.profile.count[cell];
                out.profile.weight[cell] += rows.weight[row];
            }
        }
        return out;
    }

    [[nodiscard]] ClassProfile profile(const ShapeRule& rule, Switches sources,
                                       Switches targets) const override {
        check_rule(rule, topology_);
        if (!rule.is_compact()) {
            throw std::invalid_argument("only listed paths tell the weights of a pair");
        }
        return profile_pairs(rule, sources, targets);
    }

    [[nodiscard]] ClassProfile profile(const ShortRule& rule, Switches sources,
                                       Switches targets) const override {
        return profile_pairs(rule, sources, targets);
    }

    [[nodiscard]] std::vector<std::uint8_t> takes_nearest(const ShapeRule& rule, Switches sources,
                                                          Switches targets) const override {
        check_rule(rule, topology_);
        std::vector<std::uint8_t> out(sources.size(), 0);
        for (std::size_t pair = 0; pair < sources.size(); ++pair) {
            check_interrupt();
            const auto s = sources[pair];
            const auto d = targets[pair];
            if (!has_choice(s, d)) continue;
            const auto count = paths_.count_shapes(s, d);
            const bool lacks = rule.is_compact() ? weights_of(rule, count).is_nearest
                                                 : list_shapes(rule, s, d).empty();
            out[pair] = lacks && nearest_shape(rule.nearest, count) != count.size() ? 1 : 0;
        }
        return out;
    }

    [[nodiscard]] std::vector<std::uint16_t> shapes(const RowsView& rows) const override {
        const auto none = static_cast<std::uint16_t>(num_shapes(topology_));
        std::vector<std::uint16_t> out(rows.hops.size(), none);
        for (std::size_t pair = 0; pair < rows.pairs(); ++pair) {
            if (!has_choice(rows.source[pair], rows.target[pair])) continue;
            for (auto row = rows.begin(pair); row < rows.end(pair); ++row) {
                const auto path = rows.path(pair, row);
                if (path.intermediate == kAbsent) continue;
                out[row] = static_cast<std::uint16_t>(paths_.shape_of(path));
            }
        }
        return out;
    }

    [[nodiscard]] std::vector<std::int64_t> count_shapes(Switches sources,
                                                         Switches targets) const override {
        const auto shapes = num_shapes(topology_);
        std::vector<std::int64_t> out(sources.size() * shapes, 0);
        for (std::size_t pair = 0; pair < sources.size(); ++pair) {
            check_interrupt();
            if (!has_choice(sources[pair], targets[pair])) continue;
            const auto count = paths_.count_shapes(sources[pair], targets[pair]);
            std::ranges::copy(count, out.begin() + static_cast<std::ptrdiff_t>(pair * shapes));
        }
        return out;
    }

    [[nodiscard]] std::vector<std::int64_t> compositions(Switches sources,
                                                         Switches targets) const override {
        const auto most = static_cast<std::size_t>(topology_.half_links());
        const auto cells = most * most;
        std::vector<std::int64_t> out(sources.size() * 2 * cells, 0);
        for (std::size_t pair = 0; pair < sources.size(); ++pair) {
            check_interrupt();
            if (!has_choice(sources[pair], targets[pair])) continue;
            compose(sources[pair], targets[pair], most,
                    std::span(out).subspan(pair * 2 * cells, 2 * cells));
        }
        return out;
    }

private:
    struct Listed {
        std::int32_t intermediate;
        std::int32_t first;
        std::int32_t second;
        std::uint16_t shape;
        std::uint64_t key;
    };

    [[nodiscard]] bool has_choice(std::int32_t s, std::int32_t d) const {
        return s != d && topology_.has_choice(s, d);
    }

    [[nodiscard]] auto weights_of(const ShapeRule& rule, const auto& count) const {
        return pair_weights(rule, count, paths_.template zeros<double>());
    }

    static bool earlier(const Listed& x, const Listed& y) {
        return std::tie(x.key, x.intermediate, x.first, x.second) <
               std::tie(y.key, y.intermediate, y.first, y.second);
    }

    // Drops all but the first `percent` of the paths of the drawn length in keyed order; the others
    // stay where they are.
    static void cut_drawn_class(std::vector<Listed>& chosen, const ShapeRule& rule) {
        const auto is_drawn = [&](const Listed& path) { return rule.is_drawn(path.shape); };
        std::vector<Listed> drawn;
        std::copy_if(chosen.begin(), chosen.end(), std::back_inserter(drawn), is_drawn);
        const auto keep = drawn_count(static_cast<std::int64_t>(drawn.size()), rule.percent);
        if (keep == static_cast<std::int64_t>(drawn.size())) return;
        const auto first_dropped = drawn.begin() + keep;
        std::nth_element(drawn.begin(), first_dropped, drawn.end(), earlier);
        std::erase_if(chosen, [&](const Listed& path) {
            return is_drawn(path) && !earlier(path, *first_dropped);
        });
    }

    [[nodiscard]] std::vector<Listed> list_shapes(const ShapeRule& rule, std::int32_t s,
                                                  std::int32_t d) const {
        std::vector<Listed> chosen;
        const auto key = pair_key(rule.seed, s, d);
        auto drawn = paths_.template zeros<bool>();
        auto listed = drawn;
        for (std::size_t shape = 0; shape < drawn.size(); ++shape) {
            drawn[shape] = rule.is_drawn(shape);
            listed[shape] = drawn[shape] || rule.weight[shape] > 0.0;
        }
        paths_.for_each_triple(s, d, [&](auto via, auto first, auto second, std::size_t shape) {
            if (!listed[shape]) return;
            const auto order = drawn[shape] ? path_key(key, via, first, second) : 0;
            chosen.push_back({via, first, second, static_cast<std::uint16_t>(shape), order});
        });
        if (rule.drawn_hops > 0) cut_drawn_class(chosen, rule);
        if (!rule.is_compact()) {
            std::erase_if(chosen, [&](const Listed& path) { return rule.weight[path.shape] == 0.0; });
        }
        return chosen;
    }

    // Weights by shape such that those of the chosen paths sum to 1.
    [[nodiscard]] auto scaled(const ShapeRule& rule, const std::vector<Listed>& chosen) const {
        auto count = paths_.template zeros<std::int64_t>();
        auto weight = paths_.template zeros<double>();
        for (const auto& path : chosen) ++count[path.shape];
        double total = 0.0;
        for (std::size_t shape = 0; shape < count.size(); ++shape) {
            total += rule.weight[shape] * static_cast<double>(count[shape]);
        }
        for (std::size_t shape = 0; shape < count.size(); ++shape) {
            weight[shape] = rule.weight[shape] / total;
        }
        return weight;
    }

    void add_shapes(const ShapeRule& rule, std::int32_t s, std::int32_t d, PathRows& rows) const {
        const auto chosen = list_shapes(rule, s, d);
        if (chosen.empty()) {
            if (rule.nearest.empty()) return;
            const auto count = paths_.count_shapes(s, d);
            const auto nearest = nearest_shape(rule.nearest, count);
            if (nearest != count.size()) add_shapes(rule.only(nearest), s, d, rows);
            return;
        }
        const auto weight = scaled(rule, chosen);
        for (const auto& path : chosen) {
            rows.add(path.intermediate, path.first, path.second, rule.hops[path.shape],
                     weight[path.shape]);
        }
    }

    void add_short(const ShortRule& rule, std::int32_t s, std::int32_t d, PathRows& rows) const {
        const auto vias = paths_.short_vias(rule, s, d);
        for (const auto& [via, first, second] : vias) {
            const double weight =
                1.0 / (static_cast<double>(vias.size()) * first.count * second.count);
            const int hops = first.hops + second.hops;
            paths_.for_each_shortest(s, via, first.hops, [&](std::int32_t out) {
                paths_.for_each_shortest(via, d, second.hops, [&](std::int32_t in) {
                    rows.add(via, out, in, hops, weight);
                });
            });
        }
    }

    void add_without_choice(std::int32_t s, std::int32_t d, PathRows& rows) const {
        const auto count = static_cast<double>(paths_.count_without_choice(s, d));
        paths_.for_each_without_choice(s, d, [&](std::int32_t via) {
            rows.add(via, kAbsent, kAbsent, 2, 1.0 / count);
        });
    }

    template <class AddPair>
    [[nodiscard]] PathRows enumerate_pairs(Switches sources, Switches targets,
                                           AddPair add_pair) const {
        PathRows rows;
        rows.offset.reserve(sources.size() + 1);
        for (std::size_t pair = 0; pair < sources.size(); ++pair) {
            check_interrupt();
            const auto s = sources[pair];
            const auto d = targets[pair];
            if (has_choice(s, d)) {
                add_pair(s, d, rows);
            } else if (s != d) {
                add_without_choice(s, d, rows);
            }
            rows.offset.push_back(static_cast<std::int64_t>(rows.hops.size()));
        }
        return rows;
    }

    // Returns the draw weight of a path whose rule weight is 1.
    double profile_pair(const ShapeRule& rule, std::int32_t s, std::int32_t d,
                        std::span<std::int64_t> count, std::span<double> weight) const {
        const auto found = weights_of(rule, paths_.count_shapes(s, d));
        if (found.total == 0.0) return 0.0;
        const auto add = [&](std::size_t hops, std::int64_t paths, double each) {
            count[hops] += paths;
            weight[hops] += each * static_cast<double>(paths);
        };
        for (std::size_t shape = 0; shape < found.count.size(); ++shape) {
            const bool drawn = rule.is_drawn(shape) && !found.is_nearest;
            if (found.weight[shape] == 0.0 || drawn) continue;
            add(static_cast<std::size_t>(rule.hops[shape]), found.count[shape], found.weight[shape]);
        }
        add(static_cast<std::size_t>(rule.drawn_hops), found.kept, found.kept_weight);
        for (auto& of_length : weight) of_length /= found.total;
        return 1.0 / found.total;
    }

    double profile_pair(const ShortRule& rule, std::int32_t s, std::int32_t d,
                        std::span<std::int64_t> count, std::span<double> weight) const {
        const auto vias = paths_.short_vias(rule, s, d);
        for (const auto& [via, first, second] : vias) {
            const auto hops = static_cast<std::size_t>(first.hops + second.hops);
            count[hops] += static_cast<std::int64_t>(first.count) * second.count;
            weight[hops] += 1.0 / static_cast<double>(vias.size());
        }
        return 1.0;
    }

    template <class Rule>
    [[nodiscard]] ClassProfile profile_pairs(const Rule& rule, Switches sources,
                                             Switches targets) const {
        ClassProfile out;
        out.count.resize(sources.size() * classes_);
        out.weight.resize(sources.size() * classes_);
        out.unit.resize(sources.size());
        for (std::size_t pair = 0; pair < sources.size(); ++pair) {
            check_interrupt();
            const auto s = sources[pair];
            const auto d = targets[pair];
            const auto count = std::span(out.count).subspan(pair * classes_, classes_);
            const auto weight = std::span(out.weight).subspan(pair * classes_, classes_);
            if (has_choice(s, d)) {
                out.unit[pair] = profile_pair(rule, s, d, count, weight);
            } else if (const auto detours = s == d ? 0 : paths_.count_without_choice(s, d)) {
                count[2] = detours;
                weight[2] = 1.0;
                out.unit[pair] = 1.0 / static_cast<double>(detours);
            }
        }
        return out;
    }

    void compose(std::int32_t s, std::int32_t d, std::size_t most,
                 std::span<std::int64_t> counts) const {
        const auto cell = [&](std::size_t first, std::size_t second) {
            return most * (first - 1) + (second - 1);
        };
        const auto halves = topology_.halves();
        const auto by_shape = paths_.count_shapes(s, d);
        for (std::size_t shape = 0; shape < by_shape.size(); ++shape) {
            const auto& first = halves[shape / halves.size()];
            const auto& second = halves[shape % halves.size()];
            counts[cell(first.size(), second.size())] += by_shape[shape];
        }
        const int limit = topology_.half_links();
        for (const auto& via : paths_.short_vias({limit, limit, 2 * limit}, s, d)) {
            ++counts[most * most + cell(static_cast<std::size_t>(via.first.hops),
                                        static_cast<std::size_t>(via.second.hops))];
        }
    }

    const Topology& topology_;
    Paths paths_;
    std::size_t classes_;
};

}  // namespace tvlb
