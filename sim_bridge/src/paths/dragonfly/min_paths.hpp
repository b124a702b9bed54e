// The MIN paths of a Dragonfly: through a global link, or the local one of two switches of a group.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "paths/candidates.hpp"
#include "dragonfly/dragonfly.hpp"

namespace tvlb::sim {

/// A global link of a shortest MIN path between switches of two groups, uniform among shortest.
[[gnu::visibility("default")]] std::int32_t draw_shortest_link(const Dragonfly& network, int source,
                                                               int target, Draws& draws);

template <>
class MinPaths<Dragonfly> {
 public:
  MinPaths(const Dragonfly& network, std::span<const Hop> hops) : network_(network), hops_(hops) {}

  [[nodiscard]] std::int32_t draw(int source, int target, Draws& draws) const {
    const int from = network_.group(source);
    const int to = network_.group(target);
    if (from == to) return kAbsent;
    const auto links = network_.global_links(from, to);
    return links[draws.below(static_cast<std::uint32_t>(links.size()))];
  }
  [[nodiscard]] std::int32_t draw_shortest(int source, int target, Draws& draws) const {
    return draw_shortest_link(network_, source, target, draws);
  }

  [[nodiscard]] int hops(int source, std::int32_t global_link, int target) const {
    if (global_link < 0) return 1;
    const Hop& global = hop(global_link);
    return 1 + static_cast<int>(global.source != source) + static_cast<int>(global.target != target);
  }
  [[nodiscard]] int first_link(int source, std::int32_t global_link, int target) const {
    if (global_link < 0) return network_.local_link(source, target);
    const int exit = hop(global_link).source;
    return exit == source ? global_link : network_.local_link(source, exit);
  }
  void append(Path& path, int source, std::int32_t global_link, int target) const {
    if (global_link < 0) {
      path.append_if(network_.local_link(source, target), true);
      return;
    }
    const Hop& global = hop(global_link);
    path.append_if(network_.local_link(source, global.source), global.source != source);
    path.append_if(global_link, true);
    path.append_if(network_.local_link(global.target, target), global.target != target);
  }

  /// Inside the source's group.
  static constexpr bool kRevisesInGroup = true;
  [[nodiscard]] bool revisable(int first_link) const {
    return !network_.is_global(first_link);
  }

 private:
  [[nodiscard]] const Hop& hop(int link) const { return hops_[static_cast<std::size_t>(link)]; }

  const Dragonfly& network_;
  std::span<const Hop> hops_;
};

}  // namespace tvlb::sim
