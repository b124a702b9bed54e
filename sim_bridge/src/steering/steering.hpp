// Steerings: how packets get their ways. A steering is one source file in this folder, a class with the
// hooks that it needs, and a Registration of it with the routers that may take it and what others need
// to know of it:
//
//     class Steering {
//      public:
//       explicit Steering(const Setup& setup);  // none where it needs nothing
//       Choice start(const auto& view, const Head& head, Draws& draws);    // at the first switch
//       Choice attempt(const auto& view, const Head& head, Draws& draws);  // anew, at every look at a
//         // head that waits there; also where `start` is missing
//       Choice arrive(const auto& view, const Head& head, Draws& draws);   // behind the first link,
//         // where a Choice says `again`; of routers whose packets follow drawn paths
//       int follow(const Head& head, auto&& append) const;  // in place of `start`: calls append(link) for
//         // every link of a forwarding table's route, and returns what is added to the VCs of the policy;
//         // of input-queued routers
//       void tick(const auto& view, std::int32_t cycle);                   // before every cycle
//       static constexpr bool kComparesFirstQueues = true;  // see choose_by_first_queues
//       static constexpr Reach kReach = Reach::own_switch;  // whose queues it looks at; without, those of
//         // any switch, which input-queued routers then have to run cycle by cycle
//     };
//
// A hook that is missing costs nothing: without any of them packets take MIN paths. A view draws paths,
// `min`, `vlb` and `of_split`, and tells the `queue` of a port, whether a VC has `room` for another packet, the `kind`
// of the link at a port and the `group` of a switch; that of routers whose packets follow drawn paths has
// more (paths/candidates.hpp). Virtual cut-through takes steerings in two ways: `CutThrough`, from switch to
// switch among MIN ports, and `CutThroughPaths`, along paths that `start` draws. The router with misrouting policies draws no paths: a steering names an
// intermediate switch, as those in misrouting/ do, and its view (routers/fog/run.hpp) tells the phits that
// are `used` of a VC and whether a switch `holds_packets`. Runs are compiled with the steering, so that a library of its own, linked to
// sim_bridge._core, may have one; what such a library needs of the core is visible by default.
#pragma once

#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "registry.hpp"
#include "routers/fog/run.hpp"
#include "routers/iq/route_writer.hpp"
#include "routers/vct/run.hpp"

namespace tvlb::sim {

struct Facts {
  Detours detours;
  double seconds_per_packet = 4.0e-7;  // measured with input queues, to estimate what a run takes
};

struct Steering {
  std::string_view name;
  int place;  // in lists of steerings
  Facts facts;
  std::vector<Parameter> parameters;
  bool decides_again;
  bool compares_first_queues;
  bool follows_table;
  bool attempts;  // decides anew at every look at a head that waits
  RouteMakers routes{};                // of input-queued routers, none where these do not take it
  vct::Simulate cut_through = nullptr;  // the same of virtual cut-through, by MIN ports
  vct::PathMakers cut_through_paths{};  // and along drawn paths
  fog::Simulate misrouting = nullptr;   // and of the router with misrouting policies
};

using Steerings = Registry<Steering>;

}  // namespace tvlb::sim

namespace tvlb {

// Of the one module that has the steerings, also for those that another library registers.
template <>
[[gnu::visibility("default")]] std::vector<sim::Steering>& Registry<sim::Steering>::members();

}  // namespace tvlb

namespace tvlb::sim {

/// Routers that may take a steering.
struct InputQueued {
  template <class Type>
  static void enter(Steering& steering) { fill<Type>(steering.routes); }
};
struct CutThrough {
  template <class Type>
  static void enter(Steering& steering) { steering.cut_through = &vct::simulate<Type>; }
};
struct CutThroughPaths {
  template <class Type>
  static void enter(Steering& steering) { vct::fill<Type>(steering.cut_through_paths); }
};
struct Misrouting {
  template <class Type>
  static void enter(Steering& steering) { steering.misrouting = &fog::simulate<Type>; }
};

/// The same with another class of the steering.
template <class Other, class Router>
struct As {
  template <class>
  static void enter(Steering& steering) { Router::template enter<Other>(steering); }
};

/// A static object of this type makes a steering known.
template <class Type, class... Routers>
struct Registration {
  Registration(std::string_view name, int place, Facts facts, std::vector<Parameter> parameters = {}) {
    Steering steering{name, place, facts, std::move(parameters), Arrives<Type, Candidates<ShortestPaths, CreditView>>,
                      requires { Type::kComparesFirstQueues; }, Follows<Type>, 
                      Attempts<Type, Candidates<ShortestPaths, CreditView>>};
    (Routers::template enter<Type>(steering), ...);
    Steerings::add(steering);
  }
};

/// MIN, unless there is none or `prefers_vlb` says so.
template <class PrefersVlb>
Choice choose(const Candidate& min, const Candidate& vlb, PrefersVlb prefers_vlb) {
  const bool takes_vlb = vlb.hops != 0 && (min.hops == 0 || prefers_vlb());
  return {takes_vlb ? vlb : min, takes_vlb};
}

/// UGAL: MIN, unless there is none or `excess` of its queue over that of a VLB path is above 0. `another`
/// draws a VLB path where the rule asks for several; the one that MIN exceeds most is compared.
template <class Excess, class Another>
Choice choose(const UgalRule& rule, const Candidate& min, Candidate vlb, Excess excess, Another another) {
  const auto of = [&](const Candidate& one) {
    if (one.hops == 0) return -std::numeric_limits<double>::infinity();
    return min.hops == 0 ? 1.0 : excess(one);
  };
  double most = of(vlb);
  for (int drawn = 1; drawn < rule.candidates(); ++drawn) {
    const Candidate other = another();
    const double found = of(other);
    if (found <= most) continue;
    most = found;
    vlb = other;
  }
  return {most > 0 ? vlb : min, most > 0};
}

/// UGAL-L: by the queues of the first links.
template <class Another>
Choice choose_by_first_queues(const auto& view, const Head& head, const Candidate& min,
                              const Candidate& vlb, Another another) {
  return choose(
      view.rule(), min, vlb,
      [&](const Candidate& one) {
        return view.rule().excess(view.first_queues(head, min, one), min, one);
      },
      another);
}

/// UGAL-L: a VLB path or a MIN path, as the queues of their first links say.
[[nodiscard]] Choice by_first_queues(const auto& view, const Head& head, Draws& draws) {
  const Candidate vlb = view.vlb(head, draws);
  const Candidate min = view.min(head, draws);
  return choose_by_first_queues(view, head, min, vlb, [&] { return view.vlb(head, draws); });
}

}  // namespace tvlb::sim
