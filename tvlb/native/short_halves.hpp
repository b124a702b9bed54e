// Shortest MIN halves of VLB paths.
#pragma once

#include <cstdint>
#include <vector>

#include "path_rows.hpp"
#include "wiring.hpp"

namespace tvlb {

// Shortest MIN half between switches of different groups: its length and multiplicity.
struct Shortest {
    int hops;
    int count;
};

[[nodiscard]] inline Shortest shortest(const Wiring& w, std::int32_t from, std::int32_t to) {
    Shortest best{kClasses, 0};
    for (const auto link : w.between(w.group(from), w.group(to))) {
        const int hops = w.min_hops(from, link, to);
        if (hops < best.hops) best = {hops, 0};
        best.count += hops == best.hops;
    }
    return best;
}

// Hops of the shortest MIN path between every two switches of different groups.
class ShortestHops {
public:
    explicit ShortestHops(const Wiring& w) : switches_(static_cast<std::size_t>(w.switches())) {
        hops_.reserve(switches_ * switches_);
        for (std::int32_t from = 0; from < w.switches(); ++from) {
            for (std::int32_t to = 0; to < w.switches(); ++to) {
                const bool apart = w.group(from) != w.group(to);
                hops_.push_back(static_cast<std::uint8_t>(apart ? shortest(w, from, to).hops : 0));
            }
        }
    }
    [[nodiscard]] std::size_t of(std::int32_t from, std::int32_t to) const {
        return hops_[static_cast<std::size_t>(from) * switches_ + static_cast<std::size_t>(to)];
    }

private:
    std::size_t switches_;
    std::vector<std::uint8_t> hops_;
};

struct ShortVia {
    std::int32_t intermediate;
    Shortest first;
    Shortest second;
};

[[nodiscard]] inline std::vector<ShortVia> short_intermediates(const Wiring& w, const ShortRule& rule,
                                                               std::int32_t s, std::int32_t d) {
    std::vector<ShortVia> out;
    for (std::int32_t via = 0; via < w.switches(); ++via) {
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
