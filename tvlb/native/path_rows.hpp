// Enumeration of VLB path sets, pair by pair.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shape_rule.hpp"
#include "wiring.hpp"

namespace tvlb {

// Shortest halves: the intermediate uniform among those within the limits, each half uniform
// among the shortest MIN paths.
struct ShortRule {
    int max_first = 3;
    int max_second = 3;
    int max_total = kMaxPathLinks;
};

// Paths of many switch pairs; pair i owns rows offset[i] .. offset[i+1], sorted by
// (intermediate, first link, second link). The weights of a pair sum to 1.
struct PathRows {
    std::vector<std::int64_t> offset{0};
    std::vector<std::int32_t> intermediate;
    std::vector<std::int32_t> first_link;
    std::vector<std::int32_t> second_link;
    std::vector<std::int8_t> hops;
    std::vector<double> weight;

    void add(std::int32_t via, std::int32_t first, std::int32_t second, int hop_count, double w);
};

// Number of paths and sum of weights by pair and hop count, [pair * kClasses + hops].
struct ClassProfile {
    std::vector<std::int64_t> count;
    std::vector<double> weight;
    std::vector<double> unit;  // by pair: draw weight of a path whose rule weight is 1
};

using Switches = std::span<const std::int32_t>;

[[nodiscard]] PathRows enumerate(const Wiring& wiring, const ShapeRule& rule, Switches sources,
                                 Switches targets);
[[nodiscard]] PathRows enumerate(const Wiring& wiring, const ShortRule& rule, Switches sources,
                                 Switches targets);
// MIN paths: one per global link between the groups, or the direct local link.
[[nodiscard]] PathRows enumerate_min(const Wiring& wiring, Switches sources, Switches targets);

// The same counts and weights without listing a path; of a rule by shape that is compact.
[[nodiscard]] ClassProfile profile(const Wiring& wiring, const ShapeRule& rule, Switches sources,
                                   Switches targets);
[[nodiscard]] ClassProfile profile(const Wiring& wiring, const ShortRule& rule, Switches sources,
                                   Switches targets);

// By pair, whether no path weighs anything, so that those of the nearest shape are taken: 0 or 1.
[[nodiscard]] std::vector<std::uint8_t> takes_nearest(const Wiring& wiring, const ShapeRule& rule,
                                                      Switches sources, Switches targets);

// Shape of each path of an inter-group pair; kShapes inside a group.
[[nodiscard]] std::uint8_t shape_of(const Wiring& wiring, const Path& path);

// For each inter-group pair the VLB paths by the hops of their halves, 1..3 and 1..3, then the
// intermediate switches by the hops of their shortest halves: 18 numbers.
[[nodiscard]] std::vector<std::int64_t> pair_compositions(const Wiring& wiring, Switches sources,
                                                          Switches targets);

}  // namespace tvlb
