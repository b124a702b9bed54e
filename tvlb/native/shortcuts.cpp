#include "shortcuts.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "interrupt.hpp"

namespace tvlb {
namespace {

struct Drawn {
    Shortcuts::Detour path;
    double share;

    [[nodiscard]] auto key() const { return std::tuple(path.via, path.first, path.second); }
};

}  // namespace

Shortcuts::Shortcuts(const ShortestPaths& network, ShortcutRule rule)
    : network_(network), rule_(rule) {
    if (network.half_links() > 2 || !network.rule().by_link) {
        throw std::invalid_argument("paths are cut short only where MIN paths have two links at "
                                    "most and are named by their first");
    }
}

// Calls visit(detour, share) for every draw that is not drawn again, until it returns true.
template <class Visit>
void Shortcuts::for_each_draw(std::int32_t s, std::int32_t d, Visit visit) const {
    for (std::int32_t via = 0; via < network_.num_switches(); ++via) {
        if (!network_.is_intermediate(s, via, d)) continue;
        const auto firsts = network_.min_paths(s, via);
        for (std::int32_t one = 0; one < firsts; ++one) {
            const auto first = network_.min_name(s, via, one);
            std::int32_t seconds = 1;
            for (std::int32_t other = 0; other < seconds; ++other) {
                const auto found = detour(s, d, via, first, [&](std::int32_t end) {
                    seconds = network_.min_paths(end, d);
                    return network_.min_name(end, d, other);
                });
                if (found && visit(*found, 1.0 / (static_cast<double>(firsts) * seconds))) return;
            }
        }
    }
}

bool Shortcuts::has_path(std::int32_t s, std::int32_t d) const {
    bool found = false;
    for_each_draw(s, d, [&](const Detour&, double) { return found = true; });
    return found;
}

PathRows Shortcuts::enumerate(Switches sources, Switches targets) const {
    PathRows rows;
    std::vector<Drawn> drawn;
    for (std::size_t pair = 0; pair < sources.size(); ++pair) {
        check_interrupt();
        const auto s = sources[pair];
        const auto d = targets[pair];
        drawn.clear();
        double total = 0.0;
        if (s != d) {
            for_each_draw(s, d, [&](const Detour& path, double share) {
                drawn.push_back({path, share});
                total += share;
                return false;
            });
        }
        std::ranges::stable_sort(drawn, {}, &Drawn::key);
        for (std::size_t i = 0; i < drawn.size();) {
            const auto& path = drawn[i].path;
            double share = 0.0;
            for (const auto key = drawn[i].key(); i < drawn.size() && drawn[i].key() == key; ++i) {
                share += drawn[i].share;
            }
            const int hops = network_.min_hops(s, path.via) + network_.min_hops(path.via, d);
            rows.add(path.via, path.first, path.second, hops, share / total);
        }
        rows.offset.push_back(static_cast<std::int64_t>(rows.hops.size()));
    }
    return rows;
}

}  // namespace tvlb
