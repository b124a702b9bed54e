// The VLB paths of a Dragonfly, as `PathKernelOf` enumerates them: between groups, a pair of global
// links that meet in a third group, and any switch of that group.
#pragma once

#include <cstdint>
#include <vector>

#include "path_kernel_of.hpp"
#include "shapes.hpp"

namespace tvlb {

// Of switches in different groups.
[[nodiscard]] inline Shortest shortest(const Dragonfly& w, std::int32_t from, std::int32_t to) {
    Shortest best{kMaxPathLinks, 0};
    for (const auto link : w.global_links(w.group(from), w.group(to))) {
        const int hops = w.min_hops(from, link, to);
        if (hops < best.hops) best = {hops, 0};
        best.count += hops == best.hops;
    }
    return best;
}

[[nodiscard]] inline std::vector<ShortVia> short_intermediates(const Dragonfly& w,
                                                               const ShortRule& rule,
                                                               std::int32_t s, std::int32_t d) {
    std::vector<ShortVia> out;
    for (std::int32_t via = 0; via < w.num_switches(); ++via) {
        if (w.group(via) == w.group(s) || w.group(via) == w.group(d)) continue;
        const auto first = shortest(w, s, via);
        const auto second = shortest(w, via, d);
        if (rule.allows(first.hops, second.hops)) out.push_back({via, first, second});
    }
    return out;
}

// Calls visit(intermediate, first link, second link, shape) for every VLB path of an inter-group pair,
// in row order.
template <class Visit>
void for_each_triple(const Dragonfly& w, std::int32_t s, std::int32_t d, Visit visit) {
    for (std::int32_t g = 0; g < w.num_groups(); ++g) {
        if (g == w.group(s) || g == w.group(d)) continue;
        const auto out = w.global_links(w.group(s), g);
        const auto in = w.global_links(g, w.group(d));
        for (std::int32_t i = 0; i < w.group_size(); ++i) {
            const auto via = g * w.group_size() + i;
            for (const auto first : out) {
                const auto first_half = first_half_bits(w, s, first, via);
                for (const auto second : in) {
                    visit(via, first, second, first_half | second_half_bits(w, via, second, d));
                }
            }
        }
    }
}

class DragonflyPaths {
public:
    explicit DragonflyPaths(const Dragonfly& dragonfly) : w_(dragonfly) {}

    template <class Value>
    [[nodiscard]] static ByShape<Value> zeros() {
        return {};
    }

    [[nodiscard]] int min_hops(std::int32_t from, std::int32_t name, std::int32_t to) const {
        return name == kAbsent ? 1 : w_.min_hops(from, name, to);
    }

    template <class Visit>
    void for_each_triple(std::int32_t s, std::int32_t d, Visit visit) const {
        tvlb::for_each_triple(w_, s, d, visit);
    }

    [[nodiscard]] ByShape<std::int64_t> count_shapes(std::int32_t s, std::int32_t d) const {
        return tvlb::count_shapes(w_, s, d);
    }

    [[nodiscard]] std::vector<ShortVia> short_vias(const ShortRule& rule, std::int32_t s,
                                                   std::int32_t d) const {
        return short_intermediates(w_, rule, s, d);
    }

    template <class Visit>
    void for_each_shortest(std::int32_t from, std::int32_t to, int hops, Visit visit) const {
        for (const auto link : w_.global_links(w_.group(from), w_.group(to))) {
            if (w_.min_hops(from, link, to) == hops) visit(link);
        }
    }

    [[nodiscard]] std::size_t shape_of(const Path& path) const {
        return first_half_bits(w_, path.source, path.first_half, path.intermediate) |
               second_half_bits(w_, path.intermediate, path.second_half, path.target);
    }

    // Detours inside a group.
    [[nodiscard]] std::int64_t count_without_choice(std::int32_t, std::int32_t) const {
        return w_.group_size() - 2;
    }

    template <class Visit>
    void for_each_without_choice(std::int32_t s, std::int32_t d, Visit visit) const {
        const auto start = w_.group(s) * w_.group_size();
        for (auto via = start; via < start + w_.group_size(); ++via) {
            if (via != s && via != d) visit(via);
        }
    }

private:
    const Dragonfly& w_;
};

}  // namespace tvlb
