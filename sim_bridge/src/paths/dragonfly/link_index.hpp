// Global links by a switch at one end and the group at the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dragonfly/dragonfly.hpp"

namespace tvlb::sim {

class LinkIndex {
 public:
  /// By the switch that they leave and the group that they reach.
  static LinkIndex leaving(const Dragonfly& network);
  /// By the switch that they reach and the group that they leave.
  static LinkIndex arriving(const Dragonfly& network);

  [[nodiscard]] std::span<const std::int32_t> links(int sw) const {
    return part(links_, cell(sw, 0), cell(sw + 1, 0));
  }
  [[nodiscard]] std::span<const std::int32_t> links(int sw, int group) const {
    return part(links_, cell(sw, group), cell(sw, group) + 1);
  }
  /// The other ends of links(sw), in the same order.
  [[nodiscard]] std::span<const std::int32_t> ends(int sw) const {
    return part(ends_, cell(sw, 0), cell(sw + 1, 0));
  }
  /// The largest number of links of one switch and one group.
  [[nodiscard]] std::uint32_t most() const { return most_; }

 private:
  LinkIndex(const Dragonfly& network, std::int32_t Link::* here, std::int32_t Link::* there);
  [[nodiscard]] std::size_t cell(int sw, int group) const {
    return static_cast<std::size_t>(sw) * groups_ + static_cast<std::size_t>(group);
  }
  [[nodiscard]] std::span<const std::int32_t> part(std::span<const std::int32_t> values,
                                                   std::size_t first, std::size_t last) const {
    const auto begin = static_cast<std::size_t>(offset_[first]);
    return values.subspan(begin, static_cast<std::size_t>(offset_[last]) - begin);
  }

  std::size_t groups_;
  std::uint32_t most_ = 0;
  std::vector<std::int32_t> offset_;  // per (switch, group), and one more
  std::vector<std::int32_t> links_;
  std::vector<std::int32_t> ends_;
};

}  // namespace tvlb::sim
