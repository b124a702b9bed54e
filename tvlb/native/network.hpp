// A network: switches, nodes, directed links of some kinds, and the ports that they occupy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tvlb {

inline constexpr std::int32_t kAbsent = -1;
inline constexpr std::size_t kMaxKinds = 8;

struct Link {
    std::int32_t source;
    std::int32_t target;
    std::int32_t output_port;  // at the source
    std::int32_t input_port;   // at the target
    std::uint8_t kind;
};

// A link and its other end, together since who follows a path needs both.
struct Adjacent {
    std::int32_t link;
    std::int32_t sw;
};

// Immutable. Ports of a switch: its nodes first, then its links in link order.
class [[gnu::visibility("default")]] Network {
public:
    // Nodes are numbered by rising switch. Throws std::invalid_argument where the arrays do not
    // fit each other.
    Network(std::int32_t num_switches, std::span<const std::int32_t> node_switch,
            std::span<const std::int32_t> link_source, std::span<const std::int32_t> link_target,
            std::span<const std::uint8_t> link_kind);
    Network(const Network&) = default;
    Network(Network&&) = default;
    Network& operator=(const Network&) = default;
    Network& operator=(Network&&) = default;
    virtual ~Network() = default;

    [[nodiscard]] std::int32_t num_switches() const { return num_switches_; }
    [[nodiscard]] std::int32_t num_nodes() const {
        return static_cast<std::int32_t>(node_switch_.size());
    }
    [[nodiscard]] std::int32_t num_links() const { return static_cast<std::int32_t>(links_.size()); }
    // Largest number of ports (nodes plus links of one direction) of any switch.
    [[nodiscard]] std::int32_t max_ports() const { return max_ports_; }
    // One more than the highest kind of a link.
    [[nodiscard]] std::size_t num_kinds() const { return num_kinds_; }

    [[nodiscard]] std::int32_t node_switch(std::int32_t node) const {
        return node_switch_[static_cast<std::size_t>(node)];
    }
    [[nodiscard]] std::int32_t first_node(std::int32_t sw) const {
        return first_node_[static_cast<std::size_t>(sw)];
    }
    [[nodiscard]] std::int32_t num_terminals(std::int32_t sw) const {
        return first_node(sw + 1) - first_node(sw);
    }
    [[nodiscard]] const Link& link(std::int32_t id) const {
        return links_[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] std::span<const Link> links() const { return links_; }
    [[nodiscard]] std::int32_t source(std::int32_t id) const { return link(id).source; }
    [[nodiscard]] std::int32_t target(std::int32_t id) const {
        return target_[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] std::uint8_t kind(std::size_t id) const { return links_[id].kind; }

    // Links that leave a switch; their ports follow those of its nodes.
    [[nodiscard]] std::int32_t num_leaving(std::int32_t sw) const {
        const auto here = static_cast<std::size_t>(sw);
        return leaving_.offset[here + 1] - leaving_.offset[here];
    }
    [[nodiscard]] const Adjacent& leaving(std::int32_t sw, std::int32_t position) const {
        const auto first = leaving_.offset[static_cast<std::size_t>(sw)];
        return leaving_.links[static_cast<std::size_t>(first + position)];
    }
    // The link that leaves by an output port or arrives at an input port; kAbsent for a node's.
    [[nodiscard]] std::int32_t output_link(std::int32_t sw, std::int32_t port) const {
        return of_port(leaving_, sw, port);
    }
    [[nodiscard]] std::int32_t input_link(std::int32_t sw, std::int32_t port) const {
        return of_port(arriving_, sw, port);
    }

private:
    // Links of every switch, by rising id.
    struct BySwitch {
        std::vector<std::int32_t> offset;
        std::vector<Adjacent> links;
    };

    [[nodiscard]] std::int32_t of_port(const BySwitch& of, std::int32_t sw,
                                       std::int32_t port) const;
    void number_nodes();
    [[nodiscard]] BySwitch number_ports(std::int32_t Link::* at, std::int32_t Link::* other,
                                        std::int32_t Link::* port);

    std::int32_t num_switches_;
    std::int32_t max_ports_ = 0;
    std::size_t num_kinds_ = 0;
    std::vector<std::int32_t> node_switch_;
    std::vector<std::int32_t> first_node_;  // by switch, and one more
    std::vector<Link> links_;
    std::vector<std::int32_t> target_;  // of every link, again: to follow a path needs no more
    BySwitch leaving_;
    BySwitch arriving_;
};


}  // namespace tvlb
