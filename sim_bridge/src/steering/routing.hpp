// Routings: how the source of a packet chooses its path. A routing is one source file in this
// folder: a class of static functions, and a Registration of it with what others need to know of it.
//
//     struct Routing {
//       static Choice decide(const auto& at, int source, int target, Draws& draws);
//       static Choice decide_again(const auto& at, int second, int target, int taken, Draws& draws);
//         // optional: where a Choice says `again`, behind the link `taken`
//       static constexpr bool kComparesFirstQueues = true;  // optional: see first_queue_prefers_vlb
//     };
//
// `at` are the `Candidates` of any family.
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "paths/families.hpp"
#include "registry.hpp"

namespace tvlb::sim {

/// The path that a decision takes; without hops there is none.
struct Choice {
  Candidate path;
  bool vlb = false;
  bool again = false;  // decide once more at the second switch
};

/// Whether a routing takes VLB paths.
enum class Detours : std::uint8_t {
  never,
  always,    // wherever a pair has one
  adaptive,  // as the queues say
};

template <class Family>
using Decision = Choice (*)(const Candidates<Family>& at, int source, int target, Draws& draws);
template <class Family>
using Revision = Choice (*)(const Candidates<Family>& at, int second, int target, int taken,
                            Draws& draws);

/// The decisions of a routing in every family.
template <class... Family>
struct DecisionsOf {
  std::tuple<Decision<Family>...> first;
  std::tuple<Revision<Family>...> again;
  bool has_again = false;

  template <class Type>
  static DecisionsOf of() {
    DecisionsOf out{{&first_of<Type, Family>...}, {}};
    if constexpr (requires(const std::tuple<const Candidates<Family>*...>& at, Draws& draws) {
                    Type::decide_again(*std::get<0>(at), 0, 0, 0, draws);
                  }) {
      out.again = {&again_of<Type, Family>...};
      out.has_again = true;
    }
    return out;
  }

 private:
  template <class Type, class Each>
  static Choice first_of(const Candidates<Each>& at, int source, int target, Draws& draws) {
    return Type::decide(at, source, target, draws);
  }
  template <class Type, class Each>
  static Choice again_of(const Candidates<Each>& at, int second, int target, int taken,
                         Draws& draws) {
    return Type::decide_again(at, second, target, taken, draws);
  }
};
using Decisions = OverFamilies<DecisionsOf>;

struct Routing {
  std::string_view name;
  int place;  // in lists of routings
  Detours detours;
  double seconds_per_packet;  // measured, to estimate what a run takes
  bool compares_first_queues;
  Decisions decisions;
};

using Routings = Registry<Routing>;

/// A static object of this type makes a routing known.
template <class Type>
struct Registration {
  Registration(std::string_view name, int place, Detours detours, double seconds_per_packet) {
    Routings::add({name, place, detours, seconds_per_packet,
                   requires { Type::kComparesFirstQueues; }, Decisions::of<Type>()});
  }
};

/// UGAL: the MIN candidate, unless there is none or `prefers_vlb` says so.
template <class PrefersVlb>
Choice choose(const Candidate& min, const Candidate& vlb, PrefersVlb prefers_vlb) {
  const bool takes_vlb = vlb.hops > 0 && (min.hops == 0 || prefers_vlb());
  return {takes_vlb ? vlb : min, takes_vlb};
}

/// UGAL-L's comparison: the queue of the first port times the hops, or of the VLB path times two.
[[nodiscard]] bool first_queue_prefers_vlb(const auto& at, int source, int target,
                                           const Candidate& min, const Candidate& vlb,
                                           int taken = -1) {
  const int min_queue = at.first_queue(source, target, min, taken);
  const int vlb_queue = at.first_queue(source, target, vlb, taken);
  if (at.doubles_vlb()) return min_queue > 2 * vlb_queue + at.threshold();
  return min_queue * min.hops > vlb_queue * vlb.hops + at.threshold();
}

}  // namespace tvlb::sim
