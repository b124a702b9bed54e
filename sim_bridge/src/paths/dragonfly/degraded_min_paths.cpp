#include "degraded_min_paths.hpp"

#include <algorithm>

namespace tvlb::sim {

AllDegradedTriples::AllDegradedTriples(const DegradedDragonfly& network, const AllRule&)
    : most_from_(static_cast<std::size_t>(network.num_switches()), 1), most_to_(most_from_) {
  for (std::int32_t from = 0; from < network.num_switches(); ++from) {
    for (std::int32_t to = 0; to < network.num_switches(); ++to) {
      const auto paths = static_cast<std::uint32_t>(network.min_paths(from, to));
      auto& most_from = most_from_[static_cast<std::size_t>(from)];
      auto& most_to = most_to_[static_cast<std::size_t>(to)];
      most_from = std::max(most_from, paths);
      most_to = std::max(most_to, paths);
    }
  }
}

std::uint32_t AllDegradedTriples::count(const DegradedDragonfly& network, int source, int via,
                                        int target) {
  if (via == source || via == target) return 0;
  if (network.has_choice(source, target)) {
    if (!network.is_intermediate(source, via, target)) return 0;
    return static_cast<std::uint32_t>(network.min_paths(source, via)) *
           static_cast<std::uint32_t>(network.min_paths(via, target));
  }
  // Inside a group a detour is two local links.
  return network.paths().is_local_pair(source, via) && network.paths().is_local_pair(via, target);
}

Triple AllDegradedTriples::triple(const DegradedDragonfly& network, int source, int via, int target,
                                  std::uint32_t rank) {
  const auto seconds = static_cast<std::uint32_t>(network.min_paths(via, target));
  return {via, network.min_name(source, via, static_cast<std::int32_t>(rank / seconds)),
          network.min_name(via, target, static_cast<std::int32_t>(rank % seconds))};
}

// Proposals that fail again and again give way to a scan; both draw from one distribution.
std::optional<Triple> AllDegradedTriples::draw(const DegradedDragonfly& network, int source,
                                               int target, Draws& draws) const {
  constexpr int kMostProposals = 256;
  const auto switches = static_cast<std::uint32_t>(network.num_switches());
  const auto most = most_from_[static_cast<std::size_t>(source)] *
                    most_to_[static_cast<std::size_t>(target)];
  for (int proposal = 0; proposal < kMostProposals; ++proposal) {
    const auto via = static_cast<int>(draws.below(switches));
    const auto paths = count(network, source, via, target);
    if (paths == 0) continue;
    const auto rank = draws.below(most);
    if (rank < paths) return triple(network, source, via, target, rank);
  }
  std::vector<std::uint32_t> paths;
  std::uint32_t total = 0;
  for (int via = 0; via < network.num_switches(); ++via) {
    paths.push_back(count(network, source, via, target));
    total += paths.back();
  }
  if (total == 0) return std::nullopt;
  auto rank = draws.below(total);
  for (int via = 0;; ++via) {
    const auto here = paths[static_cast<std::size_t>(via)];
    if (rank < here) return triple(network, source, via, target, rank);
    rank -= here;
  }
}

}  // namespace tvlb::sim
