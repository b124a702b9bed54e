#include "candidates.hpp"

namespace tvlb::sim {
namespace {

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

}  // namespace

Candidates::Candidates(const Dragonfly& network, const PathSampler& sampler, const Config& config,
                       CreditView credits)
    : network_(network),
      sampler_(sampler),
      threshold_(config.threshold),
      credits_(credits),
      all_credits_(credits.vc_slots * config.buffer_flits) {
  hops_.reserve(index(network.num_links()));
  for (int id = 0; id < network.num_links(); ++id) {
    const Link& link = network.link(id);
    const auto port = index(link.source) * index(credits.ports_per_switch) + link.output_port;
    hops_.push_back({link.source, link.target,
                     static_cast<std::uint32_t>(port * index(credits.vc_slots)),
                     static_cast<OutputVcId>(link.output_port * credits.vc_slots),
                     static_cast<vc::Kind>(link.kind)});
  }
}

void Candidates::append_half(Path& path, int source, int target, int global_link) const {
  if (global_link < 0) {
    path.append_if(network_.local_link(source, target), true);
    return;
  }
  const Hop& global = hop(global_link);
  path.append_if(network_.local_link(source, global.source), global.source != source);
  path.append_if(global_link, true);
  path.append_if(network_.local_link(global.target, target), global.target != target);
}

void Candidates::append(Path& path, int source, int target, const Candidate& candidate) const {
  if (candidate.hops == 0) return;
  if (candidate.intermediate < 0) {
    append_half(path, source, target, candidate.first_link);
  } else {
    append_half(path, source, candidate.intermediate, candidate.first_link);
    append_half(path, candidate.intermediate, target, candidate.second_link);
  }
}

Candidate Candidates::shortest(int source, int target, Draws& draws) const {
  const int link = draw_shortest_link(network_, source, target, draws);
  return {-1, link, -1, half_hops(source, target, link)};
}

Candidate Candidates::vlb(int source, int target, Draws& draws) const {
  const auto triple = draw_path(sampler_, network_, source, target, draws);
  if (!triple) return {};
  return {triple->intermediate, triple->first_link, triple->second_link,
          half_hops(source, triple->intermediate, triple->first_link) +
              half_hops(triple->intermediate, target, triple->second_link)};
}

int Candidates::sum_of_queues(int source, int target, const Candidate& candidate) const {
  Path path;
  append(path, source, target, candidate);
  int total = 0;
  for (int i = 0; i < path.hops; ++i) total += queue_of(path.links[index(i)]);
  return total;
}

}  // namespace tvlb::sim
