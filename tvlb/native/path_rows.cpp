#include "path_rows.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

#include "keyed_paths.hpp"
#include "short_halves.hpp"

namespace tvlb {
namespace {

struct Candidate {
    std::int32_t intermediate;
    std::int32_t first;
    std::int32_t second;
    std::int8_t hops;
    std::uint64_t key;
};

[[nodiscard]] auto triple(const Candidate& c) {
    return std::tie(c.intermediate, c.first, c.second);
}

void add_local_detours(const Wiring& w, std::int32_t s, std::int32_t d, PathRows& rows) {
    const auto start = w.group(s) * w.switches_per_group;
    const int count = w.switches_per_group - 2;
    for (auto via = start; via < start + w.switches_per_group; ++via) {
        if (via != s && via != d) rows.add(via, kAbsent, kAbsent, 2, 1.0 / count);
    }
}

// Drops all but the first `keep` candidates longer than `max_hops` in keyed order; the others stay
// where they are.
void cut_longer_class(std::vector<Candidate>& chosen, int max_hops, int percent) {
    const auto is_longer = [&](const Candidate& c) { return c.hops > max_hops; };
    const auto by_key = [](const Candidate& x, const Candidate& y) {
        return x.key != y.key ? x.key < y.key : triple(x) < triple(y);
    };
    std::vector<Candidate> longer;
    std::copy_if(chosen.begin(), chosen.end(), std::back_inserter(longer), is_longer);
    const auto keep = drawn_count(static_cast<std::int64_t>(longer.size()), percent);
    if (keep == static_cast<std::int64_t>(longer.size())) return;
    const auto first_dropped = longer.begin() + keep;
    std::nth_element(longer.begin(), first_dropped, longer.end(), by_key);
    std::erase_if(chosen, [&](const Candidate& c) {
        return is_longer(c) && !by_key(c, *first_dropped);
    });
}

void add_by_length(const Wiring& w, const LengthRule& rule, std::int32_t s, std::int32_t d,
                   PathRows& rows) {
    std::vector<Candidate> chosen;
    const auto key = pair_key(rule.seed, s, d);
    const int longest = rule.max_hops + (rule.percent > 0 || rule.first_hops ? 1 : 0);
    for_each_triple(w, s, d, [&](auto via, auto first, auto second, int m, int n) {
        const auto hops = static_cast<std::int8_t>(m + n);
        if (hops > longest || (hops > rule.max_hops && rule.first_hops && *rule.first_hops != m)) {
            return;
        }
        const bool drawn = hops > rule.max_hops && rule.percent > 0;
        chosen.push_back({via, first, second, hops, drawn ? path_key(key, via, first, second) : 0});
    });
    if (rule.percent > 0) cut_longer_class(chosen, rule.max_hops, rule.percent);
    const double weight = 1.0 / static_cast<double>(std::max<std::size_t>(chosen.size(), 1));
    for (const auto& c : chosen) rows.add(c.intermediate, c.first, c.second, c.hops, weight);
}

void add_short(const Wiring& w, const ShortRule& rule, std::int32_t s, std::int32_t d,
               PathRows& rows) {
    const auto vias = short_intermediates(w, rule, s, d);
    for (const auto& [via, first, second] : vias) {
        const double weight =
            1.0 / (static_cast<double>(vias.size()) * first.count * second.count);
        for (const auto out : w.between(w.group(s), w.group(via))) {
            if (w.min_hops(s, out, via) != first.hops) continue;
            for (const auto in : w.between(w.group(via), w.group(d))) {
                if (w.min_hops(via, in, d) != second.hops) continue;
                rows.add(via, out, in, first.hops + second.hops, weight);
            }
        }
    }
}

template <class AddPair>
PathRows enumerate_pairs(const Wiring& w, Switches sources, Switches targets, AddPair add_pair) {
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

// Paths of one pair by the hops of both halves, [first][second], each 1..3.
using Compositions = std::array<std::array<std::int64_t, 4>, 4>;

// Counts without visiting intermediates: for two links landing on y1 and leaving from x2 of one
// group, each intermediate adds a local hop per end that it differs from.
[[nodiscard]] Compositions count_compositions(const Wiring& w, std::int32_t s, std::int32_t d) {
    Compositions n{};
    const std::int64_t a = w.switches_per_group;
    for (std::int32_t g = 0; g < w.groups; ++g) {
        if (g == w.group(s) || g == w.group(d)) continue;
        for (const auto first : w.between(w.group(s), g)) {
            const auto m = static_cast<std::size_t>(1 + (w.source(first) != s));
            for (const auto second : w.between(g, w.group(d))) {
                const auto k = static_cast<std::size_t>(1 + (w.target(second) != d));
                if (w.target(first) == w.source(second)) {
                    n[m][k] += 1;
                    n[m + 1][k + 1] += a - 1;
                } else {
                    n[m][k + 1] += 1;
                    n[m + 1][k] += 1;
                    n[m + 1][k + 1] += a - 2;
                }
            }
        }
    }
    return n;
}

void profile_pair(const Wiring& w, const LengthRule& rule, std::int32_t s, std::int32_t d,
                  std::span<std::int64_t> count, std::span<double> weight) {
    const auto n = count_compositions(w, s, d);
    for (std::size_t m = 1; m <= 3; ++m) {
        for (std::size_t k = 1; k <= 3; ++k) {
            const auto hops = static_cast<int>(m + k);
            const bool named = rule.first_hops && *rule.first_hops == static_cast<int>(m);
            const bool longer = hops == rule.max_hops + 1 && (named || !rule.first_hops);
            if (hops <= rule.max_hops || longer) count[m + k] += n[m][k];
        }
    }
    if (rule.max_hops < kMaxPathLinks && !rule.first_hops) {
        auto& longer = count[static_cast<std::size_t>(rule.max_hops) + 1];
        longer = drawn_count(longer, rule.percent);
    }
    std::int64_t total = 0;
    for (const auto c : count) total += c;
    for (std::size_t h = 0; h < count.size() && total > 0; ++h) {
        weight[h] = static_cast<double>(count[h]) / static_cast<double>(total);
    }
}

void profile_pair(const Wiring& w, const ShortRule& rule, std::int32_t s, std::int32_t d,
                  std::span<std::int64_t> count, std::span<double> weight) {
    const auto vias = short_intermediates(w, rule, s, d);
    for (const auto& [via, first, second] : vias) {
        const auto hops = static_cast<std::size_t>(first.hops + second.hops);
        count[hops] += static_cast<std::int64_t>(first.count) * second.count;
        weight[hops] += 1.0 / static_cast<double>(vias.size());
    }
}

template <class Rule>
ClassProfile profile_pairs(const Wiring& w, const Rule& rule, Switches sources, Switches targets) {
    ClassProfile out;
    out.count.resize(sources.size() * kClasses);
    out.weight.resize(sources.size() * kClasses);
    for (std::size_t pair = 0; pair < sources.size(); ++pair) {
        const auto s = sources[pair];
        const auto d = targets[pair];
        const auto count = std::span(out.count).subspan(pair * kClasses, kClasses);
        const auto weight = std::span(out.weight).subspan(pair * kClasses, kClasses);
        if (s == d) continue;
        if (w.group(s) != w.group(d)) {
            profile_pair(w, rule, s, d, count, weight);
        } else if (w.switches_per_group > 2) {
            count[2] = w.switches_per_group - 2;
            weight[2] = 1.0;
        }
    }
    return out;
}

}  // namespace

std::vector<std::int64_t> pair_compositions(const Wiring& wiring, Switches sources,
                                            Switches targets) {
    constexpr std::size_t kCells = 9;
    const auto cell = [](std::size_t m, std::size_t n) { return 3 * (m - 1) + (n - 1); };
    const ShortestHops hops(wiring);
    std::vector<std::int64_t> out(sources.size() * 2 * kCells, 0);
    for (std::size_t pair = 0; pair < sources.size(); ++pair) {
        const auto s = sources[pair];
        const auto d = targets[pair];
        if (wiring.group(s) == wiring.group(d)) continue;
        const auto counts = std::span(out).subspan(pair * 2 * kCells, 2 * kCells);
        const auto n = count_compositions(wiring, s, d);
        for (std::size_t m = 1; m <= 3; ++m) {
            for (std::size_t k = 1; k <= 3; ++k) counts[cell(m, k)] = n[m][k];
        }
        for (std::int32_t via = 0; via < wiring.switches(); ++via) {
            if (wiring.group(via) == wiring.group(s) || wiring.group(via) == wiring.group(d)) continue;
            const auto first = hops.of(s, via);
            const auto second = hops.of(via, d);
            if (first <= 3 && second <= 3) ++counts[kCells + cell(first, second)];
        }
    }
    return out;
}

void PathRows::add(std::int32_t via, std::int32_t first, std::int32_t second, int hop_count,
                   double w) {
    intermediate.push_back(via);
    first_link.push_back(first);
    second_link.push_back(second);
    hops.push_back(static_cast<std::int8_t>(hop_count));
    weight.push_back(w);
}

PathRows enumerate(const Wiring& wiring, const LengthRule& rule, Switches sources,
                   Switches targets) {
    return enumerate_pairs(wiring, sources, targets, [&](auto s, auto d, PathRows& rows) {
        add_by_length(wiring, rule, s, d, rows);
    });
}

PathRows enumerate(const Wiring& wiring, const ShortRule& rule, Switches sources,
                   Switches targets) {
    return enumerate_pairs(wiring, sources, targets, [&](auto s, auto d, PathRows& rows) {
        add_short(wiring, rule, s, d, rows);
    });
}

PathRows enumerate_min(const Wiring& wiring, Switches sources, Switches targets) {
    PathRows rows;
    for (std::size_t pair = 0; pair < sources.size(); ++pair) {
        const auto s = sources[pair];
        const auto d = targets[pair];
        if (s != d && wiring.group(s) == wiring.group(d)) {
            rows.add(kAbsent, kAbsent, kAbsent, 1, 1.0);
        } else if (s != d) {
            const auto links = wiring.between(wiring.group(s), wiring.group(d));
            for (const auto link : links) {
                rows.add(kAbsent, link, kAbsent, wiring.min_hops(s, link, d),
                         1.0 / static_cast<double>(links.size()));
            }
        }
        rows.offset.push_back(static_cast<std::int64_t>(rows.hops.size()));
    }
    return rows;
}

ClassProfile profile(const Wiring& wiring, const LengthRule& rule, Switches sources,
                     Switches targets) {
    return profile_pairs(wiring, rule, sources, targets);
}

ClassProfile profile(const Wiring& wiring, const ShortRule& rule, Switches sources,
                     Switches targets) {
    return profile_pairs(wiring, rule, sources, targets);
}

}  // namespace tvlb
