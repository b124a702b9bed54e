// Trees of destinations that share one layer of virtual channels: a link is taken behind another one
// only where no channels wait in a circle.
//
// Source: for growing them, Domke, Hoefler, Matsuoka, Routing on the Dependency Graph, HPDC 2016.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "../vc/dependency_graph.hpp"
#include "engine.hpp"

namespace tvlb::forwarding {

class Lane {
public:
    /// `root`: of a spanning tree whose turns are reserved, so that every destination has a tree.
    /// `mean_load`: of links, about.
    Lane(const Graph& graph, Table& table, std::int32_t root, double mean_load);

    /// Reserves a turn until `release`. Returns false where it closes a circle.
    bool reserve(const Turn& turn);
    void release();
    /// Whether a turn is reserved or in use.
    [[nodiscard]] bool has(const Turn& turn) const {
        return turns_.has(channel(*turn.held), channel(*turn.wanted));
    }
    /// Adds a turn of a route that stays; the lane has it.
    void hold(const Turn& turn) { restore(turn); }
    /// Counts the loads of a destination whose entries stay as they are.
    void keep(std::size_t node);
    /// Sets the entries for a destination: from its switch outwards, the fewest links and then the
    /// lowest prices first, where turns allow it; along the spanning tree if that leaves switches out.
    void grow(std::size_t node);
    /// Gives entries for a destination other links that cost less, where turns allow it. Returns how
    /// many were changed.
    std::size_t improve(std::size_t node);

private:
    static vc::DependencyGraph::Channel channel(const Hop& hop) {
        return static_cast<vc::DependencyGraph::Channel>(hop.link);
    }
    static std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }

    bool add(const Turn& turn, std::size_t most = vc::AcyclicDependencies::kAll) {
        return turns_.add(channel(*turn.held), channel(*turn.wanted), most);
    }
    void remove(const Turn& turn) { turns_.remove_route(channel(*turn.held), channel(*turn.wanted)); }
    void restore(const Turn& turn);
    bool add_for_now(const Turn& turn);
    void take_back();

    void span_from(std::int32_t root);
    [[nodiscard]] const Hop& next(std::int32_t sw) const { return graph_.hop(sw, ports_[index(sw)]); }
    [[nodiscard]] double price(const Hop& hop, std::int64_t routes) const;
    void open(std::size_t node);
    bool spread();
    bool attach(std::int32_t sw);
    void take_spanning_tree();
    void carry(std::int32_t sw, std::int64_t routes);
    [[nodiscard]] double cost(const Hop& first, std::int64_t routes) const;
    void find_cheaper(std::int32_t sw);
    bool replace(std::int32_t sw);
    bool each_own_turn(std::int32_t sw, auto&& visit) const;

    const Graph& graph_;
    Table& table_;
    vc::AcyclicDependencies turns_;
    std::vector<Turn> reserved_;
    std::vector<std::uint64_t> load_;     // by link
    Pricing pricing_;
    std::vector<const Hop*> up_, down_;   // of the spanning tree, by switch: to its parent, and back

    // Of the destination that is open.
    std::span<Port> ports_;
    std::int32_t target_ = 0;
    Tree tree_{graph_};
    std::vector<std::int64_t> carried_;                // by switch, nodes whose routes leave it
    std::vector<std::vector<std::int32_t>> children_;  // by switch
    std::vector<std::int32_t> hops_;                   // by switch
    std::vector<double> cost_;                         // by switch
    std::vector<Turn> added_;
    std::vector<std::pair<double, Port>> found_;  // links of a switch by cost
};

}  // namespace tvlb::forwarding
