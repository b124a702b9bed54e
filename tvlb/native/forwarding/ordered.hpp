// Ways by which links follow each other in an order: tables of them cannot deadlock in one lane.
#pragma once

#include <compare>
#include <cstddef>
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
    Ordered(const Graph& graph, std::vector<std::int32_t> place, Table before);

    /// Switches without such a way keep no entry.
    void choose(std::size_t node, std::span<Port> ports) override;
    /// Whether a link stands behind all by which the table before comes to its source, and before the one
    /// by which that goes on.
    [[nodiscard]] bool mixes(std::size_t node, const Hop& hop);

private:
    // Which ways are taken first.
    enum class Choice { mixing, open, kept, none };
    // To settle a switch by: of those of a choice the shortest, then the least loaded first.
    struct Way {
        Choice choice;
        std::int32_t depth;
        double cost;
        std::int32_t sw;
        Port port;
        auto operator<=>(const Way&) const = default;
    };

    void complete(std::size_t node, std::span<Port> ports);
    void offer_all(std::size_t node, std::span<const Port> ports);
    bool improves(std::size_t node, const Hop& hop, std::span<const Port> ports);
    void settle(std::int32_t sw, std::int32_t depth, double cost);
    [[nodiscard]] bool is_open(std::int32_t sw) const {
        return depth_[static_cast<std::size_t>(sw)] == kNothing;
    }
    // Takes kept entries on from what was settled.
    void follow_kept(std::span<Port> ports);
    void list_kept();
    void list_latest(std::size_t node);
    // Whether a packet may go on by the entry at the target of a link.
    [[nodiscard]] bool leads_on(const Hop& hop, std::span<const Port> ports) const;

    static constexpr std::int32_t kNothing = -1;
    static constexpr Way kNoWay{Choice::none, 0, 0, kNothing, kNone};

    std::vector<std::int32_t> place_;  // by link, or empty
    Table before_;
    std::size_t sources_;     // switches with nodes
    bool in_order_ = true;    // whether places have to rise
    std::int32_t target_ = kNothing;
    std::vector<Port> kept_;  // by switch, like what follows
    std::vector<std::int32_t> first_kept_, next_kept_;  // whose kept entries lead there
    std::vector<std::int32_t> latest_;  // place by which the table before comes there, for a node:
    std::size_t mixed_;
    std::vector<std::int32_t> depth_;  // links to the target, kNothing before it is settled
    std::vector<double> cost_;
    std::vector<std::int32_t> settled_;  // in this order
    std::size_t followed_ = 0;           // of them
    std::size_t open_sources_ = 0;       // not settled
    Choice worst_ = Choice::none;        // that is offered
    std::vector<Way> best_;              // by switch, of those offered
    std::vector<Way> ways_;              // a heap
};

}  // namespace tvlb::forwarding
