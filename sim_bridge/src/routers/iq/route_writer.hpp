// Lets the routing decide, and writes the chosen path with its VCs into the packet.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>

#include "steering/routing.hpp"

namespace tvlb::sim {

class RouteWriter {
 public:
  RouteWriter() = default;
  RouteWriter(const RouteWriter&) = delete;
  RouteWriter& operator=(const RouteWriter&) = delete;
  RouteWriter(RouteWriter&&) = delete;
  RouteWriter& operator=(RouteWriter&&) = delete;
  virtual ~RouteWriter() = default;

  /// The source decision for two different switches; the route ends with the ejection VC.
  [[nodiscard]] virtual Route decide(int source, int target, OutputVcId ejection,
                                     Draws& draws) const = 0;

  /// The second decision, when a packet leaves the switch `source` by `first`, its first hop.
  /// `target` is not the switch behind that hop.
  [[nodiscard]] virtual Route revise(int source, OutputVcId first, int target, OutputVcId ejection,
                                     Draws& draws) const = 0;

  /// The route inside one switch.
  [[nodiscard]] static Route eject(OutputVcId ejection) {
    Route route;
    route.output_vcs[0] = ejection;
    return route;
  }
};

/// The routes of a run: most network links of one, and what makes their writer from the credit
/// counters.
struct RouteMaker {
  int most_hops;
  std::function<std::unique_ptr<RouteWriter>(CreditView)> make;
};

/// Most network links that a routing takes.
[[nodiscard]] inline int most_hops(const Topology& network, const Routing& routing) {
  const int halves = routing.detours == Detours::never ? 1 : 2;
  return halves * network.half_links() + static_cast<int>(routing.decisions.has_again);
}

template <class Family>
class RouteWriterOf final : public RouteWriter {
 public:
  RouteWriterOf(const Family& network, const PathSampler& sampler, const Config& config,
                CreditView credits)
      : network_(network),
        candidates_(network, sampler, config, credits),
        decide_(std::get<Decision<Family>>(Routings::find(config.routing).decisions.first)),
        decide_again_(std::get<Revision<Family>>(Routings::find(config.routing).decisions.again)),
        policy_(config.vcs),
        vc_slots_(credits.vc_slots) {}

  [[nodiscard]] Route decide(int source, int target, OutputVcId ejection,
                             Draws& draws) const override {
    const Choice choice = decide_(candidates_, source, target, draws);
    if (choice.path.hops == 0) {
      throw std::invalid_argument("no path from switch " + std::to_string(source) +
                                  " to switch " + std::to_string(target));
    }
    Path path;
    candidates_.append(path, source, target, choice.path);
    Route route = written(path, ejection);
    route.took_vlb = choice.vlb;
    route.is_revisable = choice.again;
    return route;
  }

  [[nodiscard]] Route revise(int source, OutputVcId first, int target, OutputVcId ejection,
                             Draws& draws) const override {
    Path path;
    path.append_if(network_.output_link(source, first / vc_slots_), true);
    const int second = candidates_.hop(path.links[0]).target;
    const Choice choice = decide_again_(candidates_, second, target, path.links[0], draws);
    candidates_.append(path, second, target, choice.path);
    Route route = written(path, ejection);
    route.took_vlb = choice.vlb;
    return route;
  }

 private:
  [[nodiscard]] Route written(const Path& path, OutputVcId ejection) const {
    Route route;
    const auto hops = static_cast<std::size_t>(path.hops);
    vc::Table::State state = 0;
    for (std::size_t i = 0; i < hops; ++i) {
      const Hop& hop = candidates_.hop(path.links[i]);
      const auto& step = policy_.step(state, hop.kind, 0);
      route.output_vcs[i] = static_cast<OutputVcId>(hop.output_vc + step.first);
      state = step.then;
    }
    route.hops = static_cast<std::uint8_t>(hops);
    route.output_vcs[hops] = ejection;
    return route;
  }

  const Family& network_;
  Candidates<Family> candidates_;
  Decision<Family> decide_;
  Revision<Family> decide_again_;
  const vc::Table& policy_;
  int vc_slots_;
};

}  // namespace tvlb::sim
