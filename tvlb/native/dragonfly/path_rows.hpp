// Enumeration of VLB path sets, pair by pair.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dragonfly.hpp"
#include "rows.hpp"
#include "shape_rule.hpp"

namespace tvlb {

// Shortest halves: the intermediate uniform among those within the limits, each half uniform
// among the shortest MIN paths.
struct ShortRule {
    int max_first = 3;
    int max_second = 3;
    int max_total = kMaxPathLinks;
};

// Number of paths and sum of weights by pair and hop count, [pair * kClasses + hops].
struct ClassProfile {
    std::vector<std::int64_t> count;
    std::vector<double> weight;
    std::vector<double> unit;  // by pair: draw weight of a path whose rule weight is 1
};

using Switches = std::span<const std::int32_t>;

[[nodiscard]] PathRows enumerate(const Dragonfly& dragonfly, const ShapeRule& rule, Switches sources,
                                 Switches targets);
[[nodiscard]] PathRows enumerate(const Dragonfly& dragonfly, const ShortRule& rule, Switches sources,
                                 Switches targets);
// MIN paths: one per global link between the groups, or the direct local link.
[[nodiscard]] PathRows enumerate_min(const Dragonfly& dragonfly, Switches sources, Switches targets);

// The same counts and weights without listing a path; of a rule by shape that is compact.
[[nodiscard]] ClassProfile profile(const Dragonfly& dragonfly, const ShapeRule& rule, Switches sources,
                                   Switches targets);
[[nodiscard]] ClassProfile profile(const Dragonfly& dragonfly, const ShortRule& rule, Switches sources,
                                   Switches targets);

// By pair, whether no path weighs anything, so that those of the nearest shape are taken: 0 or 1.
[[nodiscard]] std::vector<std::uint8_t> takes_nearest(const Dragonfly& dragonfly, const ShapeRule& rule,
                                                      Switches sources, Switches targets);

// Shape of each path of an inter-group pair; kShapes inside a group.
[[nodiscard]] std::uint8_t shape_of(const Dragonfly& dragonfly, const Path& path);

// For each inter-group pair the VLB paths by the hops of their halves, 1..3 and 1..3, then the
// intermediate switches by the hops of their shortest halves: 18 numbers.
[[nodiscard]] std::vector<std::int64_t> pair_compositions(const Dragonfly& dragonfly, Switches sources,
                                                          Switches targets);

}  // namespace tvlb
