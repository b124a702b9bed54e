#include "samplers.hpp"

#include <algorithm>
#include <stdexcept>

#include "draw_steps.hpp"
#include "min_paths.hpp"

namespace tvlb::sim {
namespace {

// Draws before a rejection sampler enumerates its choices; both ways draw from one distribution.
constexpr int kMaxRejections = 64;

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

// A link of a MIN path of so many hops, the fewest that one has; -1 where no link joins the groups.
std::int32_t draw_link(const Dragonfly& network, int source, int target, int hops, Draws& draws) {
  const auto links = network.global_links(network.group(source), network.group(target));
  if (hops == 3) return pick(links, draws);  // then all have them
  const auto fits = [&](std::int32_t id) { return network.min_hops(source, id, target) == hops; };
  const auto count = static_cast<std::uint32_t>(std::ranges::count_if(links, fits));
  if (count == 0) return -1;
  std::uint32_t rank = draws.below(count);
  return *std::ranges::find_if(links, [&](std::int32_t id) { return fits(id) && rank-- == 0; });
}

}  // namespace

std::int32_t draw_shortest_link(const Dragonfly& network, int source, int target, Draws& draws) {
  int hops = 4;
  for (const int id : network.global_links(network.group(source), network.group(target))) {
    hops = std::min(hops, network.min_hops(source, id, target));
  }
  return draw_link(network, source, target, hops, draws);
}

AllTriples::AllTriples(const Dragonfly& network, const AllRule&) {
  const int groups = network.num_groups();
  total_link_pairs_.assign(index(groups) * index(groups), 0);
  for (int from = 0; from < groups; ++from) {
    for (int to = 0; to < groups; ++to) {
      if (from == to) continue;
      std::uint32_t total = 0;
      for (int middle = 0; middle < groups; ++middle) {
        if (middle == from || middle == to) continue;
        const std::uint32_t pairs = link_pairs(network, from, middle, to);
        most_link_pairs_ = std::max(most_link_pairs_, pairs);
        total += pairs;
      }
      total_link_pairs_[index(from) * index(groups) + index(to)] = total;
    }
  }
  const std::uint32_t even_total = static_cast<std::uint32_t>(groups - 2) * most_link_pairs_;
  for (int pair = 0; pair < groups * groups; ++pair) {
    if (pair % (groups + 1) != 0 && total_link_pairs_[index(pair)] != even_total) even_ = false;
  }
}

std::uint32_t AllTriples::link_pairs(const Dragonfly& network, int from, int middle, int to) const {
  return static_cast<std::uint32_t>(network.global_links(from, middle).size() *
                                    network.global_links(middle, to).size());
}

// A middle group with probability proportional to its pairs of links.
int AllTriples::draw_middle_group(const Dragonfly& network, int from, int to, Draws& draws) const {
  const int groups = network.num_groups();
  for (int attempt = 0; attempt < kMaxRejections; ++attempt) {
    const int middle = below_without(groups, 1, from, to, draws);
    if (even_) return middle;
    const std::uint32_t pairs = link_pairs(network, from, middle, to);
    if (pairs == most_link_pairs_ || draws.below(most_link_pairs_) < pairs) return middle;
  }
  std::uint32_t rank = draws.below(total_link_pairs_[index(from * groups + to)]);
  for (int middle = 0; middle < groups; ++middle) {
    if (middle == from || middle == to) continue;
    const std::uint32_t pairs = link_pairs(network, from, middle, to);
    if (rank < pairs) return middle;
    rank -= pairs;
  }
  throw std::logic_error("AllTriples: the link pairs of a group pair do not add up");
}

std::optional<Triple> AllTriples::draw(const Dragonfly& network, int source, int target,
                                       Draws& draws) const {
  const int from = network.group(source);
  const int to = network.group(target);
  if (from == to) return draw_detour(network, source, target, draws);
  if (total_link_pairs_[index(from * network.num_groups() + to)] == 0) return std::nullopt;
  const int middle = draw_middle_group(network, from, to, draws);
  const auto member = draws.below(static_cast<std::uint32_t>(network.group_size()));
  return Triple{middle * network.group_size() + static_cast<int>(member),
                pick(network.global_links(from, middle), draws),
                pick(network.global_links(middle, to), draws)};
}

bool ShortHalves::allows(int source, int middle, int target) const {
  return limits_.allows(distances_.of(source, middle), distances_.of(middle, target));
}

int ShortHalves::draw_intermediate(const Dragonfly& network, int source, int target,
                                   Draws& draws) const {
  const int size = network.group_size();
  for (int attempt = 0; attempt < kMaxRejections; ++attempt) {
    const int middle =
        below_without(network.num_switches(), size, network.group(source) * size,
                      network.group(target) * size, draws);
    if (allows(source, middle, target)) return middle;
  }
  return scan_intermediate(network, source, target, draws);
}

int ShortHalves::scan_intermediate(const Dragonfly& network, int source, int target,
                                   Draws& draws) const {
  const auto is_choice = [&](int middle) {
    return network.group(middle) != network.group(source) &&
           network.group(middle) != network.group(target) &&
           allows(source, middle, target);
  };
  std::uint32_t count = 0;
  for (int sw = 0; sw < network.num_switches(); ++sw) count += is_choice(sw) ? 1U : 0U;
  if (count == 0) return -1;
  std::uint32_t rank = draws.below(count);
  for (int sw = 0; sw < network.num_switches(); ++sw) {
    if (is_choice(sw) && rank-- == 0) return sw;
  }
  return -1;
}

std::optional<Triple> ShortHalves::draw(const Dragonfly& network, int source, int target,
                                        Draws& draws) const {
  if (network.group(source) == network.group(target)) {
    return draw_detour(network, source, target, draws);
  }
  if (network.num_groups() < 3) return std::nullopt;
  const int middle = draw_intermediate(network, source, target, draws);
  if (middle < 0) return std::nullopt;
  return Triple{middle,
                draw_link(network, source, middle, distances_.of(source, middle), draws),
                draw_link(network, middle, target, distances_.of(middle, target), draws)};
}

}  // namespace tvlb::sim
