// The wiring: switches, nodes, directed links, the ports that they occupy, and the Dragonfly's
// groups. Immutable after construction and shared by runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tvlb::sim {

enum class LinkKind : std::uint8_t { local = 0, global = 1 };

/// Input of a Network; all ids are zero-based. Links are sorted by (kind, source, target).
struct Wiring {
  int num_switches = 0;
  std::span<const std::int32_t> node_switch;
  std::span<const std::int32_t> link_source;
  std::span<const std::int32_t> link_target;
  std::span<const std::uint8_t> link_kind;
  std::span<const std::int32_t> switch_group;
  std::span<const std::int32_t> group_link_offset;  // groups * groups + 1
  std::span<const std::int32_t> group_links;        // global links of group pair A * groups + B
};

struct Link {
  std::int32_t source;
  std::int32_t target;
  LinkKind kind;
  std::uint8_t output_port;  // at the source
  std::uint8_t input_port;   // at the target
};

class Network {
 public:
  /// Throws std::invalid_argument where the wiring is not a Dragonfly of equal groups.
  explicit Network(const Wiring& wiring);

  [[nodiscard]] int num_switches() const { return num_switches_; }
  [[nodiscard]] int num_nodes() const { return static_cast<int>(node_switch_.size()); }
  [[nodiscard]] int num_links() const { return static_cast<int>(links_.size()); }
  [[nodiscard]] int num_groups() const { return num_groups_; }
  [[nodiscard]] int group_size() const { return group_size_; }
  /// Largest number of ports (nodes plus links of one direction) of any switch.
  [[nodiscard]] int max_ports() const { return max_ports_; }

  [[nodiscard]] int node_switch(int node) const { return node_switch_[index(node)]; }
  [[nodiscard]] int first_node(int sw) const { return first_node_[index(sw)]; }
  [[nodiscard]] int num_terminals(int sw) const {
    return first_node_[index(sw) + 1] - first_node_[index(sw)];
  }
  [[nodiscard]] int group(int sw) const { return switch_group_[index(sw)]; }
  [[nodiscard]] const Link& link(int id) const { return links_[index(id)]; }
  [[nodiscard]] std::span<const Link> links() const { return links_; }
  /// The link that leaves by an output port or arrives at an input port; -1 for a node's port.
  [[nodiscard]] int output_link(int sw, int port) const { return output_link_[port_index(sw, port)]; }
  [[nodiscard]] int input_link(int sw, int port) const { return input_link_[port_index(sw, port)]; }

  /// Link from `source` to `target`, two switches of one group; -1 where they are the same.
  [[nodiscard]] int local_link(int source, int target) const {
    return local_link_[index(source * group_size_ + member_[index(target)])];
  }

  [[nodiscard]] std::span<const std::int32_t> global_links(int from_group, int to_group) const {
    const auto pair = index(from_group * num_groups_ + to_group);
    const auto begin = index(group_link_offset_[pair]);
    return std::span(group_links_).subspan(begin, index(group_link_offset_[pair + 1]) - begin);
  }

 private:
  static std::size_t index(int value) { return static_cast<std::size_t>(value); }
  [[nodiscard]] std::size_t port_index(int sw, int port) const {
    return index(sw) * index(max_ports_) + index(port);
  }
  void check(const Wiring& wiring) const;
  void number_terminals();
  void number_ports(const Wiring& wiring);
  void index_ports();
  void index_local_links();

  int num_switches_ = 0;
  int num_groups_ = 0;
  int group_size_ = 0;
  int max_ports_ = 0;
  std::vector<std::int32_t> node_switch_;
  std::vector<std::int32_t> first_node_;
  std::vector<std::int32_t> switch_group_;
  std::vector<Link> links_;
  std::vector<std::int32_t> output_link_;  // per (switch, port)
  std::vector<std::int32_t> input_link_;
  std::vector<std::int32_t> member_;      // position of a switch in its group
  std::vector<std::int32_t> local_link_;  // per (switch, position)
  std::vector<std::int32_t> group_link_offset_;
  std::vector<std::int32_t> group_links_;
};

/// Hops of the MIN path from `source` through global link `link` to `target`.
inline int min_path_hops(const Link& link, int source, int target) {
  return 1 + static_cast<int>(link.source != source) + static_cast<int>(link.target != target);
}

/// Shortest MIN distance of every ordered switch pair (row-major), 0 on the diagonal and
/// kUnreachable between groups that no link joins.
std::vector<std::uint8_t> shortest_min_distances(const Network& network);
inline constexpr std::uint8_t kUnreachable = 255;

}  // namespace tvlb::sim
