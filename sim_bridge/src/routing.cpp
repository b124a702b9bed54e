#include "routing.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tvlb::sim {
namespace {

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

}  // namespace

Routing::Routing(const Network& network, const PathSampler& sampler, const Config& config,
                 PortLayout layout, std::span<const std::int32_t> credits_in_use)
    : network_(network),
      sampler_(sampler),
      layout_(layout),
      kind_(config.routing),
      scheme_(config.vc_scheme),
      last_vc_(resolved_vc_count(config) - 1),
      threshold_(config.threshold),
      credits_in_use_(credits_in_use),
      link_of_port_(index(network.num_switches()) * index(layout.ports_per_switch), -1) {
  counter_of_link_.reserve(index(network.num_links()));
  for (int id = 0; id < network.num_links(); ++id) {
    const Link& link = network.link(id);
    const auto counter = index(link.source) * index(layout.ports_per_switch) + link.output_port;
    counter_of_link_.push_back(static_cast<std::uint32_t>(counter));
    link_of_port_[counter] = id;
  }
}

void Routing::append_half(Path& path, int source, int target, int global_link) const {
  if (global_link < 0) {
    path.append(network_.local_link(source, target));
    return;
  }
  const Link& link = network_.link(global_link);
  if (link.source != source) path.append(network_.local_link(source, link.source));
  path.append(global_link);
  if (link.target != target) path.append(network_.local_link(link.target, target));
}

std::optional<Path> Routing::min_candidate(int source, int target, Stream& stream) const {
  Path path;
  if (network_.group(source) == network_.group(target)) {
    path.append(network_.local_link(source, target));
    return path;
  }
  const auto links = network_.global_links(network_.group(source), network_.group(target));
  if (links.empty()) return std::nullopt;
  const std::uint32_t drawn = stream.below(static_cast<std::uint32_t>(links.size()));
  append_half(path, source, target, links[drawn]);
  return path;
}

std::optional<Path> Routing::vlb_candidate(int source, int target, Stream& stream) const {
  const auto triple = draw_path(sampler_, network_, source, target, stream);
  if (!triple) return std::nullopt;
  Path path;
  append_half(path, source, triple->intermediate, triple->first_link);
  append_half(path, triple->intermediate, target, triple->second_link);
  return path;
}

std::int64_t Routing::queue_of(const Path& path) const {
  std::int64_t total = 0;
  for (int i = 0; i < path.hops; ++i) total += queue_of(path.links[index(i)]);
  return total;
}

bool Routing::prefers_min_by_first_port(const Path& min, const Path& vlb) const {
  return queue_of(min.links[0]) * min.hops <= queue_of(vlb.links[0]) * vlb.hops + threshold_;
}

bool Routing::prefers_min(const Path& min, const Path& vlb) const {
  if (kind_ == RoutingKind::ugal_g) return queue_of(min) <= queue_of(vlb) + threshold_;
  return prefers_min_by_first_port(min, vlb);
}

Choice Routing::decide(int source, int target, Stream& stream) const {
  std::optional<Path> vlb;
  if (kind_ != RoutingKind::min) vlb = vlb_candidate(source, target, stream);
  if (vlb && kind_ == RoutingKind::vlb) return {*vlb, true, false};
  const auto min = min_candidate(source, target, stream);
  if (min && (!vlb || prefers_min(*min, *vlb))) {
    const bool stays_in_group = network_.link(min->links[0]).kind == LinkKind::local;
    return {*min, false, kind_ == RoutingKind::par && stays_in_group && min->hops > 1};
  }
  if (vlb) return {*vlb, true, false};
  throw std::invalid_argument("no path from switch " + std::to_string(source) + " to switch " +
                              std::to_string(target));
}

Choice Routing::revise(int source, int target, Stream& stream) const {
  Choice choice;
  append_half(choice.path, source, target, draw_shortest_link(network_, source, target, stream));
  const auto vlb = vlb_candidate(source, target, stream);
  if (!vlb || prefers_min_by_first_port(choice.path, *vlb)) return choice;
  return {*vlb, true, false};
}

int Routing::switch_after(int sw, OutputVcId output_vc) const {
  const int port = output_vc / layout_.vc_slots;
  const int link = link_of_port_[index(sw) * index(layout_.ports_per_switch) + index(port)];
  return network_.link(link).target;
}

// `won`: the VC rises on entering a group and before every further local link.
int Routing::next_vc(int vc, int position, const Link* previous, const Link& next) const {
  if (previous == nullptr) return 0;
  int wanted = vc;
  if (scheme_ == VcScheme::per_hop) {
    wanted = position;
  } else if (previous->kind == LinkKind::global || next.kind == LinkKind::local) {
    wanted = vc + 1;
  }
  return std::min(wanted, last_vc_);
}

void Routing::write_hops(Packet& packet, const Path& path, int position, int vc,
                         const Link* previous) const {
  for (int i = 0; i < path.hops; ++i) {
    const Link& link = network_.link(path.links[index(i)]);
    vc = next_vc(vc, position, previous, link);
    packet.route[index(position++)] =
        static_cast<OutputVcId>(link.output_port * layout_.vc_slots + vc);
    previous = &link;
  }
  packet.hops = static_cast<std::uint8_t>(position);
}

void Routing::write_route(Packet& packet, const Path& path, OutputVcId ejection) const {
  write_hops(packet, path, 0, 0, nullptr);
  packet.route[packet.hops] = ejection;
}

void Routing::rewrite_after_first_hop(Packet& packet, const Path& path) const {
  const OutputVcId ejection = packet.route[packet.hops];
  const Link local_hop{0, 0, LinkKind::local, 0, 0};
  write_hops(packet, path, 1, packet.route[0] % layout_.vc_slots, &local_hop);
  packet.route[packet.hops] = ejection;
}

}  // namespace tvlb::sim
