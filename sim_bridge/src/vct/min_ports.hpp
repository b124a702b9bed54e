// Output ports that lead a packet on along MIN paths, hop by hop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "topology.hpp"

namespace tvlb::sim::vct {

/// Of every switch on the way to one with nodes: the ports that shortest MIN paths leave it by.
class MinPorts {
 public:
  /// Throws std::invalid_argument where a pair has too many MIN paths to follow each of them.
  explicit MinPorts(const Topology& network);

  /// For different switches.
  [[nodiscard]] std::span<const std::uint8_t> operator()(std::int32_t from, std::int32_t to) const {
    const std::size_t pair = static_cast<std::size_t>(to) * switches_ + static_cast<std::size_t>(from);
    const auto begin = static_cast<std::size_t>(offset_[pair]);
    return {port_.data() + begin, static_cast<std::size_t>(offset_[pair + 1]) - begin};
  }
  /// Links of the longest of these paths.
  [[nodiscard]] int longest() const { return longest_; }

  /// Whether links that packets on these paths hold wait for each other in a circle. With
  /// `global_kind`, other links that come behind one of that kind count as links of their own.
  [[nodiscard]] bool closes_circle(const Network& network, int global_kind) const;

 private:
  std::size_t switches_;
  std::vector<std::int32_t> offset_{0};  // by source within target
  std::vector<std::uint8_t> port_;
  int longest_ = 0;
};

}  // namespace tvlb::sim::vct
