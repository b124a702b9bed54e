// Routings: how the source of a packet chooses its path. A routing is one source file in this
// folder: a class of static functions, and a Registration of it with what others need to know of it.
//
//     struct Routing {
//       static Choice decide(const Candidates& at, int source, int target, Draws& draws);
//       static Choice decide_again(...);  // optional: where a Choice says `again`
//     };
#pragma once

#include <cstdint>
#include <string_view>

#include "../candidates.hpp"
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

using Decision = Choice (*)(const Candidates& at, int source, int target, Draws& draws);

struct Routing {
  std::string_view name;
  int place;  // in lists of routings
  Detours detours;
  double seconds_per_packet;  // measured, to estimate what a run takes
  Decision decide;
  Decision decide_again;  // for the second switch as the source; null if decided only once
};

using Routings = Registry<Routing>;

/// A static object of this type makes a routing known.
template <class Type>
struct Registration {
  Registration(std::string_view name, int place, Detours detours, double seconds_per_packet) {
    Decision again = nullptr;
    if constexpr (requires { &Type::decide_again; }) again = &Type::decide_again;
    Routings::add({name, place, detours, seconds_per_packet, &Type::decide, again});
  }
};

/// UGAL: the MIN candidate, unless there is none or `prefers_vlb` says so.
template <class PrefersVlb>
Choice choose(const Candidate& min, const Candidate& vlb, PrefersVlb prefers_vlb) {
  const bool takes_vlb = vlb.hops > 0 && (min.hops == 0 || prefers_vlb());
  return {takes_vlb ? vlb : min, takes_vlb};
}

/// UGAL-L's comparison: the queue of the first port times the hops.
[[nodiscard]] inline bool first_queue_prefers_vlb(const Candidates& at, int source, int target,
                                                  const Candidate& min, const Candidate& vlb) {
  return at.first_queue(source, target, min) * min.hops >
         at.first_queue(source, target, vlb) * vlb.hops + at.threshold();
}

}  // namespace tvlb::sim
