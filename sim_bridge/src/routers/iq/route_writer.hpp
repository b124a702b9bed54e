// Lets the steering decide, and writes the chosen path with its VCs into the packet.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>

#include "config.hpp"
#include "credit_view.hpp"
#include "paths/families.hpp"
#include "paths/table_routes.hpp"

namespace tvlb::sim {

class RouteWriter : public Interface {
 public:
  /// The decision at the source for a head whose destination is at another switch; the route ends with
  /// the ejection VC. `attempt` decides anew.
  [[nodiscard]] virtual Route start(const Head& head, OutputVcId ejection, Draws& draws) = 0;
  [[nodiscard]] virtual Route attempt(const Head& head, OutputVcId ejection, Draws& draws) = 0;
  /// The decision behind `first`, by which a packet leaves the switch of the head; its destination is
  /// not there.
  [[nodiscard]] virtual Route arrive(const Head& head, OutputVcId first, OutputVcId ejection,
                                     Draws& draws) = 0;
  virtual void tick(std::int32_t cycle) = 0;
  /// Switches of which one's decisions look at another have one number, and follow each other.
  [[nodiscard]] virtual int unit(int sw) const = 0;
  [[nodiscard]] virtual int group(int sw) const = 0;

  /// Whether the steering looks at waiting heads, and whether it acts, in every cycle.
  bool attempts = false;
  bool ticks = false;
  /// Whether it looks at any switch, but decides for a cycle before the switches move in it.
  bool decides_first = false;

  /// The route inside one switch.
  [[nodiscard]] static Route eject(OutputVcId ejection) {
    Route route;
    route.output_vcs[0] = ejection;
    return route;
  }
};

/// The routes of a run: most network links of one, how many path sets they are drawn from, and what
/// makes their writer from the credit counters.
struct Routes {
  int most_hops;
  int path_sets;
  std::function<std::unique_ptr<RouteWriter>(CreditView)> make;
};

template <class Type, class Family>
class RouteWriterOf final : public RouteWriter {
  using View = Candidates<Family, CreditView>;

 public:
  RouteWriterOf(const Family& network, PathSamplers samplers, const Config& config,
                CreditView credits)
      : network_(network),
        view_(network, samplers, config, credits),
        policy_(config.vcs),
        vc_slots_(credits.layout.vc_slots),
        steering_(made<Type>({network, config.arguments, config.routes, config.layers, view_.path_sets()})) {
    attempts = Attempts<Type, View>;
    ticks = Ticks<Type, View>;
    if constexpr (requires { Type::kReach; }) {
      decides_first = Type::kReach == Reach::network && !ticks && !Arrives<Type, View>;
    }
  }

  [[nodiscard]] Route start(const Head& head, OutputVcId ejection, Draws& draws) override {
    Path path;
    if constexpr (Follows<Type>) {
      const int first_vc =
          steering_.follow(head, [&](std::int32_t link) { path.append_if(link, true); });
      return in_channels(path, ejection, first_vc);
    } else if constexpr (Starts<Type, View>) {
      return written(path, head, steering_.start(view_, head, draws), ejection);
    } else if constexpr (Attempts<Type, View>) {
      return written(path, head, steering_.attempt(view_, head, draws), ejection);
    } else {
      return written(path, head, {view_.min(head, draws)}, ejection);
    }
  }
  [[nodiscard]] Route attempt(const Head& head, OutputVcId ejection, Draws& draws) override {
    if constexpr (Attempts<Type, View>) {
      Path path;
      return written(path, head, steering_.attempt(view_, head, draws), ejection);
    } else {
      return start(head, ejection, draws);
    }
  }
  [[nodiscard]] Route arrive(const Head& head, OutputVcId first, OutputVcId ejection,
                             Draws& draws) override {
    if constexpr (Arrives<Type, View>) {
      Path path;
      path.append_if(network_.output_link(head.sw, first / vc_slots_), true);
      const Head second{view_.hop(path.links[0]).target, head.target, path.links[0],
                        head.destination};
      Choice choice = steering_.arrive(view_, second, draws);
      choice.again = false;
      return written(path, second, choice, ejection);
    } else {
      throw std::logic_error("a steering without a second decision was asked for one");
    }
  }
  void tick(std::int32_t cycle) override {
    if constexpr (Ticks<Type, View>) steering_.tick(view_, cycle);
  }
  [[nodiscard]] int group(int sw) const override { return network_.group(sw); }
  [[nodiscard]] int unit(int sw) const override {
    constexpr Reach reach = reach_of<Type, View>();
    constexpr bool in_group = requires { MinPaths<Family>::kRevisesInGroup; };
    if constexpr (reach == Reach::own_switch) return sw;
    else if constexpr (reach == Reach::second_switch && in_group) return network_.group(sw);
    else return 0;
  }

 private:
  /// The rest of a path is what was chosen for the head.
  [[nodiscard]] Route written(Path& path, const Head& head, const Choice& choice,
                              OutputVcId ejection) const {
    if (choice.path.hops == 0) {
      throw std::invalid_argument("no path from switch " + std::to_string(head.sw) +
                                  " to switch " + std::to_string(head.target));
    }
    view_.append(path, head, choice.path);
    Route route = in_channels(path, ejection);
    route.took_vlb = choice.vlb;
    route.is_revisable = choice.again;
    route.level = choice.level;
    return route;
  }
  /// The first VC is added to those of the policy.
  [[nodiscard]] Route in_channels(const Path& path, OutputVcId ejection, int first_vc = 0) const {
    Route route;
    const auto hops = static_cast<std::size_t>(path.hops);
    vc::Table::State state = 0;
    for (std::size_t i = 0; i < hops; ++i) {
      const Hop& hop = view_.hop(path.links[i]);
      const auto& step = policy_.step(state, hop.kind, 0);
      route.output_vcs[i] = static_cast<OutputVcId>(hop.output_vc + first_vc + step.first);
      state = step.then;
    }
    route.hops = static_cast<std::uint8_t>(hops);
    route.output_vcs[hops] = ejection;
    return route;
  }

  const Family& network_;
  View view_;
  const vc::Table& policy_;
  int vc_slots_;
  Type steering_;
};

/// What makes the writers of a steering, of every family.
template <class Family>
using RouteMaker = std::unique_ptr<RouteWriter> (*)(const Family&, PathSamplers, const Config&,
                                                    CreditView);
template <class... Family>
using RouteMakersOf = std::tuple<RouteMaker<Family>...>;
using RouteMakers = OverFamilies<RouteMakersOf>;

template <class Type, class... Family>
void fill(std::tuple<RouteMaker<Family>...>& makers) {
  makers = {[](const Family& network, PathSamplers samplers, const Config& config,
               CreditView credits) -> std::unique_ptr<RouteWriter> {
    return std::make_unique<RouteWriterOf<Type, Family>>(network, samplers, config, credits);
  }...};
}

}  // namespace tvlb::sim
