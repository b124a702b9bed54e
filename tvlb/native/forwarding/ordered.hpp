// Ways by which links follow each other in an order: tables of them cannot deadlock in one lane.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
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
    /// `dependencies`: if given, the places may change, as long as none of these links waits for an earlier
    /// one: where an order leaves a switch no way, another one may.
    Ordered(const Graph& graph, std::vector<std::int32_t> place, Table before,
            const vc::DependencyGraph* dependencies);

    /// Switches without such a way keep no entry.
    void choose(std::size_t node, std::span<Port> ports) override;
    /// Whether a link stands behind all by which the table before comes to its source, and before the one
    /// by which that goes on. Any does where places may change: mixtures wait in circles then, or take
    /// longer ways.
    [[nodiscard]] bool mixes(std::size_t node, const Hop& hop);
    /// Whether places may change.
    [[nodiscard]] bool is_flexible() const { return waits_.has_value(); }
    /// From now on places are these, and change no more.
    void fix(std::vector<std::int32_t> place);
    /// The table in use meanwhile.
    [[nodiscard]] const Table& before() const { return before_; }
    /// Behind `add` that left a switch without a way: what is in the way, with the fewest routes; none where
    /// there is nothing.
    [[nodiscard]] std::optional<Turn> obstacle(std::span<const Port> ports);
    /// Forgets that routes take these links one behind the other; none may any more.
    void clear(const Turn& turn);
    /// By link, or empty.
    [[nodiscard]] std::span<const std::int32_t> places() const { return place_; }

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

    using Channel = vc::DependencyGraph::Channel;

    bool reach(std::size_t node, std::span<Port> ports);
    void complete(std::size_t node, std::span<Port> ports);
    bool settle_in_another_order(std::span<Port> ports);
    const std::vector<Channel>& circle(const Hop& held, const Hop& wanted);
    void take(const Way& way, std::span<Port> ports);
    // Keeps places in which a link is behind another one.
    void hold(const Hop& held, const Hop& wanted);
    void offer_all(std::size_t node, std::span<const Port> ports);
    bool improves(std::size_t node, const Hop& hop, std::span<const Port> ports);
    void settle(std::int32_t sw, std::int32_t depth, double cost, std::span<const Port> ports);
    [[nodiscard]] bool is_open(std::int32_t sw) const {
        return depth_[static_cast<std::size_t>(sw)] == kNothing;
    }
    [[nodiscard]] const Hop& next(std::int32_t sw, std::span<const Port> ports) const {
        return graph().hop(sw, ports[static_cast<std::size_t>(sw)]);
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
    std::optional<vc::AcyclicDependencies> waits_;   // if places may change
    std::vector<std::pair<Channel, Channel>> held_;  // for the destination
    std::map<std::pair<Channel, Channel>, int> cleared_;  // how often
    std::map<std::pair<Channel, Channel>, std::vector<Channel>> circles_;  // by turn that closes one
    Table before_;
    bool mixes_ = true;       // entries with those, as far as they can
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
