// Engines of forwarding tables. An engine is one source file of `engines`: a class derived from Engine,
// and a Registration of it.
//
// Source: Hoefler, Schneider, Lumsdaine, Optimized Routing for Large-Scale InfiniBand Networks, 2009.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "../order.hpp"
#include "../registry.hpp"
#include "graph.hpp"

namespace tvlb::forwarding {

/// Ports by destination, then by switch.
class Table {
public:
    Table(std::size_t nodes, std::size_t switches)
        : switches_(switches), ports_(nodes * switches, kNone) {}
    Table(std::span<const Port> ports, std::size_t switches)
        : switches_(switches), ports_(ports.begin(), ports.end()) {}

    [[nodiscard]] std::span<Port> to(std::size_t node) {
        return std::span(ports_).subspan(node * switches_, switches_);
    }
    [[nodiscard]] std::span<const Port> to(std::size_t node) const {
        return std::span(ports_).subspan(node * switches_, switches_);
    }
    [[nodiscard]] const std::vector<Port>& ports() const { return ports_; }

private:
    std::size_t switches_;
    std::vector<Port> ports_;
};

/// Follows the entries for one destination.
class Tree {
public:
    explicit Tree(const Graph& graph)
        : graph_(graph), waiting_(graph.switches()), carried_(graph.switches()) {}

    /// Calls `visit(hop, routes)` for the entry of every switch of which no entry leads back to it, with
    /// the nodes whose routes take it; entries further away come first. Returns the number of switches
    /// that were visited. O(switches).
    std::size_t each(std::span<const Port> ports, auto&& visit) {
        std::ranges::fill(waiting_, 0);
        const auto switches = static_cast<std::int32_t>(graph_.switches());
        for (std::int32_t sw = 0; sw < switches; ++sw) {
            const auto here = static_cast<std::size_t>(sw);
            carried_[here] = graph_.nodes_at(sw);
            if (ports[here] != kNone) {
                ++waiting_[static_cast<std::size_t>(graph_.hop(sw, ports[here]).target)];
            }
        }
        std::size_t visited = 0;
        for (std::int32_t start = 0; start < switches; ++start) {
            auto sw = start;
            while (waiting_[static_cast<std::size_t>(sw)] == 0) {
                const auto here = static_cast<std::size_t>(sw);
                waiting_[here] = kDone;
                if (ports[here] == kNone) break;
                const Hop& hop = graph_.hop(sw, ports[here]);
                visit(hop, carried_[here]);
                ++visited;
                const auto next = static_cast<std::size_t>(hop.target);
                carried_[next] += carried_[here];
                --waiting_[next];
                sw = hop.target;
            }
        }
        return visited;
    }

private:
    static constexpr std::int32_t kDone = -1;

    const Graph& graph_;
    std::vector<std::int32_t> waiting_;  // entries that lead to a switch and were not visited
    std::vector<std::int64_t> carried_;
};

/// What a link costs by its load: load / scale, to a power. High powers lower the highest loads first.
struct Pricing {
    double scale = 1;
    int power = 1;

    [[nodiscard]] double price(std::uint64_t load) const {
        // Signed numbers are converted faster.
        const double share = static_cast<double>(static_cast<std::int64_t>(load)) / scale;
        double product = share;
        for (int i = 1; i < power; ++i) product *= share;
        return product;
    }
};

/// Sets entries by the loads of links so far: routes of ordered pairs of nodes.
class Engine {
public:
    explicit Engine(const Graph& graph)
        : graph_(graph), load_(graph.links(), 0), price_(graph.links(), 0) {}
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    virtual ~Engine() = default;

    /// Sets the entries that one destination lacks, and counts its routes. Those of its own switch stay
    /// kNone.
    virtual void add(std::size_t node, std::span<Port> ports) = 0;
    /// Counts the routes for one destination by entries that are there.
    void keep(std::span<const Port> ports) { count(ports, 1); }
    /// Takes the routes for one destination out, which has all its entries.
    virtual void remove(std::size_t node, std::span<const Port> ports);
    /// Sets all entries.
    virtual void route(std::span<const std::int32_t> order, Table& table);
    /// Takes every destination out once, in this order, but for the entries that are kept, and routes it
    /// again by what is there, with prices of the mean load and this power.
    void route_again(std::span<const std::int32_t> order, int power, Table& table,
                     const Table* kept = nullptr);
    /// Changes entries of every destination, in this order and one by one, so that the sum of prices of all
    /// routes falls, as far as the engine has a choice. Returns how many changed.
    std::size_t improve(std::span<const std::int32_t> order, int power, Table& table);
    /// Moves routes from a link to others.
    void move(const Hop& hop, std::int64_t routes) { add_load(hop, routes); }

    [[nodiscard]] std::span<const std::uint64_t> loads() const { return load_; }

protected:
    [[nodiscard]] const Graph& graph() const { return graph_; }
    /// At first the load, exact: sums of loads are far below 2^53.
    [[nodiscard]] double price(const Hop& hop) const {
        return price_[static_cast<std::size_t>(hop.link)];
    }
    /// With so many routes more.
    [[nodiscard]] double price_with(const Hop& hop, std::int64_t routes) const {
        return pricing_.price(load_[static_cast<std::size_t>(hop.link)] + static_cast<std::uint64_t>(routes));
    }
    /// Changes the entries for one destination, all of which are there, see `improve`.
    virtual std::size_t improve(std::size_t /*node*/, std::span<Port> /*ports*/) { return 0; }
    void add_load(const Hop& hop, std::int64_t routes) {
        auto& load = load_[static_cast<std::size_t>(hop.link)];
        load += static_cast<std::uint64_t>(routes);
        price_[static_cast<std::size_t>(hop.link)] = pricing_.price(load);
    }

private:
    /// The routes of a tree, as many as `sign` says of each.
    void count(std::span<const Port> ports, int sign);
    /// Of loads over their mean, to a power.
    void set_prices(int power);

    friend class TreeEngine;

    const Graph& graph_;
    std::vector<std::uint64_t> load_;
    std::vector<double> price_;
    Pricing pricing_;
    Tree tree_{graph_};
};

/// An engine that chooses all entries for a destination before it counts the routes.
class TreeEngine : public Engine {
public:
    using Engine::Engine;

    void add(std::size_t node, std::span<Port> ports) final {
        choose(node, ports);
        count(ports, 1);
    }

protected:
    virtual void choose(std::size_t node, std::span<Port> ports) = 0;
};

/// Who wins where ways cost the same: the first port, or the first one in an order drawn at each switch.
class Ties {
public:
    Ties() = default;
    explicit Ties(std::uint64_t seed) : seed_(seed), are_drawn_(true) {}

    /// Whether a link wins against a lower port of its switch.
    [[nodiscard]] bool wins(const Hop& hop, Port kept) const {
        return are_drawn_ && lot(hop.source, hop.port) < lot(hop.source, kept);
    }

private:
    [[nodiscard]] std::uint64_t lot(std::int32_t sw, Port port) const {
        return fold(fold(mix64(seed_), sw), port);
    }

    std::uint64_t seed_ = 0;
    bool are_drawn_ = false;
};

/// What an engine may be told.
struct EngineSettings {
    std::span<const std::int32_t> roots = {};  // switches; none: those that it finds
    Ties ties = {};
};

/// What is known of an engine.
struct Traits {
    bool is_shortest = true;        // all routes are
    bool takes_roots = false;       // EngineSettings::roots say something to it
    bool needs_dimensions = false;  // kinds of links have to be the dimensions of a lattice
};

struct EngineKind {
    std::string_view name;
    std::string_view text;
    int place;  // in lists of engines
    Traits traits;
    std::unique_ptr<Engine> (*make)(const Graph&, const EngineSettings&);
};

using EngineKinds = Registry<EngineKind>;

/// A static object of this type makes an engine known.
template <class Made>
struct Registration {
    Registration(std::string_view name, int place, std::string_view text, Traits traits = {}) {
        EngineKinds::add({name, text, place, traits, &make});
    }

private:
    static std::unique_ptr<Engine> make(const Graph& graph, const EngineSettings& settings) {
        if constexpr (std::constructible_from<Made, const Graph&, const EngineSettings&>) {
            return std::make_unique<Made>(graph, settings);
        } else {
            return std::make_unique<Made>(graph);
        }
    }
};

}  // namespace tvlb::forwarding
