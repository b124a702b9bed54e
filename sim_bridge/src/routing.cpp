#include "routing.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace tvlb::sim {
namespace {

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

// Sum of four 16-bit counters; each stays below 2^14.
unsigned sum_of_four(const std::uint16_t* counters) {
  std::uint64_t lanes = 0;
  std::memcpy(&lanes, counters, sizeof lanes);
  return static_cast<unsigned>((lanes * 0x0001000100010001ULL) >> 48U);
}

}  // namespace

Routing::Routing(const Dragonfly& network, const PathSampler& sampler, const Config& config,
                 CreditView credits)
    : network_(network),
      sampler_(sampler),
      kind_(config.routing),
      walk_(vc::scheme(config.vc_scheme).walk),
      last_vc_(config.vc_count - 1),
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

int Routing::half_hops(int source, int target, int global_link) const {
  if (global_link < 0) return 1;
  const Hop& global = hop(global_link);
  return 1 + static_cast<int>(global.source != source) + static_cast<int>(global.target != target);
}

void Routing::append_half(Path& path, int source, int target, int global_link) const {
  if (global_link < 0) {
    path.append_if(network_.local_link(source, target), true);
    return;
  }
  const Hop& global = hop(global_link);
  path.append_if(network_.local_link(source, global.source), global.source != source);
  path.append_if(global_link, true);
  path.append_if(network_.local_link(global.target, target), global.target != target);
}

int Routing::first_link(int source, int target, const Candidate& candidate) const {
  const int global = candidate.first_link;
  const int end = candidate.intermediate < 0 ? target : candidate.intermediate;
  if (global < 0) return network_.local_link(source, end);
  const int exit = hop(global).source;
  return exit == source ? global : network_.local_link(source, exit);
}

void Routing::append(Path& path, int source, int target, const Candidate& candidate) const {
  if (candidate.hops == 0) return;
  if (candidate.intermediate < 0) {
    append_half(path, source, target, candidate.first_link);
  } else {
    append_half(path, source, candidate.intermediate, candidate.first_link);
    append_half(path, candidate.intermediate, target, candidate.second_link);
  }
}

Path Routing::links_of(int source, int target, const Candidate& candidate) const {
  Path path;
  append(path, source, target, candidate);
  return path;
}

Candidate Routing::min_candidate(int source, int target, Draws& draws) const {
  const int from = network_.group(source);
  const int to = network_.group(target);
  if (from == to) return {-1, -1, -1, 1};
  const auto links = network_.global_links(from, to);
  if (links.empty()) return {};
  const int link = links[draws.below(static_cast<std::uint32_t>(links.size()))];
  return {-1, link, -1, half_hops(source, target, link)};
}

Candidate Routing::vlb_candidate(int source, int target, Draws& draws) const {
  const auto triple = draw_path(sampler_, network_, source, target, draws);
  if (!triple) return {};
  return {triple->intermediate, triple->first_link, triple->second_link,
          half_hops(source, triple->intermediate, triple->first_link) +
              half_hops(triple->intermediate, target, triple->second_link)};
}

// Credits in use on the link's output port.
int Routing::queue_of(int link) const {
  const std::uint16_t* counters = &credits_.credits[hop(link).counter];
  unsigned unused = sum_of_four(counters);
  if (credits_.vc_slots == 8) unused += sum_of_four(counters + 4);
  return all_credits_ - static_cast<int>(unused);
}

int Routing::queue_of(const Path& path) const {
  int total = 0;
  for (int i = 0; i < path.hops; ++i) total += queue_of(path.links[index(i)]);
  return total;
}

bool Routing::prefers_vlb_by_first_port(int source, int target, const Candidate& min,
                                        const Candidate& vlb) const {
  return queue_of(first_link(source, target, min)) * min.hops >
         queue_of(first_link(source, target, vlb)) * vlb.hops + threshold_;
}

bool Routing::chooses_vlb(int source, int target, const Candidate& min,
                          const Candidate& vlb) const {
  if (vlb.hops == 0) return false;
  if (min.hops == 0 || kind_ == RoutingKind::vlb) return true;
  if (kind_ == RoutingKind::ugal_g) {
    return queue_of(links_of(source, target, min)) >
           queue_of(links_of(source, target, vlb)) + threshold_;
  }
  return prefers_vlb_by_first_port(source, target, min, vlb);
}

void Routing::decide(int source, int target, OutputVcId ejection, Draws& draws,
                     Packet& packet) const {
  const auto vlb =
      kind_ == RoutingKind::min ? Candidate{} : vlb_candidate(source, target, draws);
  const bool decided = kind_ == RoutingKind::vlb && vlb.hops > 0;
  const auto min = decided ? Candidate{} : min_candidate(source, target, draws);
  packet.took_vlb = chooses_vlb(source, target, min, vlb);
  const Path chosen = links_of(source, target, packet.took_vlb ? vlb : min);
  if (chosen.hops == 0) {
    throw std::invalid_argument("no path from switch " + std::to_string(source) + " to switch " +
                                std::to_string(target));
  }
  packet.assign(Packet::kRevisable, kind_ == RoutingKind::par && !packet.took_vlb &&
                                        chosen.hops > 1 && hop(chosen.links[0]).kind == vc::kLocal);
  write_route(packet, chosen, ejection);
}

void Routing::revise(int source, int target, Draws& draws, Packet& packet) const {
  Path path;
  path.append_if(network_.output_link(source, packet.route[0] / credits_.vc_slots), true);
  const int second = hop(path.links[0]).target;
  const int shortest = draw_shortest_link(network_, second, target, draws);
  const Candidate min{-1, shortest, -1, half_hops(second, target, shortest)};
  const Candidate vlb = vlb_candidate(second, target, draws);
  packet.took_vlb = vlb.hops > 0 && prefers_vlb_by_first_port(second, target, min, vlb);
  packet.assign(Packet::kRevisable, false);
  append(path, second, target, packet.took_vlb ? vlb : min);
  write_route(packet, path, packet.route[packet.hops]);
}

void Routing::eject(OutputVcId ejection, Packet& packet) {
  packet.route[0] = ejection;
  packet.hops = 0;
  packet.took_vlb = false;
  packet.assign(Packet::kRevisable, false);
}

void Routing::write_route(Packet& packet, const Path& path, OutputVcId ejection) const {
  const auto hops = index(path.hops);
  std::array<vc::Kind, kMaxHops> kinds;
  std::array<std::int8_t, kMaxHops> vcs;
  for (std::size_t i = 0; i < hops; ++i) kinds[i] = hop(path.links[i]).kind;
  walk_(std::span(kinds).first(hops), last_vc_, vcs);
  for (std::size_t i = 0; i < hops; ++i) {
    packet.route[i] = static_cast<OutputVcId>(hop(path.links[i]).output_vc + vcs[i]);
  }
  packet.hops = static_cast<std::uint8_t>(hops);
  packet.route[hops] = ejection;
}

}  // namespace tvlb::sim
