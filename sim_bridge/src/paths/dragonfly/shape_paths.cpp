#include "shape_paths.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "draw_steps.hpp"
#include "dragonfly/keyed_paths.hpp"

namespace tvlb::sim {
namespace {

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

KeyedPath keyed(std::uint64_t pair, const Triple& path) {
  return {path_key(pair, path.intermediate, path.first_half, path.second_half), path.intermediate,
          path.first_half, path.second_half};
}

// One of the links with probability 1 / slots each, else -1.
std::int32_t pick_slot(std::span<const std::int32_t> links, std::uint32_t slots, Draws& draws) {
  const std::uint32_t slot = slots == 1 ? 0 : draws.below(slots);
  return slot < links.size() ? links[slot] : -1;
}

// The key below which this share of all keys lies; the highest key for 1 or more.
std::uint64_t key_at(double share) {
  if (share >= 1.0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(std::max(share, 0.0) * 0x1.0p64);
}

}  // namespace

ShapePaths::ShapePaths(const Dragonfly& network, const ShapeRule& rule)
    : rule_(rule),
      codes_(network),
      leaving_(LinkIndex::leaving(network)),
      arriving_(LinkIndex::arriving(network)),
      group_size_(network.group_size()) {
  choose_shapes();
  count_link_pairs(network);
  class_pairs(network);
  if (rule.percent > 0) {
    const std::size_t switches = index(network.num_switches());
    first_dropped_ = std::vector<std::atomic<std::uint32_t>>(switches * switches);
  }
}

ShapePaths::Weighted ShapePaths::weighted(std::size_t shape, double weight) const {
  const Shape hops{(shape & kAtSource) != 0, (shape & kBefore) != 0, (shape & kAfter) != 0,
                   (shape & kAtTarget) != 0};
  return {hops, factors_of(hops, group_size_), weight};
}

void ShapePaths::choose_shapes() {
  if (!rule_.is_compact()) {
    throw std::invalid_argument("the paths of the drawn length differ in weight");
  }
  for (std::size_t shape = 0; shape < kShapes; ++shape) {
    const double weight = rule_.weight[shape];
    if (weight == 0.0) continue;
    if (rule_.is_drawn(shape)) {
      longer_weight_ = weight;
      longer_.push_back(weighted(shape, 1.0));
    } else {
      whole_.push_back(weighted(shape, weight));
    }
  }
  for (const std::size_t shape : rule_.nearest) nearest_.push_back(weighted(shape, 1.0));
}

std::int64_t ShapePaths::kept_of(std::int64_t longer) const {
  return drawn_count(longer, rule_.percent);
}

// No link joins a group with itself, so the sums over links skip the ends of a pair by themselves.
void ShapePaths::count_link_pairs(const Dragonfly& network) {
  const int groups = network.num_groups();
  const auto count = [](std::span<const std::int32_t> links) {
    return static_cast<std::uint32_t>(links.size());
  };
  from_switch_.resize(index(network.num_switches()) * index(groups));
  to_switch_.resize(from_switch_.size());
  between_.resize(index(groups) * index(groups));
  for (int sw = 0; sw < network.num_switches(); ++sw) {
    for (int group = 0; group < groups; ++group) {
      most_links_ = std::max(most_links_, count(network.global_links(network.group(sw), group)));
      if (group == network.group(sw)) continue;
      auto& from = from_switch_[index(sw) * index(groups) + index(group)];
      for (const int id : leaving_.links(sw)) {
        const int end = network.link(id).target;
        from.all += count(network.global_links(network.group(end), group));
        from.meeting += count(leaving_.links(end, group));
      }
      auto& to = to_switch_[index(sw) * index(groups) + index(group)];
      for (const int id : arriving_.links(sw)) {
        const int start = network.link(id).source;
        to.all += count(network.global_links(group, network.group(start)));
        to.meeting += count(arriving_.links(start, group));
      }
      auto& total = between_[index(network.group(sw)) * index(groups) + index(group)];
      total.all += from.all;
      total.meeting += from.meeting;
    }
  }
}

ShapePaths::EndCounts ShapePaths::count_ends(const Dragonfly& network, int source,
                                             int target) const {
  LinkPairs own;
  const auto starts = arriving_.ends(target);
  for (const int end : leaving_.ends(source)) {
    own.all += static_cast<std::uint32_t>(arriving_.links(target, network.group(end)).size());
    for (const int start : starts) own.meeting += start == end ? 1U : 0U;
  }
  const std::size_t groups = index(network.num_groups());
  const std::size_t from = index(network.group(source));
  const std::size_t to = index(network.group(target));
  const LinkPairs& near_source = from_switch_[index(source) * groups + to];
  const LinkPairs& near_target = to_switch_[index(target) * groups + from];
  const LinkPairs& total = between_[from * groups + to];
  const auto less = [](const LinkPairs& x, const LinkPairs& y) {
    return LinkPairs{x.all - y.all, x.meeting - y.meeting};
  };
  const LinkPairs only_source = less(near_source, own);
  const LinkPairs only_target = less(near_target, own);
  return {own, only_source, only_target, less(less(total, near_source), only_target)};
}

// A pair of links has one path per shape, but a meeting pair cannot take just one of the hops at
// the intermediate; with both, it may be any switch of the group that is no end of the links.
ShapePaths::Factors ShapePaths::factors_of(const Shape& shape, std::int64_t group_size) {
  if (shape.is_direct()) return {0, 1};
  if (shape.before && shape.after) return {group_size - 2, 1};
  return {1, -1};
}

ShapePaths::Sizes ShapePaths::sizes(const Shapes& shapes, const EndCounts& counts) {
  Sizes found;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    found.of[i] = shapes[i].size(counts);
    found.sum += found.of[i];
  }
  return found;
}

ShapePaths::PairSizes ShapePaths::sizes_of(const EndCounts& counts) const {
  PairSizes found{sizes(whole_, counts), sizes(longer_, counts), 0, 0.0, nullptr};
  found.kept = kept_of(static_cast<std::int64_t>(found.longer.sum));
  found.total = found.whole.sum + longer_weight_ * static_cast<double>(found.kept);
  const auto nearest =
      std::ranges::find_if(nearest_, [&](const Weighted& one) { return one.size(counts) > 0.0; });
  if (nearest != nearest_.end()) found.nearest = &*nearest;
  return found;
}

void ShapePaths::class_pairs(const Dragonfly& network) {
  const std::size_t switches = index(network.num_switches());
  if (switches * switches > kMostPairs) return;
  std::map<EndCounts, std::uint16_t> known;
  class_of_.resize(switches * switches);
  for (int source = 0; source < network.num_switches(); ++source) {
    for (int target = 0; target < network.num_switches(); ++target) {
      if (network.group(source) == network.group(target)) continue;
      const EndCounts counts = count_ends(network, source, target);
      const auto [found, is_new] =
          known.try_emplace(counts, static_cast<std::uint16_t>(classes_.size()));
      class_of_[index(source) * switches + index(target)] = found->second;
      if (!is_new) continue;
      classes_.push_back(sizes_of(counts));
      if (classes_.size() > std::numeric_limits<std::uint16_t>::max()) {
        classes_.clear();
        class_of_.clear();
        return;
      }
    }
  }
}

bool ShapePaths::has_path(const Dragonfly& network, int source, int target) const {
  if (network.group(source) == network.group(target)) return network.group_size() > 2;
  const PairSizes sizes = sizes_of(count_ends(network, source, target));
  return sizes.total > 0.0 || sizes.nearest != nullptr;
}

std::optional<Triple> ShapePaths::draw(const Dragonfly& network, int source, int target,
                                       Draws& draws) const {
  if (network.group(source) == network.group(target)) {
    return draw_detour(network, source, target, draws);
  }
  const Way way{network, source, target, draws};
  if (class_of_.empty()) return draw_of(way, sizes_of(count_ends(network, source, target)));
  const std::size_t pair = index(source) * index(network.num_switches()) + index(target);
  return draw_of(way, classes_[class_of_[pair]]);
}

std::optional<Triple> ShapePaths::draw_of(const Way& way, const PairSizes& sizes) const {
  if (sizes.total == 0.0) {
    if (sizes.nearest == nullptr) return std::nullopt;
    return draw_shaped(way, sizes.nearest->shape);
  }
  const double rank = way.draws.uniform() * sizes.total;
  if (rank >= sizes.whole.sum && sizes.total > sizes.whole.sum) return draw_kept(way, sizes);
  return draw_ranked(way, whole_, sizes.whole, rank);
}

// Uniform among the paths of the shape that the rank falls into. Where rounding leaves a rank
// beyond all shapes it falls into the last that has a path.
Triple ShapePaths::draw_ranked(const Way& way, const Shapes& shapes, const Sizes& sizes,
                               double rank) const {
  const Weighted* last = nullptr;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (sizes.of[i] == 0.0) continue;
    last = &shapes[i];
    rank -= sizes.of[i];
    if (rank < 0.0) break;
  }
  if (last == nullptr) throw std::logic_error("ShapePaths: the paths of a pair do not add up");
  return draw_shaped(way, last->shape);
}

// Ends, since the shape has a path: the rank fell into it.
Triple ShapePaths::draw_shaped(const Way& way, const Shape& shape) const {
  const auto& [network, source, target, draws] = way;
  for (;;) {
    const auto links = propose(way, shape);
    if (!links) continue;
    const Link& first = network.link(links->first_link);
    const Link& second = network.link(links->second_link);
    if ((first.source != source) != shape.at_source) continue;
    if ((second.target != target) != shape.at_target) continue;
    int via = shape.before ? second.source : first.target;
    if (shape.before && shape.after) {
      const auto member = draws.below(static_cast<std::uint32_t>(group_size_));
      via = network.group(via) * static_cast<int>(group_size_) + static_cast<int>(member);
    }
    if ((via != first.target) == shape.before && (via != second.source) == shape.after) {
      return {via, links->first_link, links->second_link};
    }
  }
}

// Pairs of links, each with the same probability; all that fit the shape are among them.
ShapePaths::Proposed ShapePaths::propose(const Way& way, const Shape& shape) const {
  if (!shape.at_source) return propose_from_source(way, shape);
  if (!shape.at_target) return propose_from_target(way, shape);
  return propose_any(way, shape);
}

ShapePaths::Proposed ShapePaths::propose_from_source(const Way& way, const Shape& shape) const {
  const auto& [network, source, target, draws] = way;
  const std::int32_t first = pick(leaving_.links(source), draws);
  const int end = network.link(first).target;
  const int to = network.group(target);
  std::int32_t second = -1;
  if (!shape.at_target) {
    second = pick_slot(arriving_.links(target, network.group(end)), arriving_.most(), draws);
  } else if (shape.is_direct()) {
    second = pick_slot(leaving_.links(end, to), leaving_.most(), draws);
  } else {
    second = pick_slot(network.global_links(network.group(end), to), most_links_, draws);
  }
  if (second < 0) return std::nullopt;
  return Proposal{first, second};
}

ShapePaths::Proposed ShapePaths::propose_from_target(const Way& way, const Shape& shape) const {
  const auto& [network, source, target, draws] = way;
  const std::int32_t second = pick(arriving_.links(target), draws);
  const int start = network.link(second).source;
  const int from = network.group(source);
  const std::int32_t first =
      shape.is_direct()
          ? pick_slot(arriving_.links(start, from), arriving_.most(), draws)
          : pick_slot(network.global_links(from, network.group(start)), most_links_, draws);
  if (first < 0) return std::nullopt;
  return Proposal{first, second};
}

ShapePaths::Proposed ShapePaths::propose_any(const Way& way, const Shape& shape) const {
  const auto& [network, source, target, draws] = way;
  const int from = network.group(source);
  const int to = network.group(target);
  const int middle = below_without(network.num_groups(), 1, from, to, draws);
  const std::int32_t first = pick_slot(network.global_links(from, middle), most_links_, draws);
  if (first < 0) return std::nullopt;
  const std::int32_t second =
      shape.is_direct()
          ? pick_slot(leaving_.links(network.link(first).target, to), leaving_.most(), draws)
          : pick_slot(network.global_links(middle, to), most_links_, draws);
  if (second < 0) return std::nullopt;
  return Proposal{first, second};
}

// A longer path that belongs to the set: proposed until one is before the first dropped.
Triple ShapePaths::draw_kept(const Way& way, const PairSizes& sizes) const {
  const auto& [network, source, target, draws] = way;
  const auto longer = static_cast<std::int64_t>(sizes.longer.sum);
  const auto any = [&] {
    const double rank = draws.uniform() * static_cast<double>(longer);
    return draw_ranked(way, longer_, sizes.longer, rank);
  };
  if (sizes.kept == longer) return any();
  const std::uint64_t pair = pair_key(rule_.seed, source, target);
  const KeyedPath limit = keyed(pair, first_dropped(way, longer));
  for (;;) {
    const Triple path = any();
    if (in_keyed_order(keyed(pair, path), limit)) return path;
  }
}

Triple ShapePaths::first_dropped(const Way& way, std::int64_t longer) const {
  const auto& [network, source, target, draws] = way;
  const std::size_t pair = index(source) * index(network.num_switches()) + index(target);
  const std::uint32_t known = first_dropped_[pair].load(std::memory_order_relaxed);
  if (known != 0) return codes_.decode(network, source, target, known - 1);
  const Triple found = find_first_dropped(way, longer);
  first_dropped_[pair].store(codes_.encode(network, source, target, found) + 1,
                             std::memory_order_relaxed);
  return found;
}

// Keys are uniform, so the path sought has a key near its share of their range: only paths with
// keys nearby are kept and ordered, those with lower ones counted. All are if it is not nearby,
// which 8 standard deviations make next to impossible.
Triple ShapePaths::find_first_dropped(const Way& way, std::int64_t longer) const {
  const auto& [network, source, target, draws] = way;
  const std::int64_t kept = kept_of(longer);
  const double count = static_cast<double>(longer);
  const double share = static_cast<double>(kept) / count;
  const double around = 8.0 * std::sqrt(share * (1.0 - share) / count) + 8.0 / count;
  for (const double slack : {around, 1.0}) {
    const std::uint64_t low = key_at(share - slack);
    const std::uint64_t high = key_at(share + slack);
    std::int64_t lower = 0;
    std::vector<KeyedPath> near;
    const auto visit = [&](const KeyedPath& path) {
      lower += path.key < low ? 1 : 0;
      if (path.key >= low && path.key <= high) near.push_back(path);
    };
    for_each_of_length(network, source, target, rule_.drawn_hops, rule_.seed, visit);
    if (lower > kept || kept - lower >= static_cast<std::int64_t>(near.size())) continue;
    const auto sought = near.begin() + (kept - lower);
    std::ranges::nth_element(near, sought, in_keyed_order);
    return {sought->intermediate, sought->first, sought->second};
  }
  throw std::logic_error("ShapePaths: fewer long paths than were counted");
}

}  // namespace tvlb::sim
