// Link usage of VLB path sets from the structure of the dragonfly: no path is listed.
//
// A pair's inner links are the local links of the groups that it only passes through. There are many
// of them and few are ever crowded, so callers list those they want and get the loads of all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "drawn_paths.hpp"
#include "usage.hpp"

namespace tvlb {

// Usage by pair and hop count of every global link, of the local links of the pair's own groups, and
// of the inner links with `listed[link]` set. In weights: those of a compact rule by shape, not yet
// scaled to sum to 1 for a pair, and those of the shortest halves. `drawn` holds the drawn length of a
// rule that has one, else null.
[[nodiscard]] ClassUsage structure_usage(const Dragonfly& dragonfly, const ShapeRule& rule,
                                         const DrawnPaths* drawn, Switches sources,
                                         Switches targets, std::span<const std::uint8_t> listed);
[[nodiscard]] ClassUsage structure_usage(const Dragonfly& dragonfly, const ShortRule& rule,
                                         Switches sources, Switches targets,
                                         std::span<const std::uint8_t> listed);

// Load of every link as an inner link, when class (pair, hops) is routed at rate[pair * num_classes +
// hops] per unit of the usage above.
[[nodiscard]] std::vector<double> inner_loads(const Dragonfly& dragonfly, const ShapeRule& rule,
                                              const DrawnPaths* drawn, Switches sources,
                                              Switches targets, std::span<const double> rate);
[[nodiscard]] std::vector<double> inner_loads(const Dragonfly& dragonfly, const ShortRule& rule,
                                              Switches sources, Switches targets,
                                              std::span<const double> rate);

}  // namespace tvlb
