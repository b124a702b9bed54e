// The paths of a pair in the keyed order.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "order.hpp"
#include "shape_rule.hpp"
#include "dragonfly.hpp"

namespace tvlb {

struct KeyedPath {
    std::uint64_t key;
    std::int32_t intermediate;
    std::int32_t first;
    std::int32_t second;
};

[[nodiscard]] inline bool in_keyed_order(const KeyedPath& x, const KeyedPath& y) {
    return std::tie(x.key, x.intermediate, x.first, x.second) <
           std::tie(y.key, y.intermediate, y.first, y.second);
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

// Appends the paths of an inter-group pair that have `hops` hops.
inline void list_keyed(const Dragonfly& w, std::int32_t s, std::int32_t d, int hops, std::uint64_t seed,
                       std::vector<KeyedPath>& out) {
    const auto pair = pair_key(seed, s, d);
    for_each_triple(w, s, d, [&](auto via, auto first, auto second, std::size_t shape) {
        if (shape_hops(shape) == hops) out.push_back({path_key(pair, via, first, second), via, first, second});
    });
}

}  // namespace tvlb
