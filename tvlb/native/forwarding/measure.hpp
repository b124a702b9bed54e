// What forwarding tables are worth: loads of links, faults, and bandwidth under random bisections.
//
// Source: Hoefler, Schneider, Lumsdaine 2009, sections II and IV: EFI is the highest load under all
// ordered pairs of nodes, EBB the mean share of the bandwidth under random bisections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graph.hpp"

namespace tvlb::forwarding {

struct Loads {
    std::vector<std::uint64_t> of_link;  // routes of ordered pairs of nodes that arrive
    std::uint64_t pairs = 0;             // ordered, of nodes at different switches, with such a route
    std::uint64_t shortest_pairs = 0;    // of these, with a shortest one
    std::uint64_t hops = 0;              // links of all routes
    std::uint64_t lost_pairs = 0;        // whose packets do not arrive
    std::uint64_t holes = 0;             // entries that are missing or name no link of the switch
};

/// Ports by destination, then by switch; they may be wrong.
[[nodiscard]] Loads loads_of(const Graph& graph, std::span<const Port> ports);

/// A bisection: streams from nodes of one half to nodes of the other.
struct Bisections {
    std::uint64_t seed;
    std::uint64_t first;  // bisections are numbered
    std::size_t count;
    std::size_t nodes;    // that each draws; all of them, or a job of its own
    bool both;            // streams in both directions
};

struct Rates {
    std::vector<double> mean, worst;  // by bisection: of its streams, shares of full bandwidth
};

/// All routes have to arrive.
[[nodiscard]] Rates rates_of(const Graph& graph, std::span<const Port> ports, const Bisections& of);

/// Of every stream, by position: its rate, a share of full bandwidth. 1 between nodes of one switch.
[[nodiscard]] std::vector<double> stream_rates(const Graph& graph, std::span<const Port> ports,
                                               std::span<const std::int32_t> sources,
                                               std::span<const std::int32_t> targets);

}  // namespace tvlb::forwarding
