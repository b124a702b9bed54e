#include "rule_paths.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>

#include "dragonfly/degraded.hpp"
#include "dragonfly/dragonfly.hpp"
#include "interrupt.hpp"
#include "order.hpp"
#include "shortest_paths.hpp"

namespace tvlb::sim {
namespace {

constexpr std::size_t kMostTerms = 8;
constexpr int kFirstVias = 4;         // proposed before it is known whether a pair has paths
constexpr int kMostVias = 64;         // proposed before all are weighed
constexpr int kMostProposals = 2000;  // before the paths of a pair are listed

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

// Every path weighs 1 whose halves have allowed numbers of hops.
ShapeRule rule_by_hops(const Topology& network, auto allows) {
  ShapeRule rule;
  for (const auto& first : network.halves()) {
    for (const auto& second : network.halves()) {
      const auto one = static_cast<int>(first.size());
      const auto other = static_cast<int>(second.size());
      rule.weight.push_back(allows(one, other) ? 1.0 : 0.0);
      rule.hops.push_back(static_cast<std::int8_t>(one + other));
    }
  }
  return rule;
}

// Calls visit(switch) where the links of a MIN path lead.
template <class Family>
void visit_switches(const Family& network, int from, std::int32_t name, int to, auto visit) {
  if constexpr (requires { network.visit_steps(from, name, to, [](const Adjacent&) {}); }) {
    network.visit_steps(from, name, to, [&](const Adjacent& step) { visit(step.sw); });
  } else {
    PathLinks links;
    network.append_min(links, from, name, to);
    for (const std::int32_t link : links.view()) visit(network.target(link));
  }
}

}  // namespace

template <class Family>
RulePaths<Family>::RulePaths(const Family& network, const ShapeRule& rule)
    : RulePaths(network, rule, Of::paths) {}

template <class Family>
RulePaths<Family>::RulePaths(const Family& network, const AllRule&)
    : RulePaths(network, rule_by_hops(network, [](int, int) { return true; }), Of::paths) {}

template <class Family>
RulePaths<Family>::RulePaths(const Family& network, const ShortRule& rule)
    : RulePaths(network, rule_by_hops(network, [&](int one, int other) { return rule.allows(one, other); }),
                Of::intermediates) {}

template <class Family>
RulePaths<Family>::RulePaths(const Family& network, ShapeRule rule, Of of)
    : network_(network),
      rule_(std::move(rule)),
      of_(of),
      paths_(network, false),
      switches_(index(network.num_switches())),
      state_(switches_ * switches_),
      first_dropped_(rule_.drawn_hops > 0 ? switches_ * switches_ : 0) {
  check_rule(rule_, network);
  if (switches_ > std::numeric_limits<Switch>::max()) {
    throw std::invalid_argument(std::to_string(switches_) + " switches; at most " +
                                std::to_string(std::numeric_limits<Switch>::max()) +
                                " are drawn from by a rule");
  }
  find_classes();
  count_halves();
  find_terms();
  are_alike_ = are_all_alike();
  if (are_alike_) any_ = any_half();
  find_nameless();
}

// Halves that weigh the same with every other are one class, of as many hops where these are looked at;
// each is its own where pairs may take a nearest shape.
template <class Family>
void RulePaths<Family>::find_classes() {
  const auto halves = network_.halves();
  std::map<std::vector<double>, Class> known;
  std::vector<std::size_t> example;
  for (std::size_t code = 0; code < halves.size(); ++code) {
    std::vector<double> same;
    if (of_ == Of::intermediates || rule_.drawn_hops > 0) {
      same.push_back(static_cast<double>(halves[code].size()));
    }
    for (std::size_t other = 0; other < halves.size(); ++other) {
      same.push_back(rule_.weight[code * halves.size() + other]);
      same.push_back(rule_.weight[other * halves.size() + code]);
    }
    if (!rule_.nearest.empty()) same.push_back(static_cast<double>(code));
    const auto [one, is_new] = known.emplace(std::move(same), static_cast<Class>(known.size()));
    class_of_.push_back(one->second);
    if (is_new) example.push_back(code);
  }
  const double most = rule_.weight.empty() ? 0.0 : *std::ranges::max_element(rule_.weight);
  for (const auto first : example) {
    hops_.push_back(static_cast<int>(halves[first].size()));
    for (const auto second : example) {
      const double here = rule_.weight[first * halves.size() + second];
      weight_.push_back(most > 0.0 ? here / most : 0.0);
    }
  }
}

template <class Family>
void RulePaths<Family>::count_halves() {
  std::map<Counts, std::uint32_t> known;
  mixtures_.emplace_back();
  known.emplace(Counts{}, 0);
  std::vector<std::int32_t> count(hops_.size());
  std::vector<std::uint32_t> numbers(switches_ * switches_, 0);
  for (int source = 0; source < network_.num_switches(); ++source) {
    check_interrupt();
    const auto halves = network_.half_counts(source);
    for (int target = 0; target < network_.num_switches(); ++target) {
      if (halves[index(target)].empty()) continue;
      std::ranges::fill(count, 0);
      for (const auto& half : halves[index(target)]) count[class_of_[half.code]] += half.count;
      int least = 0;  // hops
      Counts here;
      for (std::size_t cls = 0; cls < count.size(); ++cls) {
        if (count[cls] == 0) continue;
        if (of_ == Of::intermediates && !here.empty() && hops_[cls] > least) continue;
        if (of_ == Of::intermediates && hops_[cls] < least) here.clear();
        least = hops_[cls];
        here.emplace_back(static_cast<Class>(cls), count[cls]);
      }
      const auto [one, is_new] =
          known.emplace(std::move(here), static_cast<std::uint32_t>(mixtures_.size()));
      if (is_new) add_mixture(one->first);
      numbers[cell(source, target)] = one->second;
    }
  }
  mixture_ = PackedNumbers(numbers);
}

template <class Family>
void RulePaths<Family>::add_mixture(const Counts& counts) {
  mixtures_.push_back({static_cast<std::uint32_t>(parts_.size()),
                       static_cast<std::uint32_t>(counts.size())});
  const bool is_all = of_ == Of::paths && counts.size() == 1;
  for (const auto& [cls, count] : counts) parts_.push_back({cls, count, is_all});
}

template <class Family>
void RulePaths<Family>::find_terms() {
  const auto classes = hops_.size();
  std::map<std::vector<double>, std::size_t> known;  // rows of weights, the largest one scaled to 1
  for (std::size_t cls = 0; cls < classes; ++cls) {
    const auto row = std::span(weight_).subspan(cls * classes, classes);
    const double most = *std::ranges::max_element(row);
    if (most == 0.0) continue;
    std::vector<double> scaled;
    for (const double here : row) scaled.push_back(here / most);
    const auto [one, is_new] = known.emplace(std::move(scaled), terms_.size());
    if (is_new) terms_.push_back({std::vector<double>(classes), one->first, {}, {}});
    terms_[one->second].first[cls] = most;
  }
  are_exact_ = terms_.size() <= kMostTerms;
  if (!are_exact_) terms_ = {bound()};
  for (auto& term : terms_) {
    term.from = weights_of(term.first);
    term.to = weights_of(term.second);
    term.sources = find_ends(term.from, false);
    term.targets = find_ends(term.to, true);
  }
}

// What no weight exceeds of its two halves.
template <class Family>
typename RulePaths<Family>::Term RulePaths<Family>::bound() const {
  const auto classes = static_cast<Class>(hops_.size());
  Term out{std::vector<double>(classes, 0.0), std::vector<double>(classes, 0.0), {}, {}};
  for (Class first = 0; first < classes; ++first) {
    for (Class second = 0; second < classes; ++second) {
      out.first[first] = std::max(out.first[first], class_weight(first, second));
    }
  }
  for (Class first = 0; first < classes; ++first) {
    for (Class second = 0; second < classes; ++second) {
      if (out.first[first] == 0.0) continue;
      const double share = class_weight(first, second) / out.first[first];
      out.second[second] = std::max(out.second[second], share);
    }
  }
  return out;
}

// Squares are raised to the next half power of two.
template <class Family>
std::vector<typename RulePaths<Family>::Weight> RulePaths<Family>::weights_of(
    const std::vector<double>& by_class) const {
  std::vector<Weight> out(mixtures_.size());
  for (std::uint32_t mixture = 0; mixture < out.size(); ++mixture) {
    double sum = 0.0;
    for (const auto& part : parts(mixture)) sum += weighs(part) * by_class[part.cls];
    if (sum == 0.0) continue;
    out[mixture] = {sum, std::exp2(std::ceil(4.0 * std::log2(sum) - 1e-9) / 2.0)};
  }
  return out;
}

template <class Family>
std::size_t RulePaths<Family>::find_ends(const std::vector<Weight>& weights, bool is_target) {
  Ends found;
  std::vector<std::pair<double, Switch>> others;
  for (int sw = 0; sw < network_.num_switches(); ++sw) {
    check_interrupt();
    others.clear();
    for (int other = 0; other < network_.num_switches(); ++other) {
      const auto square = weights[mixture_[is_target ? cell(other, sw) : cell(sw, other)]].square;
      if (square > 0.0) others.emplace_back(square, static_cast<Switch>(other));
    }
    add_switch(found, others);
  }
  const auto known = std::ranges::find(ends_, found);
  const auto place = static_cast<std::size_t>(known - ends_.begin());
  if (known == ends_.end()) ends_.push_back(std::move(found));
  return place;
}

template <class Family>
void RulePaths<Family>::add_switch(Ends& ends, std::vector<std::pair<double, Switch>>& others) {
  std::ranges::sort(others);
  ends.heads.push_back({0.0, 0.0, static_cast<std::uint32_t>(ends.buckets.size()),
                        static_cast<std::uint32_t>(ends.others.size())});
  std::vector<std::pair<double, Bucket>> found;  // with what is proposed together
  double total = 0.0;
  for (std::size_t i = 0; i < others.size(); ++i) {
    const auto& [square, other] = others[i];
    const auto place = static_cast<Switch>(i);
    ends.others.push_back(other);
    if (i == 0 || square != others[i - 1].first) found.push_back({0.0, {0, place, place}});
    found.back().first += square;
    found.back().second.last = place;
    total += square;
  }
  // Buckets are gone through until one is found: the most likely ones come first.
  std::ranges::stable_sort(found, std::greater{}, [](const auto& one) { return one.first; });
  double before = 0.0;
  for (auto& [share, bucket] : found) {
    before += share;
    bucket.end = static_cast<std::uint32_t>(std::min(before / total * 0x1.0p32, 0x1.0p32 - 1.0));
    ends.buckets.push_back(bucket);
  }
  if (found.empty()) return;
  ends.buckets.back().end = std::numeric_limits<std::uint32_t>::max();
  ends.heads.back().length = std::sqrt(total);
  ends.heads.back().inverse = 1.0 / std::sqrt(total);
}

template <class Family>
bool RulePaths<Family>::are_all_alike() const {
  if (terms_.size() != 1 || !are_exact_ || rule_.drawn_hops > 0 || switches_ < 3) return false;
  const auto& term = terms_.front();
  const auto some = mixture_[cell(0, 1)];
  for (int source = 0; source < network_.num_switches(); ++source) {
    for (int target = 0; target < network_.num_switches(); ++target) {
      if (source == target) continue;
      const auto here = mixture_[cell(source, target)];
      if (mixtures_[here].size != 1 || term.from[here].sum != term.from[some].sum ||
          term.to[here].sum != term.to[some].sum ||
          parts(here).front().count != network_.min_paths(source, target)) {
        return false;
      }
    }
  }
  return true;
}

// What a pair draws a half from where all are alike.
template <class Family>
typename RulePaths<Family>::Part RulePaths<Family>::any_half() const {
  const auto count = [&](int from, int to) { return parts(mixture_[cell(from, to)]).front().count; };
  Part out{0, count(0, 1), true};
  for (int source = 0; source < network_.num_switches(); ++source) {
    for (int target = 0; target < network_.num_switches(); ++target) {
      out.is_all = out.is_all && (source == target || count(source, target) == out.count);
    }
  }
  return out;
}

template <class Family>
void RulePaths<Family>::find_nameless() {
  for (int from = 0; from < network_.num_switches(); ++from) {
    nameless_begin_.push_back(static_cast<std::uint32_t>(nameless_.size()));
    for (int to = 0; to < network_.num_switches(); ++to) {
      if (from != to && !network_.has_choice(from, to) && paths_.has_nameless(from, to)) {
        nameless_.push_back(to);
      }
    }
  }
  nameless_begin_.push_back(static_cast<std::uint32_t>(nameless_.size()));
}

template <class Family>
double RulePaths<Family>::weight(const Pair& pair, const Part& first, const Part& second) const {
  const double paths = weighs(first) * weighs(second);
  if (pair.state < kFirstShape) return class_weight(first.cls, second.cls) * paths;
  // Where there are nearest shapes classes are halves.
  return first.cls * network_.halves().size() + second.cls == pair.shape() ? paths : 0.0;
}

template <class Family>
double RulePaths<Family>::weight(const Pair& pair, int via) const {
  double sum = 0.0;
  for (const auto& one : parts(mixture_[cell(pair.source, via)])) {
    for (const auto& other : parts(mixture_[cell(via, pair.target)])) sum += weight(pair, one, other);
  }
  return sum;
}

template <class Family>
bool RulePaths<Family>::has_path(int source, int target) const {
  if (!network_.has_choice(source, target)) {
    return paths_.count_without_choice(source, target) > 0;
  }
  return state(source, target) != kNothing;
}

template <class Family>
std::uint16_t RulePaths<Family>::state(int source, int target) const {
  auto& known = state_[cell(source, target)];
  auto found = known.load(std::memory_order_relaxed);
  if (found == kUnknown) {
    found = find_state(source, target);
    known.store(found, std::memory_order_relaxed);
  }
  return found;
}

template <class Family>
std::uint16_t RulePaths<Family>::find_state(int source, int target) const {
  if (has_own_path({source, target, kByRule})) return kByRule;
  if (rule_.nearest.empty()) return kNothing;
  // Shapes of which a path may be, also one that passes a switch twice.
  std::vector<bool> possible(rule_.shapes());
  for (int via = 0; via < network_.num_switches(); ++via) {
    for (const auto& first : parts(mixture_[cell(source, via)])) {
      for (const auto& second : parts(mixture_[cell(via, target)])) {
        possible[first.cls * network_.halves().size() + second.cls] = true;
      }
    }
  }
  for (const auto shape : rule_.nearest) {
    const auto state = static_cast<std::uint16_t>(kFirstShape + shape);
    if (possible[shape] && has_own_path({source, target, state})) return state;
  }
  return kNothing;
}

// By some proposals; if none is a path, all are looked at.
template <class Family>
bool RulePaths<Family>::has_own_path(const Pair& pair) const {
  constexpr int kProposals = 100;
  Stream stream(0, Purpose::route, cell(pair.source, pair.target));
  Draws draws(stream);
  for (int proposal = 0; proposal < kProposals; ++proposal) {
    if (draw_via(pair, draws).sw < 0) return false;
    if (propose(pair, draws)) return true;
  }
  bool found = false;
  for_each_path(pair, [&] { return !found; }, [&](const Triple&, double) { found = true; });
  return found;
}

// Calls visit(path, weight) for the paths that the pair draws from, while `wanted()`.
template <class Family>
template <class Wanted, class Visit>
void RulePaths<Family>::for_each_path(const Pair& pair, Wanted wanted, Visit visit) const {
  const auto halves = network_.halves().size();
  const auto admits = [&](int via) { return wanted() && weight(pair, via) > 0.0; };
  paths_.for_each_triple_by(
      pair.source, pair.target, admits,
      [&](auto via, auto first, auto second, std::size_t shape) {
        const Part one{class_of_[shape / halves], 1, false};
        const Part other{class_of_[shape % halves], 1, false};
        const double weighs = weight(pair, one, other);
        const Triple path{via, first, second};
        if (weighs > 0.0 && is_kept(pair, path, one, other)) visit(path, weighs);
      });
}

template <class Family>
std::optional<Triple> RulePaths<Family>::draw(int source, int target, Draws& draws) const {
  if (!network_.has_choice(source, target)) return draw_without_choice(source, target, draws);
  // A path of the rule's own tells that the pair draws by it.
  const Pair by_rule{source, target, kByRule};
  if (const Via via = propose_via(by_rule, kFirstVias, draws); via.sw >= 0) {
    if (const auto path = propose_by(by_rule, via, draws)) return path;
  }
  const Pair pair{source, target, state(source, target)};
  if (pair.state == kNothing) return std::nullopt;
  for (int proposal = 0; proposal < kMostProposals; ++proposal) {
    if (const auto path = propose(pair, draws)) return path;
  }
  return draw_listed(pair, draws);
}

template <class Family>
std::optional<Triple> RulePaths<Family>::draw_without_choice(int source, int target, Draws& draws) const {
  const auto begin = nameless_begin_[index(source)];
  const auto size = nameless_begin_[index(source) + 1] - begin;
  for (int proposal = 0; size > 0 && proposal < kMostVias; ++proposal) {
    const auto via = nameless_[begin + draws.below(size)];
    if (via != target && paths_.has_nameless(via, target)) return Triple{via, kAbsent, kAbsent};
  }
  const auto count = paths_.count_without_choice(source, target);
  if (count == 0) return std::nullopt;
  auto left = static_cast<std::int64_t>(draws.below(static_cast<std::uint32_t>(count)));
  std::optional<Triple> out;
  paths_.for_each_without_choice(source, target, [&](int via) {
    if (left-- == 0) out = Triple{via, kAbsent, kAbsent};
  });
  return out;
}

// A path by its weight, or one that does not belong to the set, which is none.
template <class Family>
std::optional<Triple> RulePaths<Family>::propose(const Pair& pair, Draws& draws) const {
  const Via via = draw_via(pair, draws);
  return via.sw < 0 ? std::nullopt : propose_by(pair, via, draws);
}

template <class Family>
std::optional<Triple> RulePaths<Family>::propose_by(const Pair& pair, const Via& via,
                                                    Draws& draws) const {
  const auto [first, second] = are_alike_ ? Classes{any_, any_} : draw_classes(pair, via, draws);
  const Triple path{via.sw, draw_half(pair.source, via.sw, first, draws),
                    draw_half(via.sw, pair.target, second, draws)};
  if (!is_simple(pair, path) || !is_kept(pair, path, first, second)) return std::nullopt;
  return path;
}

// By the rule; none where none of so many is taken.
template <class Family>
typename RulePaths<Family>::Via RulePaths<Family>::propose_via(const Pair& pair, int proposals,
                                                               Draws& draws) const {
  if (are_alike_) {
    for (;;) {
      const auto via = static_cast<int>(draws.below(static_cast<std::uint32_t>(switches_)));
      if (via != pair.source && via != pair.target) return {via, &terms_.front()};
    }
  }
  for (int proposal = 0; proposal < proposals && !terms_.empty(); ++proposal) {
    const Term& term = draw_term(pair, draws);
    const Ends& sources = ends_[term.sources];
    const Ends& targets = ends_[term.targets];
    const Head& source = sources.heads[index(pair.source)];
    const Head& target = targets.heads[index(pair.target)];
    const double grows = target.length * source.inverse;
    const double shrinks = source.length * target.inverse;
    if (grows == 0.0) return {};
    const auto toss = static_cast<std::uint64_t>(draws.uniform() * 0x1.0p33);
    const bool knows_target = (toss & 1U) != 0;
    const Ends& ends = knows_target ? targets : sources;
    const Head& head = knows_target ? target : source;
    const Bucket* bucket = &ends.buckets[head.buckets];
    while (toss >> 1U > bucket->end) ++bucket;
    const auto size = static_cast<std::uint32_t>(bucket->last - bucket->begin + 1);
    const int via = ends.others[head.others + bucket->begin + draws.below(size)];
    const auto one = mixture_[cell(pair.source, via)];
    const auto other = mixture_[cell(via, pair.target)];
    const Weight& first = term.from[one];
    const Weight& second = term.to[other];
    const double most = (first.square * grows + second.square * shrinks) / 2.0;
    const double here = are_exact_ ? first.sum * second.sum : weight(pair, via);
    if (draws.uniform() * most < here) return {via, are_exact_ ? &term : nullptr, one, other};
  }
  return {};
}

template <class Family>
const typename RulePaths<Family>::Term& RulePaths<Family>::draw_term(const Pair& pair,
                                                                     Draws& draws) const {
  if (terms_.size() == 1) return terms_.front();
  const auto weighs = [&](const Term& term) {
    return ends_[term.sources].heads[index(pair.source)].length *
           ends_[term.targets].heads[index(pair.target)].length;
  };
  double total = 0.0;
  for (const Term& term : terms_) total += weighs(term);
  double rank = draws.uniform() * total;
  const Term* last = &terms_.front();
  for (const Term& term : terms_) {
    const double here = weighs(term);
    if (here == 0.0) continue;
    last = &term;
    rank -= here;
    if (rank < 0.0) break;
  }
  return *last;
}

// None if no intermediate weighs anything. Proposals that fail again and again give way to a look at
// all; both draw from one distribution.
template <class Family>
typename RulePaths<Family>::Via RulePaths<Family>::draw_via(const Pair& pair, Draws& draws) const {
  if (pair.state < kFirstShape) {
    if (const Via via = propose_via(pair, kMostVias, draws); via.sw >= 0) return via;
  }
  double total = 0.0;
  for (int via = 0; via < network_.num_switches(); ++via) total += weight(pair, via);
  double rank = draws.uniform() * total;
  Via last;  // taken where rounding leaves a rank beyond all
  for (int via = 0; via < network_.num_switches(); ++via) {
    const double here = weight(pair, via);
    if (here == 0.0) continue;
    last.sw = via;
    rank -= here;
    if (rank < 0.0) break;
  }
  return last;
}

template <class Family>
typename RulePaths<Family>::Classes RulePaths<Family>::draw_classes(const Pair& pair, const Via& via,
                                                                    Draws& draws) const {
  if (via.term != nullptr) {
    return {draw_part(parts(via.first), via.term->first, via.term->from[via.first].sum, draws),
            draw_part(parts(via.second), via.term->second, via.term->to[via.second].sum, draws)};
  }
  const auto firsts = parts(mixture_[cell(pair.source, via.sw)]);
  const auto seconds = parts(mixture_[cell(via.sw, pair.target)]);
  Classes out{firsts.front(), seconds.front()};
  double rank = draws.uniform() * weight(pair, via.sw);
  for (const auto& first : firsts) {
    for (const auto& second : seconds) {
      const double here = weight(pair, first, second);
      if (here == 0.0) continue;
      out = {first, second};
      rank -= here;
      if (rank < 0.0) return out;
    }
  }
  return out;
}

template <class Family>
typename RulePaths<Family>::Part RulePaths<Family>::draw_part(std::span<const Part> parts,
                                                              const std::vector<double>& by_class,
                                                              double total, Draws& draws) const {
  Part out = parts.front();
  if (parts.size() == 1) return out;
  double rank = draws.uniform() * total;
  for (const auto& part : parts) {
    const double here = weighs(part) * by_class[part.cls];
    if (here == 0.0) continue;
    out = part;
    rank -= here;
    if (rank < 0.0) break;
  }
  return out;
}

// Of the MIN paths of a pair that are of the class, each as likely.
template <class Family>
std::int32_t RulePaths<Family>::draw_half(int from, int to, const Part& part,
                                          Draws& draws) const {
  const auto paths = part.is_all ? part.count : network_.min_paths(from, to);
  for (;;) {
    const auto position = paths == 1 ? 0 : draws.below(static_cast<std::uint32_t>(paths));
    const auto name = network_.min_name(from, to, static_cast<std::int32_t>(position));
    if (are_alike_ || part.count == paths || class_of_[network_.min_half(from, name, to)] == part.cls) return name;
  }
}

// By weight among the paths of the pair, all of them looked at.
template <class Family>
Triple RulePaths<Family>::draw_listed(const Pair& pair, Draws& draws) const {
  std::vector<Triple> paths;
  std::vector<double> cumulative;
  double total = 0.0;
  for_each_path(pair, [] { return true; }, [&](const Triple& path, double weighs) {
    paths.push_back(path);
    cumulative.push_back(total += weighs);
  });
  const auto rank = std::ranges::upper_bound(cumulative, draws.uniform() * total);
  return paths[std::min(index(rank - cumulative.begin()), paths.size() - 1)];
}

// Whether no switch is passed twice, or that is allowed. Each half by itself does not.
template <class Family>
bool RulePaths<Family>::is_simple(const Pair& pair, const Triple& path) const {
  if (of_ == Of::intermediates || !network_.are_simple()) return true;
  std::array<int, kMaxPathLinks> left;  // switches, before the intermediate
  std::size_t count = 0;
  int sw = pair.source;
  visit_switches(network_, pair.source, path.first_half, path.intermediate, [&](int next) {
    left[count++] = sw;
    sw = next;
  });
  bool meets = false;
  visit_switches(network_, path.intermediate, path.second_half, pair.target, [&](int next) {
    for (std::size_t i = 0; i < count; ++i) meets |= left[i] == next;
  });
  return !meets;
}

// Whether a path is of no drawn length or among the first of it. No two keys of a pair are equal.
template <class Family>
bool RulePaths<Family>::is_kept(const Pair& pair, const Triple& path, const Part& first,
                        const Part& second) const {
  if (rule_.drawn_hops == 0 || pair.state >= kFirstShape ||
      hops_[first.cls] + hops_[second.cls] != rule_.drawn_hops) {
    return true;
  }
  const auto& [via, start, end] = path;
  const auto key = path_key(pair_key(rule_.seed, pair.source, pair.target), via, start, end);
  return key < first_dropped(pair);
}

template <class Family>
std::uint64_t RulePaths<Family>::first_dropped(const Pair& pair) const {
  auto& known = first_dropped_[cell(pair.source, pair.target)];
  auto found = known.load(std::memory_order_relaxed);
  if (found == 0) {
    found = find_first_dropped(pair);
    known.store(found, std::memory_order_relaxed);
  }
  return found;
}

template <class Family>
std::uint64_t RulePaths<Family>::find_first_dropped(const Pair& pair) const {
  const auto key = pair_key(rule_.seed, pair.source, pair.target);
  const auto has_drawn = [&](int via) {
    for (const auto& first : parts(mixture_[cell(pair.source, via)])) {
      for (const auto& second : parts(mixture_[cell(via, pair.target)])) {
        if (hops_[first.cls] + hops_[second.cls] == rule_.drawn_hops) return true;
      }
    }
    return false;
  };
  std::vector<std::uint64_t> keys;
  paths_.for_each_triple_by(pair.source, pair.target, has_drawn,
                            [&](auto via, auto first, auto second, std::size_t shape) {
                              if (!rule_.is_drawn(shape)) return;
                              keys.push_back(path_key(key, via, first, second));
                            });
  const auto kept = drawn_count(static_cast<std::int64_t>(keys.size()), rule_.percent);
  if (index(kept) == keys.size()) return std::numeric_limits<std::uint64_t>::max();
  const auto sought = keys.begin() + kept;
  std::ranges::nth_element(keys, sought);
  return *sought;
}

template class RulePaths<Dragonfly>;
template class RulePaths<DegradedDragonfly>;
template class RulePaths<ShortestPaths>;

}  // namespace tvlb::sim
