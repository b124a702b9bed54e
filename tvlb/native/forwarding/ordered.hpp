// Ways by which links follow each other in an order: tables of them cannot deadlock in one lane.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "../vc/dependency_graph.hpp"
#include "engine.hpp"

namespace tvlb::forwarding {

/// Places of links in an order in which routes take them, by what waits for what. A link that nothing waits
/// for and that waits for none has the place before the first one that leads on from its target. Empty if
/// links wait for each other in a circle.
[[nodiscard]] std::vector<std::int32_t> link_order(const Graph& graph,
                                                   const vc::DependencyGraph& dependencies);

/// Completes tables along ways on which the places of links rise, or any if they have none. Entries that are
/// set stay wherever such a way goes on behind them. Those of switches without nodes by which no route comes
/// need no such way.
class Ordered final : public TreeEngine {
public:
    /// `before`: the table in use meanwhile, with which entries mix wherever they can, see `mixes`.
    Ordered(const Graph& graph, std::vector<std::int32_t> place, Table before)
        : TreeEngine(graph), place_(std::move(place)), before_(std::move(before)),
          depth_(graph.switches()), cost_(graph.switches()) {}

    /// Switches without such a way keep no entry.
    void choose(std::size_t node, std::span<Port> ports) override;
    /// Whether a link stands behind all by which the table before comes to its source, and before the one
    /// by which that goes on.
    [[nodiscard]] bool mixes(std::size_t node, const Hop& hop) const;

private:
    void settle(std::int32_t sw, std::int32_t depth, double cost);
    // Takes kept entries on from what was settled.
    void follow_kept(std::span<Port> ports);
    // Whether a packet may go on by the entry at the target of a link.
    [[nodiscard]] bool leads_on(const Hop& hop, std::span<const Port> ports) const;
    // Which switches are settled next.
    enum class Choice { mixing, open, kept };
    // Settles a switch by its shortest way, of these by the least loaded; false if none has one.
    bool settle_best(Choice choice, std::span<Port> ports);
    // Whether switches are open that packets start at.
    [[nodiscard]] bool has_open_sources() const;

    static constexpr std::int32_t kOpen = -1;

    std::vector<std::int32_t> place_;  // by link, or empty
    Table before_;
    bool in_order_ = true;  // whether places have to rise
    std::size_t node_ = 0;
    std::int32_t target_ = -1;
    std::vector<Port> kept_;           // by switch, like what follows
    std::vector<std::int32_t> depth_;  // links to the target, kOpen before it is settled
    std::vector<double> cost_;
    std::vector<std::int32_t> settled_;  // in this order
    std::size_t followed_ = 0;           // of them
    std::vector<std::int32_t> open_;
};

}  // namespace tvlb::forwarding
