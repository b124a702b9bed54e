// A sampler of the VLB paths that weigh as a rule says, on any network and without a list.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "packed_numbers.hpp"
#include "path_sampler.hpp"
#include "paths_by_min_rule.hpp"
#include "shape_rule.hpp"

namespace tvlb::sim {

/// Draws the paths of a rule by weight.
///
/// What MIN paths a pair has is known by number, its mixture: how many of each class, halves that weigh
/// the same in every path. The weights of two halves are a sum of products, one term for all first
/// halves whose rows of weights are proportional: one alone where the rule weighs halves by themselves,
/// and of more than eight one that bounds them, so that more proposals are refused.
/// In a term the paths by way of an intermediate weigh F * G: F of the mixture that leads there, G of
/// that which leads on. With f and g the lengths of the vectors of F from the source and of G to the
/// target, a term is proposed by f * g and an intermediate by (F / f)^2 + (G / g)^2, one toss and a draw
/// that knows one end; it is taken with probability 2 F G / (F^2 g / f + G^2 f / g), on average as often
/// as the cosine of the angle between both vectors, which does not shrink where few pairs have most of
/// the paths. Then of both halves a class is drawn by what it weighs, and of the class a half.
///
/// Each path is thus proposed by its weight; those that do not belong to the set are refused: they pass
/// a switch twice, on networks whose paths may not, or are not among the first of the drawn length.
/// Where refusals do not end, all intermediates are weighed, or the paths of the pair listed, for this
/// draw. A pair that has no path is given the nearest shape when it is first needed, and that is kept.
/// Of a drawn length all paths of a pair are looked at when it is first needed, some milliseconds where
/// it has 100,000.
///
/// Memory per ordered pair of switches: 5 bytes, 2 more where paths lead back by other mixtures, 1 more
/// beyond 256 mixtures of MIN paths, 2 or 4 more for each further term, 8 more with a percentage.
template <class Family>
class RulePaths final : public PathSampler {
 public:
  /// Throws std::invalid_argument where the rule is of other shapes than the network has.
  RulePaths(const Family& network, const ShapeRule& rule);
  RulePaths(const Family& network, const AllRule& rule);
  /// Shortest halves, which may pass a switch twice; intermediates weigh the same.
  RulePaths(const Family& network, const ShortRule& rule);

  [[nodiscard]] std::optional<Triple> draw(int source, int target, Draws& draws) const override;
  [[nodiscard]] bool has_path(int source, int target) const override;

 private:
  using Class = std::uint16_t;
  using Switch = std::uint16_t;
  /// What is drawn: every path, or shortest halves by way of an intermediate.
  enum class Of : std::uint8_t { paths, intermediates };
  /// MIN paths of a pair that are of one class.
  struct Part {
    Class cls;
    std::int32_t count;
    bool is_all;  // certainly: the pair has no others
  };
  using Counts = std::vector<std::pair<Class, std::int32_t>>;
  /// The numbers of MIN paths that some pairs have, among `parts_`.
  struct Mixture {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
  };
  /// What halves of a mixture weigh in a term, and the square of that by which they are proposed: at
  /// least its own, and of few values.
  struct Weight {
    double sum = 0.0;
    double square = 0.0;
  };
  /// Other ends that are proposed alike; what is drawn of 2^32 is up to `end`.
  struct Bucket {
    std::uint32_t end;
    Switch begin;
    Switch last;

    [[nodiscard]] bool operator==(const Bucket&) const = default;
  };
  /// Of a switch: the length of its vector of F or G, the inverse or 0, and where its buckets and other
  /// ends begin.
  struct Head {
    double length;
    double inverse;
    std::uint32_t buckets;
    std::uint32_t others;

    [[nodiscard]] bool operator==(const Head&) const = default;
  };
  /// Where MIN paths from a switch lead, or from where they lead to it.
  struct Ends {
    std::vector<Head> heads;  // by switch
    std::vector<Bucket> buckets;
    std::vector<Switch> others;  // by switch, bucket by bucket

    [[nodiscard]] bool operator==(const Ends&) const = default;
  };
  /// First halves whose rows of weights are `second` times what `first` says.
  struct Term {
    std::vector<double> first;   // by class
    std::vector<double> second;  // by class
    std::vector<Weight> from;    // by mixture
    std::vector<Weight> to;      // by mixture
    std::size_t sources = 0;     // of `ends_`
    std::size_t targets = 0;
  };
  /// An intermediate and the term that proposed it; none where the classes of both halves depend on each
  /// other.
  struct Via {
    int sw = -1;
    const Term* term = nullptr;
    std::uint32_t first = 0;  // mixtures of the halves, with a term
    std::uint32_t second = 0;
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

  RulePaths(const Family& network, ShapeRule rule, Of of);
  void find_classes();
  void count_halves();
  void add_mixture(const Counts& counts);
  void find_terms();
  [[nodiscard]] Term bound() const;
  [[nodiscard]] std::vector<Weight> weights_of(const std::vector<double>& by_class) const;
  [[nodiscard]] std::size_t find_ends(const std::vector<Weight>& weights, bool is_target);
  static void add_switch(Ends& ends, std::vector<std::pair<double, Switch>>& others);
  [[nodiscard]] bool are_all_alike() const;
  [[nodiscard]] Part any_half() const;
  void find_nameless();

  [[nodiscard]] std::size_t cell(int row, int column) const {
    return static_cast<std::size_t>(row) * switches_ + static_cast<std::size_t>(column);
  }
  [[nodiscard]] std::span<const Part> parts(std::uint32_t mixture) const {
    return std::span(parts_).subspan(mixtures_[mixture].begin, mixtures_[mixture].size);
  }
  [[nodiscard]] double class_weight(Class first, Class second) const {
    return weight_[static_cast<std::size_t>(first) * hops_.size() + second];
  }
  [[nodiscard]] double weighs(const Part& part) const { return of_ == Of::paths ? part.count : 1.0; }
  [[nodiscard]] double weight(const Pair& pair, const Part& first, const Part& second) const;
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
  [[nodiscard]] std::optional<Triple> propose_by(const Pair& pair, const Via& via, Draws& draws) const;
  [[nodiscard]] Via propose_via(const Pair& pair, int proposals, Draws& draws) const;
  [[nodiscard]] const Term& draw_term(const Pair& pair, Draws& draws) const;
  [[nodiscard]] Via draw_via(const Pair& pair, Draws& draws) const;
  [[nodiscard]] Classes draw_classes(const Pair& pair, const Via& via, Draws& draws) const;
  [[nodiscard]] Part draw_part(std::span<const Part> parts, const std::vector<double>& by_class,
                               double total, Draws& draws) const;
  [[nodiscard]] std::int32_t draw_half(int from, int to, const Part& part, Draws& draws) const;
  [[nodiscard]] Triple draw_listed(const Pair& pair, Draws& draws) const;

  const Family& network_;
  ShapeRule rule_;
  Of of_;
  PathsByMinRule<> paths_;
  std::size_t switches_;
  std::vector<Class> class_of_;  // by code of a half
  std::vector<int> hops_;        // by class
  std::vector<double> weight_;   // by two classes
  std::vector<Part> parts_;
  std::vector<Mixture> mixtures_;  // the first is that of pairs without halves
  PackedNumbers mixture_;          // by source and target
  std::vector<Term> terms_;
  bool are_exact_ = true;          // not a bound in place of too many
  bool are_alike_ = false;         // all intermediates of all pairs, and all MIN paths of a pair
  Part any_{};                     // of every pair, then
  std::vector<Ends> ends_;         // each once
  std::vector<std::uint32_t> nameless_begin_;  // by switch, and one more
  std::vector<std::int32_t> nameless_;         // switches that links without a name lead to
  /// Runs on several threads may all find these, and store the same.
  mutable std::vector<std::atomic<std::uint16_t>> state_;
  mutable std::vector<std::atomic<std::uint64_t>> first_dropped_;  // its key; 0 while unknown
};

}  // namespace tvlb::sim
