// Shortest MIN halves of VLB paths.
#pragma once

#include <cstdint>
#include <vector>

#include "path_rows.hpp"
#include "dragonfly.hpp"

namespace tvlb {

struct ShortVia {
    std::int32_t intermediate;
    Shortest first;
    Shortest second;
};

[[nodiscard]] inline std::vector<ShortVia> short_intermediates(const Dragonfly& w, const ShortRule& rule,
                                                               std::int32_t s, std::int32_t d) {
    std::vector<ShortVia> out;
    for (std::int32_t via = 0; via < w.num_switches(); ++via) {
        if (w.group(via) == w.group(s) || w.group(via) == w.group(d)) continue;
        const auto first = shortest(w, s, via);
        const auto second = shortest(w, via, d);
        if (first.hops <= rule.max_first && second.hops <= rule.max_second &&
            first.hops + second.hops <= rule.max_total) {
            out.push_back({via, first, second});
        }
    }
    return out;
}

}  // namespace tvlb
