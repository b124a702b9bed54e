// A VLB path of a switch pair, whole and in 32 bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

#include "dragonfly/dragonfly.hpp"

namespace tvlb::sim {

/// A VLB path: MIN to `intermediate` through `first_link`, MIN on through `second_link`. A link of
/// -1 is the direct local link of two switches of one group.
struct Triple {
  std::int32_t intermediate;
  std::int32_t first_link;
  std::int32_t second_link;
};

/// Numbers for the paths of a known pair: the intermediate in the low bits, above it the positions
/// of both links among those of their group pairs.
class TripleCodes {
 public:
  explicit TripleCodes(const Dragonfly& network)
      : bits_(static_cast<unsigned>(
            std::bit_width(static_cast<unsigned>(network.num_switches() - 1)))) {}

  /// Throws std::invalid_argument where the links do not join the groups, or where the number
  /// would not fit. With at most 128 ports per switch all paths of even wirings fit.
  [[nodiscard]] std::uint32_t encode(const Dragonfly& network, int source, int target,
                                     const Triple& path) const {
    if (path.intermediate < 0 || path.intermediate >= network.num_switches()) {
      throw std::invalid_argument("path rows: a switch id is out of range");
    }
    const int from = network.group(source);
    const int to = network.group(target);
    const int middle = network.group(path.intermediate);
    std::uint64_t links = 0;
    if (from == to) {
      if (middle != from || path.first_link != -1 || path.second_link != -1) {
        throw std::invalid_argument("path rows: a path between switches of one group leaves it");
      }
    } else {
      const auto second = network.global_links(middle, to);
      links = position(network.global_links(from, middle), path.first_link) * second.size() +
              position(second, path.second_link);
    }
    const std::uint64_t code =
        (links << bits_) + static_cast<std::uint64_t>(path.intermediate);
    if (code >= kNone) {
      throw std::invalid_argument("path rows: too many links between two groups");
    }
    return static_cast<std::uint32_t>(code);
  }

  [[nodiscard]] Triple decode(const Dragonfly& network, int source, int target,
                              std::uint32_t code) const {
    const auto middle = static_cast<int>(code & ((std::uint32_t{1} << bits_) - 1));
    const int from = network.group(source);
    const int to = network.group(target);
    if (from == to) return {middle, -1, -1};
    const std::uint32_t links = code >> bits_;
    const auto second = network.global_links(network.group(middle), to);
    const auto radix = static_cast<std::uint32_t>(second.size());
    const std::uint32_t position = links / radix;
    return {middle, network.global_links(from, network.group(middle))[position],
            second[links - position * radix]};
  }

  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

 private:
  static std::uint64_t position(std::span<const std::int32_t> links, std::int32_t link) {
    const auto found = std::ranges::lower_bound(links, link);
    if (found == links.end() || *found != link) {
      throw std::invalid_argument("path rows: link " + std::to_string(link) +
                                  " does not join the groups of its path");
    }
    return static_cast<std::uint64_t>(found - links.begin());
  }

  unsigned bits_;
};

}  // namespace tvlb::sim
