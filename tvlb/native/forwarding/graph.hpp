// The switches of a network as engines of forwarding tables see them: links in the order in which ties
// are decided, by target switch, then ordinal. A port is the position of a link in that order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../network.hpp"

namespace tvlb::forwarding {

using Port = std::uint8_t;
/// No link: at the switch of the destination, and where there is no way.
inline constexpr Port kNone = 255;
inline constexpr std::size_t kMostPorts = kNone;

struct Hop {
    std::int32_t source;
    std::int32_t target;
    std::int32_t link;
    Port port;  // at the source
};

/// Two links of a route, one behind the other.
struct Turn {
    const Hop* held;
    const Hop* wanted;
};

class Graph {
public:
    /// Throws std::invalid_argument if a switch has more than kMostPorts links that leave it.
    explicit Graph(const Network& network);

    [[nodiscard]] std::size_t switches() const { return nodes_.size(); }
    /// Switches with links; others are down.
    [[nodiscard]] std::span<const std::int32_t> joined() const { return joined_; }
    [[nodiscard]] std::size_t nodes() const { return switch_of_.size(); }
    [[nodiscard]] std::size_t links() const { return links_; }
    [[nodiscard]] std::int32_t switch_of(std::size_t node) const { return switch_of_[node]; }
    /// Compute nodes of a switch.
    [[nodiscard]] std::int32_t nodes_at(std::int32_t sw) const { return nodes_[index(sw)]; }
    [[nodiscard]] std::int32_t first_node(std::int32_t sw) const { return first_node_[index(sw)]; }
    /// Links that leave a switch, by rising port.
    [[nodiscard]] std::span<const Hop> leaving(std::int32_t sw) const {
        return std::span(leaving_).subspan(out_[index(sw)], out_[index(sw) + 1] - out_[index(sw)]);
    }
    /// Links that arrive at a switch, by rising source and port.
    [[nodiscard]] std::span<const Hop> arriving(std::int32_t sw) const {
        return std::span(arriving_).subspan(in_[index(sw)], in_[index(sw) + 1] - in_[index(sw)]);
    }
    /// The link of a port; it has to exist.
    [[nodiscard]] const Hop& hop(std::int32_t sw, Port port) const {
        return leaving_[out_[index(sw)] + port];
    }
    /// The link of an id.
    [[nodiscard]] const Hop& of_link(std::size_t id) const { return leaving_[place_[id]]; }
    /// Its kind, as networks number them.
    [[nodiscard]] std::uint8_t kind(const Hop& hop) const { return kind_[index(hop.link)]; }
    [[nodiscard]] bool has(std::int32_t sw, Port port) const { return port < leaving(sw).size(); }

private:
    [[nodiscard]] static std::size_t index(std::int32_t value) {
        return static_cast<std::size_t>(value);
    }

    std::size_t links_;
    std::vector<std::int32_t> switch_of_;   // by node
    std::vector<std::int32_t> nodes_;       // by switch
    std::vector<std::int32_t> first_node_;  // by switch
    std::vector<std::int32_t> joined_;
    std::vector<std::size_t> out_, in_;     // by switch, and one more
    std::vector<Hop> leaving_, arriving_;
    std::vector<std::size_t> place_;        // among leaving links, by id
    std::vector<std::uint8_t> kind_;        // by id
};

/// Shortest ways to one switch: the others by rising distance, each with the links that lead nearer.
class ShortestWays {
public:
    explicit ShortestWays(const Graph& graph) : graph_(graph), hops_(graph.switches()) {}

    /// O(links), unless they are those of the last call.
    void find(std::int32_t target);

    [[nodiscard]] std::int32_t target() const { return target_; }
    [[nodiscard]] std::span<const std::int32_t> order() const { return order_; }
    /// Of the switch at a position of the order, by rising port.
    [[nodiscard]] std::span<const Hop> nearer(std::size_t position) const {
        return std::span(nearer_).subspan(begin_[position], begin_[position + 1] - begin_[position]);
    }
    /// Links to the target, kUnreached where there is no way.
    [[nodiscard]] std::span<const std::int32_t> hops() const { return hops_; }
    static constexpr std::int32_t kUnreached = -1;

private:
    const Graph& graph_;
    std::int32_t target_ = -1;
    std::vector<std::int32_t> hops_;  // by switch
    std::vector<std::int32_t> order_;
    std::vector<std::size_t> begin_;  // by position, and one more
    std::vector<Hop> nearer_;
};

}  // namespace tvlb::forwarding
