// A sampler of the VLB paths that weigh as their shape says, on any network and without a list.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "path_sampler.hpp"
#include "paths_by_min_rule.hpp"
#include "shape_rule.hpp"

namespace tvlb::sim {

/// Draws the paths of a rule by weight.
///
/// What MIN paths a pair has is known by number: how many of each class, halves that weigh the same
/// in every path. So an intermediate is drawn by the weight of all pairs of halves that join in it,
/// then the classes of both by what they weigh together, then of each class a half. Each path is
/// thus proposed by its weight; those that do not belong to the set are refused: they pass a switch
/// twice, on networks whose paths may not, or are not among the first of the drawn length. Where
/// refusals do not end, the paths of the pair are listed for this draw. A pair that has no path is
/// given the nearest shape when it is first needed, and that is kept.
///
/// A draw takes 0.5 to 2 microseconds, about half of it to follow the halves. Of a drawn length all
/// paths of a pair are looked at when it is first needed, some milliseconds where it has 100,000.
///
/// Memory: 10 bytes per ordered pair of switches, 18 with a percentage, and 8 bytes per distinct
/// mixture of MIN paths and class; products of up to 1,024 mixtures are kept, at most 8 MiB.
class RulePaths final : public PathSampler {
 public:
  /// Throws std::invalid_argument where the rule is of other shapes than the network has.
  RulePaths(const Topology& network, const ShapeRule& rule);
  RulePaths(const Topology& network, const AllRule&);

  [[nodiscard]] std::optional<Triple> draw(int source, int target, Draws& draws) const override;
  [[nodiscard]] bool has_path(int source, int target) const override;

 private:
  using Class = std::uint16_t;
  /// MIN paths of a pair that are of one class.
  struct Part {
    Class cls;
    std::int32_t count;
  };
  using Counts = std::vector<std::pair<Class, std::int32_t>>;
  /// The numbers of MIN paths that some pairs have, among `parts_`.
  struct Mixture {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
    double total = 0.0;
    double most = 0.0;  // that these weigh together with one other half
  };
  /// What a pair draws: by the rule, or every path of one shape alike.
  enum State : std::uint16_t { kUnknown, kByRule, kNothing, kFirstShape };
  struct Pair {
    int source;
    int target;
    std::uint16_t state;

    [[nodiscard]] std::size_t shape() const { return static_cast<std::size_t>(state - kFirstShape); }
  };
  using Classes = std::pair<Part, Part>;

  void find_classes();
  void count_halves();
  void keep_products();
  void add_mixture(const Counts& counts);

  [[nodiscard]] std::size_t cell(int row, int column) const {
    return static_cast<std::size_t>(row) * switches_ + static_cast<std::size_t>(column);
  }
  [[nodiscard]] std::span<const Part> parts(std::uint32_t mixture) const {
    const auto& [begin, size, total, most] = mixtures_[mixture];
    return std::span(parts_).subspan(begin, size);
  }
  [[nodiscard]] double class_weight(Class first, Class second) const {
    return weight_[static_cast<std::size_t>(first) * hops_.size() + second];
  }
  [[nodiscard]] double weight(const Pair& pair, const Part& first, const Part& second) const;
  [[nodiscard]] double added(std::uint32_t first, std::uint32_t second) const;
  [[nodiscard]] double weight(const Pair& pair, int via) const;
  template <class Wanted, class Visit>
  void for_each_path(const Pair& pair, Wanted wanted, Visit visit) const;

  [[nodiscard]] std::uint16_t state(int source, int target) const;
  [[nodiscard]] std::uint16_t find_state(int source, int target) const;
  [[nodiscard]] bool has_own_path(const Pair& pair) const;
  [[nodiscard]] bool is_simple(const Pair& pair, const Triple& path) const;
  [[nodiscard]] bool is_kept(const Pair& pair, const Triple& path, const Part& first,
                             const Part& second) const;
  [[nodiscard]] std::uint64_t first_dropped(const Pair& pair) const;
  [[nodiscard]] std::uint64_t find_first_dropped(const Pair& pair) const;

  [[nodiscard]] std::optional<Triple> draw_without_choice(int source, int target, Draws& draws) const;
  [[nodiscard]] std::optional<Triple> propose(const Pair& pair, Draws& draws) const;
  [[nodiscard]] int draw_via(const Pair& pair, Draws& draws) const;
  [[nodiscard]] Classes draw_classes(const Pair& pair, int via, Draws& draws) const;
  [[nodiscard]] std::int32_t draw_half(int from, int to, Class cls, Draws& draws) const;
  [[nodiscard]] Triple draw_listed(const Pair& pair, Draws& draws) const;

  const Topology& network_;
  ShapeRule rule_;
  PathsByMinRule<> paths_;
  std::size_t switches_;
  std::vector<Class> class_of_;  // by code of a half
  std::vector<int> hops_;        // by class
  std::vector<double> weight_;   // by two classes
  std::vector<Part> parts_;
  std::vector<Mixture> mixtures_;    // the first is that of pairs without halves
  std::vector<std::uint32_t> from_;  // mixture by source and target
  std::vector<std::uint32_t> to_;    // by target and source
  std::vector<double> most_from_;    // of a source: the most that halves to a switch weigh
  std::vector<double> most_to_;      // of a target: the most halves from a switch
  std::vector<double> products_;     // by two mixtures; empty if they are too many
  /// Runs on several threads may all find these, and store the same.
  mutable std::vector<std::atomic<std::uint16_t>> state_;
  mutable std::vector<std::atomic<std::uint64_t>> first_dropped_;  // its key; 0 while unknown
};

/// Pairs of MIN paths that join in an intermediate, over some pairs of switches, counted until they
/// are more than `enough`.
[[nodiscard]] std::int64_t count_triples(const Topology& network,
                                         std::span<const std::int32_t> sources,
                                         std::span<const std::int32_t> targets, std::int64_t enough);

}  // namespace tvlb::sim
