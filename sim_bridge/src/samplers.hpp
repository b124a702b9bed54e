// Draws of one VLB path for a pair of switches: the only thing a route decision needs to know
// about a path set.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "explicit_rows.hpp"
#include "dragonfly/path_rows.hpp"
#include "rng.hpp"
#include "shape_paths.hpp"
#include "triple.hpp"

namespace tvlb::sim {

/// The empty path set.
class NoPaths {
 public:
  [[nodiscard]] std::optional<Triple> draw(const Dragonfly&, int, int, Draws&) const {
    return std::nullopt;
  }
};

/// Uniform over every (first link, intermediate, second link).
class AllTriples {
 public:
  explicit AllTriples(const Dragonfly& network);
  [[nodiscard]] std::optional<Triple> draw(const Dragonfly& network, int source, int target,
                                           Draws& draws) const;

 private:
  [[nodiscard]] std::uint32_t link_pairs(const Dragonfly& network, int from, int middle,
                                         int to) const;
  [[nodiscard]] int draw_middle_group(const Dragonfly& network, int from, int to,
                                      Draws& draws) const;

  std::uint32_t most_link_pairs_ = 0;
  bool even_ = true;  // every middle group joins every pair by the same number of link pairs
  std::vector<std::uint32_t> total_link_pairs_;  // per ordered group pair, over middle groups
};

/// Intermediate uniform among those within the limits, halves uniform among shortest MIN paths.
class ShortHalves {
 public:
  ShortHalves(const Dragonfly& network, const ShortRule& limits)
      : limits_(limits), distances_(network) {}
  [[nodiscard]] std::optional<Triple> draw(const Dragonfly& network, int source, int target,
                                           Draws& draws) const;

 private:
  [[nodiscard]] bool allows(int source, int middle, int target) const;
  [[nodiscard]] int draw_intermediate(const Dragonfly& network, int source, int target,
                                      Draws& draws) const;
  [[nodiscard]] int scan_intermediate(const Dragonfly& network, int source, int target,
                                      Draws& draws) const;

  ShortRule limits_;
  ShortestHops distances_;
};

using PathSampler = std::variant<NoPaths, AllTriples, ShortHalves, ShapePaths, ExplicitRows>;

inline std::optional<Triple> draw_path(const PathSampler& sampler, const Dragonfly& network,
                                       int source, int target, Draws& draws) {
  return std::visit(
      [&](const auto& kind) { return kind.draw(network, source, target, draws); }, sampler);
}

/// A global link of a shortest MIN path between switches of two groups, uniform among shortest;
/// -1 where no link joins the groups.
std::int32_t draw_shortest_link(const Dragonfly& network, int source, int target, Draws& draws);

/// The first of the switch pairs for which the sampler has no path, if any.
std::optional<std::pair<int, int>> first_pair_without_path(
    const PathSampler& sampler, const Dragonfly& network, std::span<const std::int32_t> sources,
    std::span<const std::int32_t> targets);

}  // namespace tvlb::sim
