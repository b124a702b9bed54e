#include "rule_paths.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "interrupt.hpp"
#include "order.hpp"

namespace tvlb::sim {
namespace {

constexpr std::size_t kMostProducts = 1024;  // mixtures of which products are kept
constexpr int kMostVias = 64;                // proposed before all are weighed
constexpr int kMostProposals = 2000;         // before the paths of a pair are listed

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

}  // namespace

RulePaths::RulePaths(const Topology& network, const AllRule&)
    : RulePaths(network, {std::vector<double>(num_shapes(network), 1.0),
                          std::vector<std::int8_t>(num_shapes(network), 0), {}}) {}

RulePaths::RulePaths(const Topology& network, const ShapeRule& rule)
    : network_(network),
      rule_(rule),
      paths_(network, false),
      switches_(index(network.num_switches())),
      most_from_(switches_, 0.0),
      most_to_(switches_, 0.0),
      state_(switches_ * switches_),
      first_dropped_(rule.drawn_hops > 0 ? switches_ * switches_ : 0) {
  check_rule(rule, network);
  find_classes();
  count_halves();
  keep_products();
}

// Halves of as many hops that weigh the same with every other are one class; each is its own where
// pairs may take a nearest shape.
void RulePaths::find_classes() {
  const auto halves = network_.halves();
  std::map<std::vector<double>, Class> known;
  std::vector<std::size_t> example;
  for (std::size_t code = 0; code < halves.size(); ++code) {
    std::vector<double> same{static_cast<double>(halves[code].size())};
    for (std::size_t other = 0; other < halves.size(); ++other) {
      same.push_back(rule_.weight[code * halves.size() + other]);
      same.push_back(rule_.weight[other * halves.size() + code]);
    }
    if (!rule_.nearest.empty()) same.push_back(static_cast<double>(code));
    const auto [one, is_new] = known.emplace(std::move(same), static_cast<Class>(known.size()));
    class_of_.push_back(one->second);
    if (is_new) example.push_back(code);
  }
  for (const auto first : example) {
    hops_.push_back(static_cast<int>(halves[first].size()));
    for (const auto second : example) {
      weight_.push_back(rule_.weight[first * halves.size() + second]);
    }
  }
}

void RulePaths::count_halves() {
  from_.assign(switches_ * switches_, 0);
  to_ = from_;
  std::map<Counts, std::uint32_t> known;
  mixtures_.emplace_back();
  known.emplace(Counts{}, 0);
  std::vector<std::int32_t> count(hops_.size());
  for (int source = 0; source < network_.num_switches(); ++source) {
    check_interrupt();
    const auto halves = network_.half_counts(source);
    for (int target = 0; target < network_.num_switches(); ++target) {
      if (halves[index(target)].empty()) continue;
      std::ranges::fill(count, 0);
      for (const auto& half : halves[index(target)]) count[class_of_[half.code]] += half.count;
      Counts here;
      for (std::size_t cls = 0; cls < count.size(); ++cls) {
        if (count[cls] > 0) here.emplace_back(static_cast<Class>(cls), count[cls]);
      }
      const auto [one, is_new] =
          known.emplace(std::move(here), static_cast<std::uint32_t>(mixtures_.size()));
      if (is_new) add_mixture(one->first);
      const auto& found = mixtures_[one->second];
      from_[cell(source, target)] = one->second;
      to_[cell(target, source)] = one->second;
      most_from_[index(source)] = std::max(most_from_[index(source)], found.most);
      most_to_[index(target)] = std::max(most_to_[index(target)], found.total);
    }
  }
}

void RulePaths::add_mixture(const Counts& counts) {
  Mixture out{static_cast<std::uint32_t>(parts_.size()), static_cast<std::uint32_t>(counts.size()),
              0.0, 0.0};
  std::vector<double> with(hops_.size(), 0.0);
  for (const auto& [cls, count] : counts) {
    parts_.push_back({cls, count});
    out.total += count;
    for (std::size_t other = 0; other < with.size(); ++other) {
      with[other] += count * class_weight(cls, static_cast<Class>(other));
    }
  }
  out.most = *std::ranges::max_element(with);
  mixtures_.push_back(out);
}

void RulePaths::keep_products() {
  if (mixtures_.size() > kMostProducts) return;
  for (std::uint32_t first = 0; first < mixtures_.size(); ++first) {
    for (std::uint32_t second = 0; second < mixtures_.size(); ++second) {
      products_.push_back(added(first, second));
    }
  }
}

// What the paths weigh together that are made of all pairs of such halves.
double RulePaths::added(std::uint32_t first, std::uint32_t second) const {
  double sum = 0.0;
  for (const auto& one : parts(first)) {
    for (const auto& other : parts(second)) {
      sum += class_weight(one.cls, other.cls) * one.count * other.count;
    }
  }
  return sum;
}

double RulePaths::weight(const Pair& pair, const Part& first, const Part& second) const {
  const double paths = static_cast<double>(first.count) * second.count;
  if (pair.state < kFirstShape) return class_weight(first.cls, second.cls) * paths;
  // Where there are nearest shapes classes are halves.
  return first.cls * network_.halves().size() + second.cls == pair.shape() ? paths : 0.0;
}

double RulePaths::weight(const Pair& pair, int via) const {
  const auto first = from_[cell(pair.source, via)];
  const auto second = to_[cell(pair.target, via)];
  if (pair.state < kFirstShape) {
    return products_.empty() ? added(first, second) : products_[first * mixtures_.size() + second];
  }
  double sum = 0.0;
  for (const auto& one : parts(first)) {
    for (const auto& other : parts(second)) sum += weight(pair, one, other);
  }
  return sum;
}

bool RulePaths::has_path(int source, int target) const {
  if (!network_.has_choice(source, target)) {
    return paths_.count_without_choice(source, target) > 0;
  }
  return state(source, target) != kNothing;
}

std::uint16_t RulePaths::state(int source, int target) const {
  auto& known = state_[cell(source, target)];
  auto found = known.load(std::memory_order_relaxed);
  if (found == kUnknown) {
    found = find_state(source, target);
    known.store(found, std::memory_order_relaxed);
  }
  return found;
}

std::uint16_t RulePaths::find_state(int source, int target) const {
  if (has_own_path({source, target, kByRule})) return kByRule;
  if (rule_.nearest.empty()) return kNothing;
  // Shapes of which a path may be, also one that passes a switch twice.
  std::vector<bool> possible(rule_.shapes());
  for (int via = 0; via < network_.num_switches(); ++via) {
    for (const auto& first : parts(from_[cell(source, via)])) {
      for (const auto& second : parts(to_[cell(target, via)])) {
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
bool RulePaths::has_own_path(const Pair& pair) const {
  constexpr int kProposals = 100;
  Stream stream(0, Purpose::route, cell(pair.source, pair.target));
  Draws draws(stream);
  for (int proposal = 0; proposal < kProposals; ++proposal) {
    if (draw_via(pair, draws) < 0) return false;
    if (propose(pair, draws)) return true;
  }
  bool found = false;
  for_each_path(pair, [&] { return !found; }, [&](const Triple&, double) { found = true; });
  return found;
}

// Calls visit(path, weight) for the paths that the pair draws from, while `wanted()`.
template <class Wanted, class Visit>
void RulePaths::for_each_path(const Pair& pair, Wanted wanted, Visit visit) const {
  const auto halves = network_.halves().size();
  const auto admits = [&](int via) { return wanted() && weight(pair, via) > 0.0; };
  paths_.for_each_triple_by(
      pair.source, pair.target, admits,
      [&](auto via, auto first, auto second, std::size_t shape) {
        const Part one{class_of_[shape / halves], 1};
        const Part other{class_of_[shape % halves], 1};
        const double weighs = weight(pair, one, other);
        const Triple path{via, first, second};
        if (weighs > 0.0 && is_kept(pair, path, one, other)) visit(path, weighs);
      });
}

std::optional<Triple> RulePaths::draw(int source, int target, Draws& draws) const {
  if (!network_.has_choice(source, target)) return draw_without_choice(source, target, draws);
  const Pair pair{source, target, state(source, target)};
  if (pair.state == kNothing) return std::nullopt;
  for (int proposal = 0; proposal < kMostProposals; ++proposal) {
    if (const auto path = propose(pair, draws)) return path;
  }
  return draw_listed(pair, draws);
}

std::optional<Triple> RulePaths::draw_without_choice(int source, int target, Draws& draws) const {
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
std::optional<Triple> RulePaths::propose(const Pair& pair, Draws& draws) const {
  const int via = draw_via(pair, draws);
  if (via < 0) return std::nullopt;
  const auto [first, second] = draw_classes(pair, via, draws);
  const Triple path{via, draw_half(pair.source, via, first.cls, draws),
                    draw_half(via, pair.target, second.cls, draws)};
  if (!is_simple(pair, path) || !is_kept(pair, path, first, second)) return std::nullopt;
  return path;
}

// -1 if no intermediate weighs anything. Proposals that fail again and again give way to a look at
// all; both draw from one distribution.
int RulePaths::draw_via(const Pair& pair, Draws& draws) const {
  if (pair.state < kFirstShape) {
    const double most = most_from_[index(pair.source)] * most_to_[index(pair.target)];
    for (int proposal = 0; proposal < kMostVias; ++proposal) {
      const auto via = static_cast<int>(draws.below(static_cast<std::uint32_t>(switches_)));
      const double here = weight(pair, via);
      if (here > 0.0 && draws.uniform() * most < here) return via;
    }
  }
  double total = 0.0;
  for (int via = 0; via < network_.num_switches(); ++via) total += weight(pair, via);
  double rank = draws.uniform() * total;
  int last = -1;  // taken where rounding leaves a rank beyond all
  for (int via = 0; via < network_.num_switches(); ++via) {
    const double here = weight(pair, via);
    if (here == 0.0) continue;
    last = via;
    rank -= here;
    if (rank < 0.0) break;
  }
  return last;
}

RulePaths::Classes RulePaths::draw_classes(const Pair& pair, int via, Draws& draws) const {
  const auto firsts = parts(from_[cell(pair.source, via)]);
  const auto seconds = parts(to_[cell(pair.target, via)]);
  Classes out{firsts.front(), seconds.front()};
  if (firsts.size() * seconds.size() == 1) return out;
  double rank = draws.uniform() * weight(pair, via);
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

// Of the MIN paths of a pair that are of the class, each as likely.
std::int32_t RulePaths::draw_half(int from, int to, Class cls, Draws& draws) const {
  const auto paths = network_.min_paths(from, to);
  const bool alone = parts(from_[cell(from, to)]).size() == 1;
  for (;;) {
    const auto position = paths == 1 ? 0 : draws.below(static_cast<std::uint32_t>(paths));
    const auto name = network_.min_name(from, to, static_cast<std::int32_t>(position));
    if (alone || class_of_[network_.min_half(from, name, to)] == cls) return name;
  }
}

// By weight among the paths of the pair, all of them looked at.
Triple RulePaths::draw_listed(const Pair& pair, Draws& draws) const {
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
bool RulePaths::is_simple(const Pair& pair, const Triple& path) const {
  if (!network_.are_simple()) return true;
  PathLinks first, second;
  network_.append_min(first, pair.source, path.first_half, path.intermediate);
  network_.append_min(second, path.intermediate, path.second_half, pair.target);
  const auto joins = [&](std::int32_t sw) {
    return std::ranges::any_of(first.view(),
                               [&](std::int32_t link) { return network_.source(link) == sw; });
  };
  return std::ranges::none_of(
      second.view(), [&](std::int32_t link) { return joins(network_.target(link)); });
}

// Whether a path is of no drawn length or among the first of it. No two keys of a pair are equal.
bool RulePaths::is_kept(const Pair& pair, const Triple& path, const Part& first,
                        const Part& second) const {
  if (pair.state >= kFirstShape || hops_[first.cls] + hops_[second.cls] != rule_.drawn_hops) {
    return true;
  }
  const auto& [via, start, end] = path;
  const auto key = path_key(pair_key(rule_.seed, pair.source, pair.target), via, start, end);
  return key < first_dropped(pair);
}

std::uint64_t RulePaths::first_dropped(const Pair& pair) const {
  auto& known = first_dropped_[cell(pair.source, pair.target)];
  auto found = known.load(std::memory_order_relaxed);
  if (found == 0) {
    found = find_first_dropped(pair);
    known.store(found, std::memory_order_relaxed);
  }
  return found;
}

std::uint64_t RulePaths::find_first_dropped(const Pair& pair) const {
  const auto key = pair_key(rule_.seed, pair.source, pair.target);
  const auto has_drawn = [&](int via) {
    for (const auto& first : parts(from_[cell(pair.source, via)])) {
      for (const auto& second : parts(to_[cell(pair.target, via)])) {
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

std::int64_t count_triples(const Topology& network, std::span<const std::int32_t> sources,
                           std::span<const std::int32_t> targets, std::int64_t enough) {
  std::int64_t total = 0;
  for (std::size_t pair = 0; pair < sources.size() && total <= enough; ++pair) {
    check_interrupt();
    if (!network.has_choice(sources[pair], targets[pair])) continue;
    for (int via = 0; via < network.num_switches(); ++via) {
      if (!network.is_intermediate(sources[pair], via, targets[pair])) continue;
      const std::int64_t firsts = network.min_paths(sources[pair], via);
      // Both are below 2^31, so that a sum beyond all is none.
      total += firsts * network.min_paths(via, targets[pair]);
      if (total > enough) break;
    }
  }
  return total;
}

}  // namespace tvlb::sim
