// Samplers of the VLB paths of a Dragonfly: all of them, and shortest halves.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/rng.hpp"
#include "paths/triple.hpp"
#include "dragonfly/dragonfly.hpp"
#include "shape_rule.hpp"

namespace tvlb::sim {

/// Uniform over every (first link, intermediate, second link).
class AllTriples {
 public:
  AllTriples(const Dragonfly& network, const AllRule&);
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

}  // namespace tvlb::sim
