// The paths of a pair in the keyed order.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "order.hpp"
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

// Calls visit(path) for every VLB path of an inter-group pair that has `hops` hops, in row order.
template <class Visit>
void for_each_of_length(const Dragonfly& w, std::int32_t s, std::int32_t d, int hops,
                        std::uint64_t seed, Visit visit) {
    const auto pair = pair_key(seed, s, d);
    for (std::int32_t via = 0; via < w.num_switches(); ++via) {
        if (w.group(via) == w.group(s) || w.group(via) == w.group(d)) continue;
        const auto seconds = w.global_links(w.group(via), w.group(d));
        for (const auto first : w.global_links(w.group(s), w.group(via))) {
            const int left = hops - w.min_hops(s, first, via);
            if (left < 1 || left > 3) continue;
            const auto half = half_key(pair, via, first);
            for (const auto second : seconds) {
                if (w.min_hops(via, second, d) != left) continue;
                visit(KeyedPath{fold(half, second), via, first, second});
            }
        }
    }
}

// Appends the paths of an inter-group pair that have `hops` hops.
inline void list_keyed(const Dragonfly& w, std::int32_t s, std::int32_t d, int hops, std::uint64_t seed,
                       std::vector<KeyedPath>& out) {
    for_each_of_length(w, s, d, hops, seed, [&](const KeyedPath& path) { out.push_back(path); });
}

}  // namespace tvlb
