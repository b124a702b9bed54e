// Layers of virtual channels: routes are parted so that in no layer channels wait in a circle.
//
// Source: Hoefler, Schneider, Lumsdaine 2009, and Domke, Hoefler, Nagel, Deadlock-Free Oblivious
// Routing for Arbitrary Topologies, IPDPS 2011.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../vc/dependency_graph.hpp"
#include "engine.hpp"

namespace tvlb::forwarding {

using Layer = std::uint8_t;
inline constexpr std::size_t kMostLayers = 255;

/// Of routes by destination, then by source switch; 0 of switches without nodes, which send nothing.
struct Layers {
    std::vector<Layer> of;
    std::size_t count = 1;  // that are in use
};

/// Parts routes: of a circle in a layer all routes over its dependency with the fewest go to the next
/// one. What is left after `most` layers is put in one more, where circles may be. All entries have to
/// arrive.
[[nodiscard]] Layers layers_of(const Graph& graph, std::span<const Port> ports, std::size_t most);

/// Of tables in at most `most` layers the one with the highest mean rate under bisections: the given one,
/// if `layers_of` left none too many, and those in which the layers from the first, the second, .. on are
/// one, where destinations get new entries that close no circle, for all their routes. Every network in
/// one part has such tables. More layers give no lower rate, but on large networks, where a table that
/// fits stays as it is, and fewer others are tried.
void fit(const Graph& graph, Table& table, Layers& layers, std::size_t most);

/// Calls `visit` for the links of a route in pairs, as long as it does not return false.
void each_turn(const Graph& graph, std::int32_t source, std::int32_t target, std::span<const Port> ports,
               auto&& visit) {
    const auto next = [&](std::int32_t at) -> const Hop& {
        return graph.hop(at, ports[static_cast<std::size_t>(at)]);
    };
    if (source == target) return;
    for (const Hop* held = &next(source); held->target != target;) {
        const Hop* wanted = &next(held->target);
        if (!visit(*held, *wanted)) return;
        held = wanted;
    }
}

struct Entries {
    std::span<const Port> ports;
    std::span<const Layer> layers;
};

/// What waits for what, as channels link * layers + layer: straight from entries that may be wrong. At every
/// switch a packet may meet the entry of any of the tables, as while one replaces another.
[[nodiscard]] vc::DependencyGraph dependencies_of(const Graph& graph, std::span<const Entries> tables,
                                                  std::size_t count);

}  // namespace tvlb::forwarding
