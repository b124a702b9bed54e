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

Routing::Routing(const Network& network, const PathSampler& sampler, const Config& config,
                 CreditView credits)
    : network_(network),
      sampler_(sampler),
      kind_(config.routing),
      scheme_(config.vc_scheme),
      last_vc_(resolved_vc_count(config) - 1),
      threshold_(config.threshold),
      credits_(credits),
      all_credits_(credits.vc_slots * config.buffer_flits),
      link_of_port_(index(network.num_switches()) * index(credits.ports_per_switch), -1) {
  first_counter_.reserve(index(network.num_links()));
  for (int id = 0; id < network.num_links(); ++id) {
    const Link& link = network.link(id);
    const auto port = index(link.source) * index(credits.ports_per_switch) + link.output_port;
    first_counter_.push_back(static_cast<std::uint32_t>(port * index(credits.vc_slots)));
    link_of_port_[port] = id;
  }
}

void Routing::append_half(Path& path, int source, int target, int global_link) const {
  if (global_link < 0) {
    path.append(network_.local_link(source, target));
    return;
  }
  const Link& link = network_.link(global_link);
  path.append_if(network_.local_link(source, link.source), link.source != source);
  path.append(global_link);
  path.append_if(network_.local_link(link.target, target), link.target != target);
}

Path Routing::min_candidate(int source, int target, Stream& stream) const {
  Path path;
  const int from = network_.group(source);
  const int to = network_.group(target);
  if (from == to) {
    path.append(network_.local_link(source, target));
    return path;
  }
  const auto links = network_.global_links(from, to);
  if (links.empty()) return path;
  append_half(path, source, target,
              links[stream.below(static_cast<std::uint32_t>(links.size()))]);
  return path;
}

Path Routing::vlb_candidate(int source, int target, Stream& stream) const {
  Path path;
  const auto triple = draw_path(sampler_, network_, source, target, stream);
  if (!triple) return path;
  append_half(path, source, triple->intermediate, triple->first_link);
  append_half(path, triple->intermediate, target, triple->second_link);
  return path;
}

// Credits in use on the link's output port.
std::int64_t Routing::queue_of(int link) const {
  const std::uint16_t* counters = &credits_.credits[first_counter_[index(link)]];
  unsigned unused = sum_of_four(counters);
  if (credits_.vc_slots == 8) unused += sum_of_four(counters + 4);
  return all_credits_ - static_cast<int>(unused);
}

std::int64_t Routing::queue_of(const Path& path) const {
  std::int64_t total = 0;
  for (int i = 0; i < path.hops; ++i) total += queue_of(path.links[index(i)]);
  return total;
}

bool Routing::prefers_vlb_by_first_port(const Path& min, const Path& vlb) const {
  return queue_of(min.links[0]) * min.hops > queue_of(vlb.links[0]) * vlb.hops + threshold_;
}

bool Routing::chooses_vlb(const Path& min, const Path& vlb) const {
  if (vlb.hops == 0) return false;
  if (min.hops == 0 || kind_ == RoutingKind::vlb) return true;
  if (kind_ == RoutingKind::ugal_g) return queue_of(min) > queue_of(vlb) + threshold_;
  return prefers_vlb_by_first_port(min, vlb);
}

void Routing::decide(int source, int target, OutputVcId ejection, Stream& stream,
                     Packet& packet) const {
  const Path vlb = kind_ == RoutingKind::min ? Path{} : vlb_candidate(source, target, stream);
  const bool decided = kind_ == RoutingKind::vlb && vlb.hops > 0;
  const Path min = decided ? Path{} : min_candidate(source, target, stream);
  packet.took_vlb = chooses_vlb(min, vlb);
  const Path& chosen = packet.took_vlb ? vlb : min;
  if (chosen.hops == 0) {
    throw std::invalid_argument("no path from switch " + std::to_string(source) + " to switch " +
                                std::to_string(target));
  }
  packet.may_revise = kind_ == RoutingKind::par && !packet.took_vlb && min.hops > 1 &&
                      network_.link(min.links[0]).kind == LinkKind::local;
  write_hops(packet, chosen, 0, 0, true);
  packet.route[packet.hops] = ejection;
}

void Routing::revise(int source, int target, Stream& stream, Packet& packet) const {
  const int port = source * credits_.ports_per_switch + packet.route[0] / credits_.vc_slots;
  const int second = network_.link(link_of_port_[index(port)]).target;
  Path min;
  append_half(min, second, target, draw_shortest_link(network_, second, target, stream));
  const Path vlb = vlb_candidate(second, target, stream);
  packet.took_vlb = vlb.hops > 0 && prefers_vlb_by_first_port(min, vlb);
  packet.may_revise = false;
  const OutputVcId ejection = packet.route[packet.hops];
  write_hops(packet, packet.took_vlb ? vlb : min, 1, packet.route[0] % credits_.vc_slots, true);
  packet.route[packet.hops] = ejection;
}

void Routing::eject(OutputVcId ejection, Packet& packet) {
  packet.route[0] = ejection;
  packet.hops = 0;
  packet.took_vlb = false;
  packet.may_revise = false;
}

// `won`: the VC rises on entering a group and before every further local link.
void Routing::write_hops(Packet& packet, const Path& path, int position, int vc,
                         bool after_local) const {
  for (int i = 0; i < path.hops; ++i) {
    const Link& link = network_.link(path.links[index(i)]);
    const bool local = link.kind == LinkKind::local;
    const bool rises = position > 0 && (local || !after_local);
    vc = scheme_ == VcScheme::per_hop ? position : vc + static_cast<int>(rises);
    vc = std::min(vc, last_vc_);
    packet.route[index(position++)] =
        static_cast<OutputVcId>(link.output_port * credits_.vc_slots + vc);
    after_local = local;
  }
  packet.hops = static_cast<std::uint8_t>(position);
}

}  // namespace tvlb::sim
