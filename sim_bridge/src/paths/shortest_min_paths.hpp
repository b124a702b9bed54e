// MIN paths that are all shortest paths, found by their position.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "candidates.hpp"
#include "shape_rule.hpp"
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
    return network_.next_link(source, name, target);
  }
  void append(Path& path, int source, std::int32_t name, int target) const {
    network_.visit_min(source, name, target,
                       [&](std::int32_t link) { path.append_if(link, true); });
  }

  [[nodiscard]] bool revisable(int) const { return true; }

 private:
  const ShortestPaths& network_;
};

/// Intermediate uniform among those within the limits, halves uniform among the MIN paths.
class ShortIntermediates {
 public:
  ShortIntermediates(const ShortestPaths&, const ShortRule& limits) : limits_(limits) {}

  [[nodiscard]] std::optional<Triple> draw(const ShortestPaths& network, int source, int target,
                                           Draws& draws) const {
    const int via = draw_via(network, source, target, draws);
    if (via < 0) return std::nullopt;
    const auto first = draw_min(network, source, via, draws);
    return Triple{via, first, draw_min(network, via, target, draws)};
  }

 private:
  [[nodiscard]] bool allows(const ShortestPaths& network, int source, int via, int target) const {
    return network.is_intermediate(source, via, target) &&
           limits_.allows(network.min_hops(source, via), network.min_hops(via, target));
  }

  /// -1 if there is none. Proposals that fail again and again give way to a scan; both draw from
  /// one distribution.
  [[nodiscard]] int draw_via(const ShortestPaths& network, int source, int target,
                             Draws& draws) const {
    constexpr int kMostProposals = 64;
    const auto switches = static_cast<std::uint32_t>(network.num_switches());
    for (int proposal = 0; proposal < kMostProposals; ++proposal) {
      const auto via = static_cast<int>(draws.below(switches));
      if (allows(network, source, via, target)) return via;
    }
    std::vector<int> found;
    for (int via = 0; via < network.num_switches(); ++via) {
      if (allows(network, source, via, target)) found.push_back(via);
    }
    return found.empty() ? -1 : found[draws.below(static_cast<std::uint32_t>(found.size()))];
  }

  ShortRule limits_;
};

}  // namespace tvlb::sim
