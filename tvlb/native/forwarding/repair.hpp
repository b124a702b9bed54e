// Tables for what failures left of a network: what may stay stays, and the rest is routed by the loads.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "../vc/dependency_graph.hpp"
#include "engine.hpp"

namespace tvlb::forwarding {

class Ordered;

class Repair {
public:
    /// Parameters:
    ///   kept: the entries whose links are up, of the graph; those that may not stay are dropped.
    ///   is_shortest: whether only shortest ways are allowed.
    ///   place: by link, see `link_order`, if only ways in this order are allowed; else empty.
    ///   dependencies: if not null, the order may change, see `Ordered`.
    Repair(const Graph& graph, Table kept, bool is_shortest, std::vector<std::int32_t> place,
           const vc::DependencyGraph* dependencies);

    /// Entries that are missing, those that may not stay among them; behind `fill` all that do not.
    [[nodiscard]] std::uint64_t num_missing() const;
    /// Routes what is missing. Returns the number of entries that no allowed way completes.
    std::uint64_t fill(std::span<const std::int32_t> order);
    /// Routes what was missing again by what is there, see `Engine::route_again`; destinations that would
    /// then lack entries, or change others, stay as they are.
    void fill_again(std::span<const std::int32_t> order, int power);
    /// Routes all destinations again by what is there, along ways on which these places of links rise.
    void reroute(std::span<const std::int32_t> order, std::vector<std::int32_t> place, int passes);
    /// Takes other entries, which keep to the order.
    void replace(Table table);
    /// Changes entries, those that were missing and at most so many others, each so that the highest load
    /// of the links which it moves routes between falls.
    void rebalance(std::uint64_t most);

    [[nodiscard]] const Graph& graph() const { return graph_; }
    [[nodiscard]] const Table& table() const { return table_; }
    [[nodiscard]] std::span<const std::uint64_t> loads() const { return engine_->loads(); }

private:
    /// Routes for a node that come by an entry.
    struct Taken {
        const Hop* hop;
        std::int64_t routes;
    };
    /// The entries for a node whose routes take a link, those furthest from it first.
    struct Destination {
        std::int32_t node;
        std::vector<Taken> entries;
    };

    void drop_longer();
    std::uint64_t add(std::size_t node);
    void take_out(std::size_t node);
    std::uint64_t make_way();
    void route_again(std::span<const std::int32_t> nodes, int power);
    void keep_what_is_as_before();
    /// Whether no entry for a node is missing, and those that may stay do.
    [[nodiscard]] bool completes_kept(std::size_t node) const;
    [[nodiscard]] std::vector<Destination> over(const Hop& hop);
    [[nodiscard]] std::vector<Taken> entries_over(std::int32_t node, const Hop& hop);
    bool unload(const Hop& hop, std::vector<Destination>& over);
    [[nodiscard]] bool is_free(std::int32_t node, std::int32_t sw) const;
    [[nodiscard]] bool may_change(std::int32_t node, const Hop& to);
    [[nodiscard]] std::uint64_t highest_behind(std::int32_t node, const Hop& first, const Hop& without,
                                               std::uint64_t bound) const;
    void shift(std::int32_t node, const Hop& first, std::int64_t routes);
    [[nodiscard]] const std::vector<std::uint16_t>& hops_to(std::int32_t target);
    [[nodiscard]] bool is_missing(std::int32_t sw, std::int32_t target, Port port) const;
    [[nodiscard]] std::uint64_t missing(std::size_t node, const Table& table) const;

    static constexpr auto kNoWay = std::numeric_limits<std::uint64_t>::max();

    const Graph& graph_;
    bool is_shortest_;
    std::unique_ptr<Engine> engine_;
    Ordered* ordered_ = nullptr;  // that engine, where ways need not be shortest
    Table kept_, table_;
    std::uint64_t budget_ = 0;  // entries that may change though they were there
    std::vector<std::int32_t> lost_;  // nodes to which some switch has no way, and those in their way
    std::vector<bool> is_open_;  // by node, whether an entry was missing
    std::vector<std::vector<std::uint16_t>> hops_;  // by target, then by switch
    // Switches by which routes come to a link, and those of them to which none come.
    std::vector<std::int32_t> above_, ends_;
    std::vector<std::size_t> waiting_;        // by switch, entries that lead there
    std::vector<std::int64_t> carried_;       // by switch, routes
};

struct Change {
    std::int32_t node;
    std::int32_t sw;
};

/// Entries that differ, those nearest the destination first: no packet circles between old and new ones,
/// however many are written.
[[nodiscard]] std::vector<Change> update_order(const Graph& graph, const Table& before, const Table& after);

struct BlockWrites {
    std::vector<std::int32_t> sw, block;  // of every write, in order
    std::vector<std::int32_t> of_change;  // by change: the write that makes it
};

/// The same, many entries of a switch at a time: those of the nodes of one block. A block that would
/// have to change before and after another is written more than once.
[[nodiscard]] BlockWrites block_order(const Graph& graph, const Table& after, std::span<const Change> changes,
                                      std::span<const std::int32_t> block_of_node);

}  // namespace tvlb::forwarding
