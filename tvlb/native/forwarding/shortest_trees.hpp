// Trees of shortest ways, the one of P-SSSP (section III): of these the least loaded.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine.hpp"

namespace tvlb::forwarding {

/// An engine all of whose routes are shortest: it chooses from the destination outwards, and counts the
/// routes on the way back.
class ShortestEngine : public Engine {
public:
    explicit ShortestEngine(const Graph& graph)
        : Engine(graph), ways_(graph), taken_(graph.switches()), carried_(graph.switches()) {}

    void add(std::size_t node, std::span<Port> ports) final {
        ways_.find(graph().switch_of(node));
        choose(ports);
        count(1);
    }
    void remove(std::size_t node, std::span<const Port> ports) override {
        open(node, ports);
        count(-1);
    }

protected:
    /// Takes a link for every position of `ways().order()`.
    virtual void choose(std::span<Port> ports) = 0;
    /// Takes the entries that are there.
    void open(std::size_t node, std::span<const Port> ports) {
        ways_.find(graph().switch_of(node));
        for (std::size_t at = 0; const auto sw : ways_.order()) {
            taken_[at++] = &graph().hop(sw, ports[static_cast<std::size_t>(sw)]);
        }
    }
    /// Counts what every switch sends, and as many of these routes of each link as `sign` says.
    void count(int sign) {
        const auto order = ways_.order();
        for (const auto sw : order) carried_[static_cast<std::size_t>(sw)] = graph().nodes_at(sw);
        for (std::size_t at = order.size(); at-- > 0;) {
            const auto routes = carried_[static_cast<std::size_t>(order[at])];
            if (routes == 0) continue;
            if (sign != 0) add_load(*taken_[at], sign * routes);
            carried_[static_cast<std::size_t>(taken_[at]->target)] += routes;
        }
    }
    /// Nodes whose routes leave a switch, after `count`.
    [[nodiscard]] std::int64_t carried(std::int32_t sw) const { return carried_[static_cast<std::size_t>(sw)]; }
    /// Adds routes to all links from a switch on, by the entries.
    void carry(std::int32_t sw, std::int64_t routes, std::span<const Port> ports) {
        while (sw != ways_.target()) {
            const Hop& hop = graph().hop(sw, ports[static_cast<std::size_t>(sw)]);
            add_load(hop, routes);
            sw = hop.target;
            carried_[static_cast<std::size_t>(sw)] += routes;
        }
    }

    [[nodiscard]] const ShortestWays& ways() const { return ways_; }
    void take(std::size_t at, const Hop& hop, std::span<Port> ports) {
        taken_[at] = &hop;
        ports[static_cast<std::size_t>(hop.source)] = hop.port;
    }

private:
    ShortestWays ways_;
    std::vector<const Hop*> taken_;      // by position in the order
    std::vector<std::int64_t> carried_;  // by switch
};

/// Every switch takes one of the links that `Usable` leaves of those that lead nearer, which gets
/// graph, links and a link of them.
///
/// Entries that are there already stay.
template <auto Usable>
class ShortestTrees final : public ShortestEngine {
public:
    explicit ShortestTrees(const Graph& graph, const EngineSettings& settings = {})
        : ShortestEngine(graph), ties_(settings.ties), cost_(graph.switches()) {}

private:
    void choose(std::span<Port> ports) override {
        cost_[static_cast<std::size_t>(ways().target())] = 0;
        const auto order = ways().order();
        for (std::size_t at = 0; at < order.size(); ++at) {
            const auto sw = static_cast<std::size_t>(order[at]);
            const Hop& hop = ports[sw] == kNone ? cheapest(ways().nearer(at)) : graph().hop(order[at], ports[sw]);
            cost_[sw] = cost_by(hop);
            take(at, hop, ports);
        }
    }

    [[nodiscard]] const Hop& cheapest(std::span<const Hop> nearer) const {
        const Hop* found = nullptr;
        double least = std::numeric_limits<double>::infinity();
        for (const Hop& hop : nearer) {
            if (!Usable(graph(), nearer, hop)) continue;
            const double cost = cost_by(hop);
            // Either is chosen without a branch, which could not be foretold.
            const bool is_better = cost < least || (cost == least && ties_.wins(hop, found->port));
            found = is_better ? &hop : found;
            least = is_better ? cost : least;
        }
        return *found;
    }

    std::size_t improve(std::size_t node, std::span<Port> ports) override {
        open(node, ports);
        count(0);
        std::size_t changed = 0;
        const auto order = ways().order();
        for (std::size_t at = 0; at < order.size(); ++at) {
            const auto sw = order[at];
            const auto routes = carried(sw);
            const auto nearer = ways().nearer(at);
            if (routes == 0 || nearer.size() < 2) continue;
            carry(sw, -routes, ports);
            auto& port = ports[static_cast<std::size_t>(sw)];
            double least = cost_with(graph().hop(sw, port), routes, ports) * (1 - kLeastGain);
            const auto before = port;
            for (const Hop& hop : nearer) {
                if (hop.port == before || !Usable(graph(), nearer, hop)) continue;
                const double cost = cost_with(hop, routes, ports);
                if (cost >= least) continue;
                least = cost;
                port = hop.port;
            }
            changed += port != before;
            carry(sw, routes, ports);
        }
        return changed;
    }

    // Of the way that begins with a link, with so many routes more.
    [[nodiscard]] double cost_with(const Hop& first, std::int64_t routes, std::span<const Port> ports) const {
        double sum = price_with(first, routes);
        for (auto at = first.target; at != ways().target();) {
            const Hop& hop = graph().hop(at, ports[static_cast<std::size_t>(at)]);
            sum += price_with(hop, routes);
            at = hop.target;
        }
        return sum;
    }

    static constexpr double kLeastGain = 1e-9;

    [[nodiscard]] double cost_by(const Hop& hop) const {
        return price(hop) + cost_[static_cast<std::size_t>(hop.target)];
    }

    Ties ties_;
    std::vector<double> cost_;  // by switch
};

constexpr bool is_any(const Graph&, std::span<const Hop>, const Hop&) { return true; }

using Psssp = ShortestTrees<is_any>;

}  // namespace tvlb::forwarding
