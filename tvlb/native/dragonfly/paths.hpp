// The VLB paths of a Dragonfly, as `PathKernelOf` enumerates them: between groups, a pair of global
// links that meet in a third group, and any switch of that group.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "path_kernel_of.hpp"
#include "shapes.hpp"

namespace tvlb {

// The shortest MIN paths between a switch and every switch of another group, by index there, in
// either direction: links go both ways.
inline void shortest_to_group(const Dragonfly& w, std::int32_t from, std::int32_t group,
                              std::span<Shortest> out) {
    const auto links = w.global_links(w.group(from), group);
    const auto start = group * w.group_size();
    std::int32_t here = 0;  // links at `from`
    for (auto& shortest : out) shortest = {0, 0};
    // At first: `count` links that end at a switch, `hops` of them at `from` as well.
    for (const auto link : links) {
        auto& there = out[static_cast<std::size_t>(w.target(link) - start)];
        ++there.count;
        if (w.source(link) != from) continue;
        ++here;
        ++there.hops;
    }
    for (auto& there : out) {
        if (there.hops > 0) {
            there = {1, there.hops};
        } else if (here + there.count > 0) {
            there = {2, here + there.count};
        } else {
            there = {links.empty() ? kMaxPathLinks : 3, static_cast<std::int32_t>(links.size())};
        }
    }
}

[[nodiscard]] inline std::vector<ShortVia> short_intermediates(const Dragonfly& w,
                                                               const ShortRule& rule,
                                                               std::int32_t s, std::int32_t d) {
    std::vector<ShortVia> out;
    std::vector<Shortest> first(static_cast<std::size_t>(w.group_size()));
    auto second = first;
    for (std::int32_t group = 0; group < w.num_groups(); ++group) {
        if (group == w.group(s) || group == w.group(d)) continue;
        shortest_to_group(w, s, group, first);
        shortest_to_group(w, d, group, second);
        for (std::size_t i = 0; i < first.size(); ++i) {
            if (!rule.allows(first[i].hops, second[i].hops)) continue;
            const auto via = group * w.group_size() + static_cast<std::int32_t>(i);
            out.push_back({via, first[i], second[i]});
        }
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
