// Which channels wait for which others: routes are free of deadlock if none waits in a circle (Dally
// and Seitz, 1987). What a channel is, such as a VC of a link, is known to who adds routes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tvlb::vc {

class DependencyGraph {
public:
    using Channel = std::uint32_t;

    explicit DependencyGraph(std::size_t channels) : of_(channels) {}

    /// A route holds a channel while it waits for the next one.
    void add(Channel held, Channel wanted);
    /// Of all routes that were added.
    void remove(Channel held, Channel wanted);
    [[nodiscard]] std::size_t channels() const { return of_.size(); }
    [[nodiscard]] std::uint32_t routes(Channel held, Channel wanted) const;

    /// Channels of which each waits for the next one and the last one for the first: a shortest circle
    /// through the lowest channel that is on any, and of these the one whose last channel is the
    /// lowest. None if there is none. O(channels + dependencies).
    [[nodiscard]] std::vector<Channel> find_cycle() const;

private:
    struct Dependency {
        Channel wanted;
        std::uint32_t routes;
    };

    [[nodiscard]] std::optional<Channel> lowest_on_cycle() const;
    [[nodiscard]] std::vector<Channel> shortest_through(Channel start) const;

    std::vector<std::vector<Dependency>> of_;  // by channel held, by rising channel wanted
};

}  // namespace tvlb::vc
