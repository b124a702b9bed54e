#include "route_writer.hpp"

#include <array>
#include <span>
#include <stdexcept>
#include <string>

namespace tvlb::sim {

RouteWriter::RouteWriter(const Dragonfly& network, const PathSampler& sampler, const Config& config,
                         CreditView credits)
    : network_(network),
      candidates_(network, sampler, config, credits),
      routing_(Routings::find(config.routing)),
      walk_(vc::Schemes::find(config.vc_scheme).walk),
      last_vc_(config.vc_count - 1),
      vc_slots_(credits.vc_slots) {}

void RouteWriter::decide(int source, int target, OutputVcId ejection, Draws& draws,
                         Packet& packet) const {
  const Choice choice = routing_.decide(candidates_, source, target, draws);
  if (choice.path.hops == 0) {
    throw std::invalid_argument("no path from switch " + std::to_string(source) + " to switch " +
                                std::to_string(target));
  }
  packet.took_vlb = choice.vlb;
  packet.assign(Packet::kRevisable, choice.again);
  Path path;
  candidates_.append(path, source, target, choice.path);
  write(packet, path, ejection);
}

void RouteWriter::revise(int source, int target, Draws& draws, Packet& packet) const {
  Path path;
  path.append_if(network_.output_link(source, packet.route[0] / vc_slots_), true);
  const int second = candidates_.hop(path.links[0]).target;
  const Choice choice = routing_.decide_again(candidates_, second, target, draws);
  packet.took_vlb = choice.vlb;
  packet.assign(Packet::kRevisable, false);
  candidates_.append(path, second, target, choice.path);
  write(packet, path, packet.route[packet.hops]);
}

void RouteWriter::eject(OutputVcId ejection, Packet& packet) {
  packet.route[0] = ejection;
  packet.hops = 0;
  packet.took_vlb = false;
  packet.assign(Packet::kRevisable, false);
}

void RouteWriter::write(Packet& packet, const Path& path, OutputVcId ejection) const {
  const auto hops = static_cast<std::size_t>(path.hops);
  std::array<vc::Kind, kMaxHops> kinds;
  for (std::size_t i = 0; i < hops; ++i) {
    const Hop& hop = candidates_.hop(path.links[i]);
    kinds[i] = hop.kind;
    packet.route[i] = hop.output_vc;
  }
  walk_(std::span(kinds).first(hops), last_vc_, packet.route);
  packet.hops = static_cast<std::uint8_t>(hops);
  packet.route[hops] = ejection;
}

}  // namespace tvlb::sim
