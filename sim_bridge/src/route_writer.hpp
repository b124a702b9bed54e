// Lets the routing decide, and writes the chosen path with its VCs into the packet.
#pragma once

#include "candidates.hpp"
#include "routings/routing.hpp"

namespace tvlb::sim {

class RouteWriter {
 public:
  RouteWriter(const Dragonfly& network, const PathSampler& sampler, const Config& config,
              CreditView credits);

  /// The source decision for two different switches; the route ends with the ejection VC. Marks
  /// other than kRevisable stay.
  void decide(int source, int target, OutputVcId ejection, Draws& draws, Packet& packet) const;

  /// The second decision, when a packet leaves the switch `source` of its first hop: replaces the
  /// rest of its route. `target` is in another group.
  void revise(int source, int target, Draws& draws, Packet& packet) const;

  /// The route inside one switch.
  static void eject(OutputVcId ejection, Packet& packet);

 private:
  void write(Packet& packet, const Path& path, OutputVcId ejection) const;

  const Dragonfly& network_;
  Candidates candidates_;
  const Routing& routing_;
  vc::Walk walk_;
  int last_vc_;
  int vc_slots_;
};

}  // namespace tvlb::sim
