// Draws of Valiant's detours that are cut short, on networks of diameter 2.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "shortcuts.hpp"
#include "shortest_min_paths.hpp"

namespace tvlb::sim {

/// As the rule says, by drawing again; 1 bit of memory per ordered pair of switches.
class ShortcutSampler {
 public:
  ShortcutSampler(const ShortestPaths& network, const ShortcutRule& rule)
      : paths_(network, rule),
        switches_(static_cast<std::size_t>(network.num_switches())),
        has_path_(switches_ * switches_) {
    for (std::int32_t source = 0; source < network.num_switches(); ++source) {
      for (std::int32_t target = 0; target < network.num_switches(); ++target) {
        has_path_[cell(source, target)] = source != target && paths_.has_path(source, target);
      }
    }
  }

  [[nodiscard]] bool has_path(const ShortestPaths&, int source, int target) const {
    return has_path_[cell(source, target)];
  }

  [[nodiscard]] std::optional<Triple> draw(const ShortestPaths& network, int source, int target,
                                           Draws& draws) const {
    if (!has_path_[cell(source, target)]) return std::nullopt;
    for (;;) {
      const auto via = static_cast<int>(draws.below(static_cast<std::uint32_t>(switches_)));
      if (via == source || via == target) continue;
      const auto first = draw_min(network, source, via, draws);
      const auto found = paths_.detour(source, target, via, first, [&](int from) {
        return draw_min(network, from, target, draws);
      });
      if (found) return Triple{found->via, found->first, found->second};
    }
  }

 private:
  [[nodiscard]] std::size_t cell(int source, int target) const {
    return static_cast<std::size_t>(source) * switches_ + static_cast<std::size_t>(target);
  }

  Shortcuts paths_;
  std::size_t switches_;
  std::vector<bool> has_path_;
};

}  // namespace tvlb::sim
