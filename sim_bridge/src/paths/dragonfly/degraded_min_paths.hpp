// The MIN paths of a Dragonfly of which links are down, found by their position.
#pragma once

#include <cstdint>
#include <span>

#include "paths/candidates.hpp"
#include "dragonfly/degraded.hpp"

namespace tvlb::sim {

template <>
class MinPaths<DegradedDragonfly> {
 public:
  MinPaths(const DegradedDragonfly& network, std::span<const Hop>) : network_(network) {}

  [[nodiscard]] std::int32_t draw(int source, int target, Draws& draws) const {
    return network_.min_name(source, target, below(network_.min_paths(source, target), draws));
  }
  [[nodiscard]] std::int32_t draw_shortest(int source, int target, Draws& draws) const {
    const auto shortest = network_.shortest_min(source, target);
    auto left = below(shortest.count, draws);
    for (std::int32_t position = 0;; ++position) {
      const auto name = network_.min_name(source, target, position);
      if (hops(source, name, target) == shortest.hops && left-- == 0) return name;
    }
  }

  [[nodiscard]] int hops(int source, std::int32_t name, int target) const {
    int links = 0;
    network_.paths().visit(source, name, target, [&](std::int32_t) { ++links; });
    return links;
  }
  [[nodiscard]] int first_link(int source, std::int32_t name, int target) const {
    int first = kAbsent;
    network_.paths().visit(source, name, target, [&](std::int32_t link) {
      if (first == kAbsent) first = link;
    });
    return first;
  }
  void append(Path& path, int source, std::int32_t name, int target) const {
    network_.paths().visit(source, name, target,
                           [&](std::int32_t link) { path.append_if(link, true); });
  }

  /// Inside the source's group.
  static constexpr bool kRevisesInGroup = true;
  [[nodiscard]] bool revisable(int first_link) const { return network_.paths().is_local(first_link); }

 private:
  static std::int32_t below(std::int32_t paths, Draws& draws) {
    return paths == 1 ? 0 : static_cast<std::int32_t>(draws.below(static_cast<std::uint32_t>(paths)));
  }

  const DegradedDragonfly& network_;
};

}  // namespace tvlb::sim
