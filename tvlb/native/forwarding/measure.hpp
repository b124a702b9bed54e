// What forwarding tables are worth: loads of links, faults, and bandwidth under random bisections.
//
// Source: Hoefler, Schneider, Lumsdaine 2009, sections II and IV: EFI is the highest load under all
// ordered pairs of nodes, EBB the mean share of the bandwidth under random bisections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
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
    std::vector<double> mean, worst;  // by bisection or shift: of its streams, shares of full bandwidth
};

/// The routes of a forwarding table, all of which have to arrive.
class PortRoutes {
public:
    PortRoutes(const Graph& graph, std::span<const Port> ports) : graph_(graph), ports_(ports) {}

    [[nodiscard]] const Graph& graph() const { return graph_; }
    /// Calls `visit(link, share)` for every link on the way between two nodes.
    void follow(std::int32_t source, std::int32_t node, auto&& visit) const {
        const auto here = static_cast<std::size_t>(node);
        const auto to = ports_.subspan(here * graph_.switches(), graph_.switches());
        const auto target = graph_.switch_of(here);
        for (auto at = graph_.switch_of(static_cast<std::size_t>(source)); at != target;) {
            const Hop& hop = graph_.hop(at, to[static_cast<std::size_t>(at)]);
            visit(hop.link, 1.0);
            at = hop.target;
        }
    }

private:
    const Graph& graph_;
    std::span<const Port> ports_;
};

/// Routes that are spread over links: of every pair of switches, the share that each link carries.
class SharedRoutes {
public:
    /// By source, then by target: the entries of a pair are those from offset[pair] on.
    SharedRoutes(const Graph& graph, std::vector<std::int64_t> offset, std::vector<std::int32_t> link,
                 std::vector<double> share)
        : graph_(graph), offset_(std::move(offset)), link_(std::move(link)), share_(std::move(share)) {}

    [[nodiscard]] const Graph& graph() const { return graph_; }
    void follow(std::int32_t source, std::int32_t node, auto&& visit) const {
        const auto from = static_cast<std::size_t>(graph_.switch_of(static_cast<std::size_t>(source)));
        const auto to = static_cast<std::size_t>(graph_.switch_of(static_cast<std::size_t>(node)));
        const auto pair = from * graph_.switches() + to;
        const auto end = static_cast<std::size_t>(offset_[pair + 1]);
        for (auto at = static_cast<std::size_t>(offset_[pair]); at < end; ++at) visit(link_[at], share_[at]);
    }

private:
    const Graph& graph_;
    std::vector<std::int64_t> offset_;
    std::vector<std::int32_t> link_;
    std::vector<double> share_;
};

template <class Routes>
[[nodiscard]] Rates rates_of(const Routes& routes, const Bisections& of);

/// Of shifts `first`, `first + 1`, ..: node i sends to node i + shift, modulo their number.
template <class Routes>
[[nodiscard]] Rates shift_rates(const Routes& routes, std::size_t first, std::size_t count);

/// Of every stream, by position: its rate, a share of full bandwidth. 1 between nodes of one switch.
template <class Routes>
[[nodiscard]] std::vector<double> stream_rates(const Routes& routes, std::span<const std::int32_t> sources,
                                               std::span<const std::int32_t> targets);

}  // namespace tvlb::forwarding
