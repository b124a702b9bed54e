// The groups of a Dragonfly: their switches, and the groups that these are linked to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/rng.hpp"
#include "topology.hpp"

namespace tvlb::sim {

class Groups {
 public:
  explicit Groups(const Topology& network) {
    for (std::int32_t sw = 0; sw < network.num_switches(); ++sw) {
      group_.push_back(network.group(sw));
      const auto group = static_cast<std::size_t>(group_.back());
      if (switches_.size() <= group) switches_.resize(group + 1);
      if (network.num_terminals(sw) == 0) continue;
      ++num_switches_;
      switches_[group].push_back(sw);
    }
    linked_.resize(switches_.size());
    for (std::int32_t sw = 0; sw < network.num_switches(); ++sw) {
      std::vector<std::int32_t>& linked = linked_[static_cast<std::size_t>(of(sw))];
      first_linked_.push_back(static_cast<std::int32_t>(linked.size()));
      for (std::int32_t position = 0; position < network.num_leaving(sw); ++position) {
        const std::int32_t group = of(network.leaving(sw, position).sw);
        if (group != of(sw)) linked.push_back(group);
      }
      num_linked_.push_back(static_cast<std::int32_t>(linked.size()) - first_linked_.back());
    }
  }

  [[nodiscard]] std::int32_t of(std::int32_t sw) const { return group_[static_cast<std::size_t>(sw)]; }
  /// Switches of a group that have nodes, and the share of all but one of them among all there are.
  [[nodiscard]] std::span<const std::int32_t> switches(std::int32_t group) const {
    return switches_[static_cast<std::size_t>(group)];
  }
  [[nodiscard]] double share_of_others(std::int32_t group) const {
    return (static_cast<double>(switches(group).size()) - 1.0) / num_switches_;
  }
  [[nodiscard]] std::int32_t draw_switch(std::int32_t group, Draws& draws) const {
    const auto among = switches(group);
    return among[draws.below(static_cast<std::uint32_t>(among.size()))];
  }
  /// Groups behind the global ports of a switch, by port, and of all switches of a group.
  [[nodiscard]] std::span<const std::int32_t> linked(std::int32_t sw) const {
    const auto at = static_cast<std::size_t>(sw);
    return linked_of_group(of(sw)).subspan(static_cast<std::size_t>(first_linked_[at]),
                                           static_cast<std::size_t>(num_linked_[at]));
  }
  [[nodiscard]] std::span<const std::int32_t> linked_of_group(std::int32_t group) const {
    return linked_[static_cast<std::size_t>(group)];
  }

 private:
  std::int32_t num_switches_ = 0;
  std::vector<std::int32_t> group_;                   // by switch
  std::vector<std::vector<std::int32_t>> switches_;   // by group
  std::vector<std::vector<std::int32_t>> linked_;     // by group: by switch, then port
  std::vector<std::int32_t> first_linked_;            // by switch, in its group's
  std::vector<std::int32_t> num_linked_;
};

}  // namespace tvlb::sim
