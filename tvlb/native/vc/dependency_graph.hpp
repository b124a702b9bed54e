// Which channels wait for which others: routes are free of deadlock if none waits in a circle (Dally
// and Seitz, 1987). What a channel is, such as a VC of a link, is known to who adds routes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tvlb::vc {

class DependencyGraph {
public:
    using Channel = std::uint32_t;

    explicit DependencyGraph(std::size_t channels) : of_(channels) {}

    /// A route holds a channel while it waits for the next one.
    void add(Channel held, Channel wanted);
    /// Takes out one route of those that were added.
    void remove_route(Channel held, Channel wanted) { --at(held, wanted).routes; }
    /// Takes out all routes of a dependency, where there are any.
    void remove(Channel held, Channel wanted);
    [[nodiscard]] std::size_t channels() const { return of_.size(); }
    [[nodiscard]] std::uint32_t routes(Channel held, Channel wanted) const;
    /// Calls `visit(held, wanted, routes)` for every dependency, by rising channels.
    void each(auto&& visit) const {
        for (Channel held = 0; held < of_.size(); ++held) {
            for (const auto& [wanted, routes] : of_[held]) {
                if (routes > 0) visit(held, wanted, routes);
            }
        }
    }

    /// Channels of which each waits for the next one and the last one for the first: a shortest circle
    /// through the lowest channel that is on any, and of these the one whose last channel is the
    /// lowest. None if there is none. O(channels + dependencies) if there is none, and that for every
    /// channel below that leads to a circle and is on none.
    [[nodiscard]] std::vector<Channel> find_cycle() const;

    /// All channels, each before those that it waits for; none if there is a circle.
    [[nodiscard]] std::vector<Channel> order() const;

private:
    friend class CycleSearch;
    friend class AcyclicDependencies;

    struct Dependency {
        Channel wanted;
        std::uint32_t routes;  // none: it was removed
    };

    [[nodiscard]] Dependency& at(Channel held, Channel wanted);
    [[nodiscard]] std::vector<Channel> shortest_through(Channel start) const;

    std::vector<std::vector<Dependency>> of_;  // by channel held, by rising channel wanted
};

/// Depth-first search from the lowest channels on, which goes on where dependencies were removed: all
/// circles of a graph, until there are no more, in O(channels + dependencies) and the length of the
/// ways that are open when a circle is found.
class CycleSearch {
public:
    using Channel = DependencyGraph::Channel;

    explicit CycleSearch(const DependencyGraph& graph)
        : graph_(graph), state_(graph.channels(), State::fresh), followed_(graph.channels(), 0) {}

    /// Channels of which each waits for the next one and the last one for the first; none if there is
    /// no circle. Only removals are allowed between calls.
    [[nodiscard]] std::span<const Channel> next();
    /// Whether a channel is known to lead to no circle.
    [[nodiscard]] bool is_done(Channel channel) const { return state_[channel] == State::done; }
    /// Those channels, each behind all that it waits for.
    [[nodiscard]] std::span<const Channel> done() const { return done_; }

private:
    enum class State : std::uint8_t { fresh, open, done };

    void leave_what_was_removed();

    const DependencyGraph& graph_;
    std::vector<State> state_;
    std::vector<std::uint32_t> followed_;  // by channel: dependencies that lead to no circle
    std::vector<Channel> done_;
    std::vector<Channel> open_;            // the way from the root, each by its next dependency
    Channel root_ = 0;
};

/// Dependencies that close no circle, kept with an order of the channels in which each waits for later
/// ones alone: one that fits the order is added at once, another one after a search.
///
/// Source: Marchetti-Spaccamela, Nanni, Rohnert, Maintaining a topological order under edge
/// insertions, 1996.
class AcyclicDependencies {
public:
    using Channel = DependencyGraph::Channel;
    static constexpr std::size_t kAll = static_cast<std::size_t>(-1);

    explicit AcyclicDependencies(std::size_t channels);
    /// `order`: of all channels, in which each waits for later ones alone.
    AcyclicDependencies(DependencyGraph graph, std::vector<Channel> order);

    /// Adds one of a route. Returns false, and adds nothing, where it would close a circle, or where
    /// that is not known from `most` channels behind the one that is wanted.
    [[nodiscard]] bool add(Channel held, Channel wanted, std::size_t most = kAll);
    void remove_route(Channel held, Channel wanted);
    /// Takes out all routes of a dependency.
    void remove(Channel held, Channel wanted);
    /// Channels of which each waits for the next one, from a channel to another one, as few as there are;
    /// none if there is no such way.
    [[nodiscard]] std::vector<Channel> way(Channel from, Channel to) const;
    [[nodiscard]] std::uint32_t routes(Channel held, Channel wanted) const {
        return graph_.routes(held, wanted);
    }
    [[nodiscard]] bool has(Channel held, Channel wanted) const { return routes(held, wanted) > 0; }
    /// In the order.
    [[nodiscard]] std::uint32_t place(Channel channel) const { return place_[channel]; }

private:
    [[nodiscard]] bool move_behind(Channel held, Channel wanted, std::size_t most);

    DependencyGraph graph_;
    std::vector<Channel> order_;
    std::vector<std::uint32_t> place_;  // in the order, by channel
    std::vector<Channel> reached_;
    std::vector<std::uint8_t> is_reached_;  // by channel, 0 or 1
};

}  // namespace tvlb::vc
