// MIN paths that are all shortest paths, found by their position.
#pragma once

#include <cstdint>
#include <span>

#include "candidates.hpp"
#include "shortest_paths.hpp"

namespace tvlb::sim {

/// The name of a MIN path, each as likely.
[[nodiscard]] inline std::int32_t draw_min(const ShortestPaths& network, int from, int to,
                                           Draws& draws) {
  const auto paths = static_cast<std::uint32_t>(network.min_paths(from, to));
  const auto position = paths == 1 ? 0 : static_cast<std::int32_t>(draws.below(paths));
  return network.min_name(from, to, position);
}

template <>
class MinPaths<ShortestPaths> {
 public:
  MinPaths(const ShortestPaths& network, std::span<const Hop>) : network_(network) {}

  [[nodiscard]] std::int32_t draw(int source, int target, Draws& draws) const {
    return draw_min(network_, source, target, draws);
  }
  [[nodiscard]] std::int32_t draw_shortest(int source, int target, Draws& draws) const {
    return draw(source, target, draws);
  }

  [[nodiscard]] int hops(int source, std::int32_t, int target) const {
    return network_.min_hops(source, target);
  }
  [[nodiscard]] int first_link(int source, std::int32_t name, int target) const {
    return network_.first_link(source, name, target);
  }
  void append(Path& path, int source, std::int32_t name, int target) const {
    network_.visit_min(source, name, target,
                       [&](std::int32_t link) { path.append_if(link, true); });
  }

  [[nodiscard]] bool revisable(int) const { return true; }

 private:
  const ShortestPaths& network_;
};

}  // namespace tvlb::sim
