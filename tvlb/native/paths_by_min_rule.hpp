// The VLB paths of any network, as `PathKernelOf` enumerates them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interrupt.hpp"
#include "path_kernel_of.hpp"

namespace tvlb {

// The paths of any network, by its MIN rule; of a known class it is asked directly. Memory: 30
// bytes per MIN path, if there are no more than a million.
template <class Network = Topology>
class PathsByMinRule {
public:
    explicit PathsByMinRule(const Network& topology, bool keeps_halves = true)
        : topology_(topology) {
        if (keeps_halves && are_few()) keep_halves();
    }

    template <class Value>
    [[nodiscard]] std::vector<Value> zeros() const {
        return std::vector<Value>(num_shapes(topology_));
    }

    [[nodiscard]] int min_hops(std::int32_t from, std::int32_t name, std::int32_t to) const {
        PathLinks links;
        topology_.append_min(links, from, name, to);
        return links.count;
    }

    template <class Visit>
    void for_each_triple(std::int32_t s, std::int32_t d, Visit visit) const {
        for_each_triple_by(s, d, [](std::int32_t) { return true; }, visit);
    }

    // Only those by the intermediates that are admitted, each as it is come to.
    template <class Admits, class Visit>
    void for_each_triple_by(std::int32_t s, std::int32_t d, Admits admits, Visit visit) const {
        const auto halves = topology_.halves().size();
        const bool simple = topology_.are_simple();
        Halves made_first, made_second;
        for (std::int32_t via = 0; via < topology_.num_switches(); ++via) {
            if (!topology_.is_intermediate(s, via, d) || !admits(via)) continue;
            const auto firsts = halves_of(s, via, made_first);
            const auto seconds = halves_of(via, d, made_second);
            for (const auto& first : firsts.named) {
                check_interrupt();
                for (const auto& second : seconds.named) {
                    if (simple && meet(firsts.passed(first), seconds.passed(second))) continue;
                    visit(via, first.name, second.name, first.code * halves + second.code);
                }
            }
        }
    }

    [[nodiscard]] std::vector<std::int64_t> count_shapes(std::int32_t s, std::int32_t d) const {
        auto count = zeros<std::int64_t>();
        for_each_triple(s, d, [&](auto, auto, auto, std::size_t shape) { ++count[shape]; });
        return count;
    }

    [[nodiscard]] std::vector<ShortVia> short_vias(const ShortRule& rule, std::int32_t s,
                                                   std::int32_t d) const {
        std::vector<ShortVia> out;
        for (std::int32_t via = 0; via < topology_.num_switches(); ++via) {
            if (!topology_.is_intermediate(s, via, d)) continue;
            const auto first = topology_.shortest_min(s, via);
            const auto second = topology_.shortest_min(via, d);
            if (first.count == 0 || second.count == 0) continue;
            if (rule.allows(first.hops, second.hops)) out.push_back({via, first, second});
        }
        return out;
    }

    template <class Visit>
    void for_each_shortest(std::int32_t from, std::int32_t to, int hops, Visit visit) const {
        const auto count = topology_.min_paths(from, to);
        const bool all = topology_.shortest_min(from, to).count == count;
        for (std::int32_t position = 0; position < count; ++position) {
            check_interrupt();
            const auto name = topology_.min_name(from, to, position);
            if (all || hops_of(topology_.min_half(from, name, to)) == hops) visit(name);
        }
    }

    [[nodiscard]] std::size_t shape_of(const Path& path) const {
        return topology_.min_half(path.source, path.first_half, path.intermediate) *
                   topology_.halves().size() +
               topology_.min_half(path.intermediate, path.second_half, path.target);
    }

    // Whether a link joins two switches whose path, that nobody chooses, has no name.
    [[nodiscard]] bool has_nameless(std::int32_t from, std::int32_t to) const {
        return topology_.min_paths(from, to) > 0 && topology_.min_name(from, to, 0) == kAbsent;
    }

    [[nodiscard]] std::int64_t count_without_choice(std::int32_t s, std::int32_t d) const {
        std::int64_t count = 0;
        for_each_without_choice(s, d, [&](std::int32_t) { ++count; });
        return count;
    }

    // The switches that links without a name, local ones, join to both: a path that nobody chooses
    // has none.
    template <class Visit>
    void for_each_without_choice(std::int32_t s, std::int32_t d, Visit visit) const {
        for (std::int32_t via = 0; via < topology_.num_switches(); ++via) {
            if (via == s || via == d) continue;
            if (has_nameless(s, via) && has_nameless(via, d)) visit(via);
        }
    }

private:
    static constexpr std::size_t kMostKept = 1 << 20;

    struct NamedHalf {
        std::int32_t name;
        std::uint32_t begin;  // of its switches, from the first to the last one
        std::uint16_t passed;
        std::uint16_t code;
    };
    struct Halves {
        std::vector<NamedHalf> named;
        std::vector<std::int32_t> switches;
    };
    struct HalvesView {
        std::span<const NamedHalf> named;
        std::span<const std::int32_t> switches;

        [[nodiscard]] std::span<const std::int32_t> passed(const NamedHalf& half) const {
            return switches.subspan(half.begin, half.passed);
        }
    };

    [[nodiscard]] int hops_of(std::size_t code) const {
        return static_cast<int>(topology_.halves()[code].size());
    }

    void keep_halves() {
        const auto switches = topology_.num_switches();
        kept_from_.assign(1, 0);
        for (std::int32_t from = 0; from < switches; ++from) {
            for (std::int32_t to = 0; to < switches; ++to) {
                if (has_halves(from, to)) append_halves(kept_, from, to);
                kept_from_.push_back(static_cast<std::uint32_t>(kept_.named.size()));
            }
        }
    }

    // No others are halves.
    [[nodiscard]] bool has_halves(std::int32_t from, std::int32_t to) const {
        return from != to && topology_.has_choice(from, to);
    }

    [[nodiscard]] bool are_few() const {
        const auto switches = topology_.num_switches();
        auto left = static_cast<std::int64_t>(kMostKept);
        if (static_cast<std::int64_t>(switches) * switches > left) return false;
        for (std::int32_t from = 0; from < switches; ++from) {
            for (std::int32_t to = 0; to < switches && left >= 0; ++to) {
                if (has_halves(from, to)) left -= topology_.min_paths(from, to);
            }
        }
        return left >= 0;
    }

    // The MIN paths of a pair; `made` is where they are listed unless all are kept.
    [[nodiscard]] HalvesView halves_of(std::int32_t from, std::int32_t to, Halves& made) const {
        if (kept_from_.empty()) {
            made.named.clear();
            made.switches.clear();
            append_halves(made, from, to);
            return {made.named, made.switches};
        }
        const auto pair = static_cast<std::size_t>(from) *
                              static_cast<std::size_t>(topology_.num_switches()) +
                          static_cast<std::size_t>(to);
        const auto begin = kept_from_[pair];
        return {std::span(kept_.named).subspan(begin, kept_from_[pair + 1] - begin),
                kept_.switches};
    }

    void append_halves(Halves& out, std::int32_t from, std::int32_t to) const {
        const auto count = topology_.min_paths(from, to);
        for (std::int32_t position = 0; position < count; ++position) {
            check_interrupt();
            const auto name = topology_.min_name(from, to, position);
            const auto begin = out.switches.size();
            PathLinks links;
            topology_.append_min(links, from, name, to);
            out.switches.push_back(from);
            for (const auto link : links.view()) out.switches.push_back(topology_.target(link));
            out.named.push_back({name, static_cast<std::uint32_t>(begin),
                                 static_cast<std::uint16_t>(out.switches.size() - begin),
                                 static_cast<std::uint16_t>(topology_.min_half(from, name, to))});
        }
    }

    // Whether two halves, which are simple, share a switch besides the one where they join.
    static bool meet(std::span<const std::int32_t> first, std::span<const std::int32_t> second) {
        const auto before = first.first(first.size() - 1);
        return std::ranges::any_of(second.subspan(1), [&](std::int32_t passed) {
            return std::ranges::find(before, passed) != before.end();
        });
    }

    const Network& topology_;
    // Of all pairs by source and target, so that not every pair of switches finds them anew.
    Halves kept_;
    std::vector<std::uint32_t> kept_from_;
};

}  // namespace tvlb
