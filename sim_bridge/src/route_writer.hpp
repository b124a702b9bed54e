// Lets the routing decide, and writes the chosen path with its VCs into the packet.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>

#include "routings/routing.hpp"

namespace tvlb::sim {

class RouteWriter {
 public:
  RouteWriter() = default;
  RouteWriter(const RouteWriter&) = delete;
  RouteWriter& operator=(const RouteWriter&) = delete;
  RouteWriter(RouteWriter&&) = delete;
  RouteWriter& operator=(RouteWriter&&) = delete;
  virtual ~RouteWriter() = default;

  /// The source decision for two different switches; the route ends with the ejection VC. Marks
  /// other than kRevisable stay.
  virtual void decide(int source, int target, OutputVcId ejection, Draws& draws,
                      Packet& packet) const = 0;

  /// The second decision, when a packet leaves the switch `source` of its first hop: replaces the
  /// rest of its route. `target` is not the switch behind that hop.
  virtual void revise(int source, int target, Draws& draws, Packet& packet) const = 0;

  /// The route inside one switch.
  static void eject(OutputVcId ejection, Packet& packet) {
    packet.route[0] = ejection;
    packet.hops = 0;
    packet.took_vlb = false;
    packet.assign(Packet::kRevisable, false);
  }
};

/// Makes the writer of a run from its credit counters.
using RouteMaker = std::function<std::unique_ptr<RouteWriter>(CreditView)>;

template <class Family>
class RouteWriterOf final : public RouteWriter {
 public:
  RouteWriterOf(const Family& network, const PathSampler& sampler, const Config& config,
                CreditView credits)
      : network_(network),
        candidates_(network, sampler, config, credits),
        decide_(std::get<Decision<Family>>(Routings::find(config.routing).decisions.first)),
        decide_again_(std::get<Decision<Family>>(Routings::find(config.routing).decisions.again)),
        walk_(vc::Schemes::find(config.vc_scheme).walk),
        last_vc_(config.vc_count - 1),
        vc_slots_(credits.vc_slots) {
    const Routing& routing = Routings::find(config.routing);
    const int halves = routing.detours == Detours::never ? 1 : 2;
    const int links = halves * network.half_links() + static_cast<int>(routing.decisions.has_again);
    if (links > kMaxHops) {
      throw std::invalid_argument("routes of " + std::to_string(links) + " links are too long");
    }
  }

  void decide(int source, int target, OutputVcId ejection, Draws& draws,
              Packet& packet) const override {
    const Choice choice = decide_(candidates_, source, target, draws);
    if (choice.path.hops == 0) {
      throw std::invalid_argument("no path from switch " + std::to_string(source) +
                                  " to switch " + std::to_string(target));
    }
    packet.took_vlb = choice.vlb;
    packet.assign(Packet::kRevisable, choice.again);
    Path path;
    candidates_.append(path, source, target, choice.path);
    write(packet, path, ejection);
  }

  void revise(int source, int target, Draws& draws, Packet& packet) const override {
    Path path;
    path.append_if(network_.output_link(source, packet.route[0] / vc_slots_), true);
    const int second = candidates_.hop(path.links[0]).target;
    const Choice choice = decide_again_(candidates_, second, target, draws);
    packet.took_vlb = choice.vlb;
    packet.assign(Packet::kRevisable, false);
    candidates_.append(path, second, target, choice.path);
    write(packet, path, packet.route[packet.hops]);
  }

 private:
  void write(Packet& packet, const Path& path, OutputVcId ejection) const {
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

  const Family& network_;
  Candidates<Family> candidates_;
  Decision<Family> decide_;
  Decision<Family> decide_again_;
  vc::Walk walk_;
  int last_vc_;
  int vc_slots_;
};

}  // namespace tvlb::sim
