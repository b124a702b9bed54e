// Valiant's detours on a network of diameter 2, cut short at the second switch of their first half.
// Reference: VAL_nta and VAL_3h of the Slim Fly literature.
#pragma once

#include <cstdint>
#include <optional>

#include "path_kernel.hpp"
#include "shortest_paths.hpp"

namespace tvlb {

// An intermediate is drawn uniformly, and a MIN path to it. At the second switch of that path a
// packet turns towards the target: only if the target is next to that switch, or in any case.
// Drawn again is what passes the target early or the source twice.
struct ShortcutRule {
    bool only_to_neighbours;
};

// The paths that a draw leads to.
class Shortcuts {
public:
    struct Detour {
        std::int32_t via;
        std::int32_t first;
        std::int32_t second;
    };

    // Throws std::invalid_argument where MIN paths are longer than two links or are not named by
    // their first.
    Shortcuts(const ShortestPaths& network, ShortcutRule rule);

    // What is left of an intermediate and names of MIN paths, `second_of(from)` one to the target;
    // nothing where it has to be drawn again.
    template <class SecondOf>
    [[nodiscard]] std::optional<Detour> detour(std::int32_t s, std::int32_t d, std::int32_t via,
                                               std::int32_t first, SecondOf second_of) const {
        const auto next = network_.target(first);
        if (next == d) return std::nullopt;
        const bool turns = !rule_.only_to_neighbours || (next != via && network_.min_hops(next, d) == 1);
        const auto end = turns ? next : via;
        const std::int32_t second = second_of(end);
        // MIN paths pass the source only at their second switch.
        if (network_.target(second) == s) return std::nullopt;
        return Detour{end, first, second};
    }

    [[nodiscard]] bool has_path(std::int32_t s, std::int32_t d) const;

    [[nodiscard]] PathRows enumerate(Switches sources, Switches targets) const;

private:
    template <class Visit>
    void for_each_draw(std::int32_t s, std::int32_t d, Visit visit) const;

    const ShortestPaths& network_;
    ShortcutRule rule_;
};

}  // namespace tvlb
