// A sampler of VLB paths that weigh as their shape says, without a list of them.
#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "link_index.hpp"
#include "dragonfly/dragonfly.hpp"
#include "common/rng.hpp"
#include "paths/triple.hpp"
#include "dragonfly/shapes.hpp"
#include "shape_rule.hpp"

namespace tvlb::sim {

/// Draws the paths of a rule by weight.
///
/// A path is a pair of global links that meet in a group, with up to four local hops around them:
/// at the source, before and after the intermediate, and at the target. A draw counts the pair's
/// paths by the local hops that they take, chooses which ones to take, and then proposes links
/// until some fit: exact counts and equally likely proposals make the paths of a shape equally
/// likely. Few proposals fail where groups are joined by about equally many links. The counts come
/// from tables per (switch, group) and from comparing the h links of the source with the h links of
/// the target.
///
/// Many pairs have equal counts: what follows from these is found once for all of them. A longer path of a percentage f is proposed 100/f times on average until it
/// belongs to the set: 0.3 microseconds for <=4+50%, 1.1 for <=4+1%. The first path that does not
/// belong to it is found when a pair first needs it, by a pass over all its paths of that length
/// (0.4 to 1 millisecond).
///
/// Memory: 24 bytes per (switch, group) and, on up to `kMostPairs` pairs of switches, 2 per ordered pair;
/// with a percentage 4 more per ordered pair.
class ShapePaths {
 public:
  /// Throws std::invalid_argument unless the rule is compact.
  ShapePaths(const Dragonfly& network, const ShapeRule& rule);
  ShapePaths(const ShapePaths&) = delete;
  ShapePaths& operator=(const ShapePaths&) = delete;
  ShapePaths(ShapePaths&&) = default;
  ShapePaths& operator=(ShapePaths&&) = default;
  ~ShapePaths() = default;

  [[nodiscard]] std::optional<Triple> draw(const Dragonfly& network, int source, int target,
                                           Draws& draws) const;
  [[nodiscard]] bool has_path(const Dragonfly& network, int source, int target) const;

 private:
  /// Which local hops a path takes.
  struct Shape {
    bool at_source;
    bool before;  // the intermediate
    bool after;
    bool at_target;

    [[nodiscard]] bool is_direct() const { return !before && !after; }
    /// Position in EndCounts.
    [[nodiscard]] std::size_t ends() const { return (at_source ? 2U : 0U) + (at_target ? 1U : 0U); }
  };
  /// Numbers of pairs of global links, through any group between.
  struct LinkPairs {
    std::uint32_t all = 0;
    std::uint32_t meeting = 0;  // the second starts in the switch where the first ends

    auto operator<=>(const LinkPairs&) const = default;
  };
  /// Link pairs of a switch pair by the local hops at its ends.
  using EndCounts = std::array<LinkPairs, 4>;
  /// Paths of a shape per pair of links and per meeting pair.
  struct Factors {
    std::int64_t all = 0;
    std::int64_t meeting = 0;
  };
  struct Weighted {
    Shape shape;
    Factors factors;
    double weight;

    [[nodiscard]] double size(const EndCounts& counts) const {
      const LinkPairs& pairs = counts[shape.ends()];
      return weight * static_cast<double>(factors.all * pairs.all + factors.meeting * pairs.meeting);
    }
  };
  using Shapes = std::vector<Weighted>;
  static Factors factors_of(const Shape& shape, std::int64_t group_size);
  /// The sizes of shapes between two switches, in their order, and the sum.
  struct Sizes {
    ByShape<double> of{};
    double sum = 0.0;
  };
  static Sizes sizes(const Shapes& shapes, const EndCounts& counts);
  /// What a draw needs to know of a pair of switches.
  struct PairSizes {
    Sizes whole;
    Sizes longer;
    std::int64_t kept;      // of the longer paths
    double total;           // weight of all paths that belong to the set
    const Weighted* nearest;  // where that is 0, the shape that has a path; null for none
  };
  struct Proposal {
    std::int32_t first_link;
    std::int32_t second_link;
  };
  using Proposed = std::optional<Proposal>;
  /// What a path is drawn for, in groups of their own.
  struct Way {
    const Dragonfly& network;
    int source;
    int target;
    Draws& draws;
  };

  [[nodiscard]] Weighted weighted(std::size_t shape, double weight) const;
  void choose_shapes();
  void class_pairs(const Dragonfly& network);
  [[nodiscard]] std::int64_t kept_of(std::int64_t longer) const;
  void count_link_pairs(const Dragonfly& network);
  [[nodiscard]] EndCounts count_ends(const Dragonfly& network, int source, int target) const;
  [[nodiscard]] PairSizes sizes_of(const EndCounts& counts) const;

  [[nodiscard]] std::optional<Triple> draw_of(const Way& way, const PairSizes& sizes) const;
  [[nodiscard]] Triple draw_ranked(const Way& way, const Shapes& shapes, const Sizes& sizes,
                                   double rank) const;
  [[nodiscard]] Triple draw_shaped(const Way& way, const Shape& shape) const;
  [[nodiscard]] Triple draw_kept(const Way& way, const PairSizes& sizes) const;
  [[nodiscard]] Proposed propose(const Way& way, const Shape& shape) const;
  [[nodiscard]] Proposed propose_from_source(const Way& way, const Shape& shape) const;
  [[nodiscard]] Proposed propose_from_target(const Way& way, const Shape& shape) const;
  [[nodiscard]] Proposed propose_any(const Way& way, const Shape& shape) const;

  [[nodiscard]] Triple first_dropped(const Way& way, std::int64_t longer) const;
  [[nodiscard]] Triple find_first_dropped(const Way& way, std::int64_t longer) const;

  static constexpr std::size_t kMostPairs = std::size_t{1} << 23U;

  ShapeRule rule_;
  TripleCodes<Dragonfly> codes_;
  LinkIndex leaving_;
  LinkIndex arriving_;
  std::int64_t group_size_;
  std::uint32_t most_links_ = 0;  // between two groups
  Shapes whole_;                  // all their paths belong to the set
  Shapes longer_;                 // the first in the keyed order belong to it; each weighs 1
  double longer_weight_ = 0.0;    // of a path, in the rule
  Shapes nearest_;                // for pairs without a path
  std::vector<LinkPairs> from_switch_;  // per (source, target group)
  std::vector<LinkPairs> to_switch_;    // per (target, source group)
  std::vector<LinkPairs> between_;      // per ordered pair of groups
  std::vector<PairSizes> classes_;        // of pairs with equal counts
  std::vector<std::uint16_t> class_of_;   // per ordered pair of switches; empty where there are too many
  /// Per pair the first path in the keyed order that does not belong to the set, as its code plus
  /// 1; 0 while unknown. Runs on several threads may all find it, and store the same.
  mutable std::vector<std::atomic<std::uint32_t>> first_dropped_;
};

}  // namespace tvlb::sim
