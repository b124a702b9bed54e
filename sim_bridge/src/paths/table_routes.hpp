// The routes of a forwarding table: every packet for a node leaves a switch by the same link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "network.hpp"
#include "routers/iq/packet.hpp"
#include "vc/dependency_graph.hpp"
#include "vc/table.hpp"

namespace tvlb::sim {

class TableRoutes {
 public:
  /// The most of any route.
  struct Needs {
    int vcs = 1;
    int cycles = 0;
  };

  /// By destination node, then by switch: the link, kAbsent where there is none, and the layer of the
  /// packets that start at the switch. Throws std::invalid_argument where a link is none of its switch,
  /// or packets do not arrive.
  TableRoutes(const Network& network, std::span<const std::int32_t> links,
              std::span<const std::uint8_t> layers);

  [[nodiscard]] const Network& network() const { return network_; }
  /// Links of the longest route.
  [[nodiscard]] int most_hops() const { return most_hops_; }
  [[nodiscard]] int layer(std::int32_t node, std::int32_t sw) const { return layers_[at(node, sw)]; }
  /// Calls `visit(link)` for every link from a switch to that of the node; none is visited beyond
  /// kMaxHops, where it throws std::invalid_argument.
  void follow(std::int32_t node, std::int32_t sw, auto&& visit) const {
    const std::int32_t target = network_.node_switch(node);
    for (int hops = 0; sw != target; ++hops) {
      if (hops == kMaxHops) throw std::invalid_argument("a route is too long");
      const std::int32_t link = links_[at(node, sw)];
      visit(link);
      sw = network_.target(link);
    }
  }

  /// By a policy of virtual channels, and with cycles by the kind of a link.
  [[nodiscard]] Needs needs(const vc::Table& vcs, std::span<const int> cycles) const;
  /// What packets hold and wait for, as channels link * VCs + VC; the VC is that of the policy and the
  /// layer, of which those from the last one on share it.
  void add_dependencies(const vc::Table& vcs, int layers, int vc_count,
                        vc::DependencyGraph& graph) const;

 private:
  [[nodiscard]] std::size_t at(std::int32_t node, std::int32_t sw) const {
    return static_cast<std::size_t>(node) * static_cast<std::size_t>(network_.num_switches()) +
           static_cast<std::size_t>(sw);
  }
  void check() const;
  [[nodiscard]] int longest_to(std::int32_t node, std::vector<int>& hops) const;
  void each_route(auto&& visit) const;

  const Network& network_;
  std::vector<std::int32_t> links_;
  std::vector<std::uint8_t> layers_;
  int most_hops_ = 0;
};

}  // namespace tvlb::sim
