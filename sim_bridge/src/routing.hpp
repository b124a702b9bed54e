// Route decisions: candidates, the UGAL comparison, and the VCs of the chosen path.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "config.hpp"
#include "dragonfly/dragonfly.hpp"
#include "packet.hpp"
#include "rng.hpp"
#include "samplers.hpp"
#include "vc/scheme.hpp"

namespace tvlb::sim {

/// A MIN path (no intermediate) or a VLB path between two switches, as its draws name it.
struct Candidate {
  std::int32_t intermediate = -1;
  std::int32_t first_link = -1;   // global link of the only or first half; -1: local half
  std::int32_t second_link = -1;  // of the second half
  int hops = 0;                   // none: there is no such path
};

/// Links of a path in order.
struct Path {
  std::array<std::int32_t, kMaxHops + 1> links;
  int hops = 0;

  void append_if(int link, bool wanted) {
    links[static_cast<std::size_t>(hops)] = link;
    hops += static_cast<int>(wanted);
  }
};

/// The credit counters of all output VCs, and how they are laid out.
struct CreditView {
  std::span<const std::uint16_t> credits;  // per (switch, port, VC slot)
  int ports_per_switch;
  int vc_slots;  // 4 or 8
};

/// Reads the credit counters and never changes them.
class Routing {
 public:
  Routing(const Dragonfly& network, const PathSampler& sampler, const Config& config,
          CreditView credits);

  /// The source decision for two different switches; the route ends with the ejection VC. Marks
  /// other than kRevisable stay.
  void decide(int source, int target, OutputVcId ejection, Draws& draws, Packet& packet) const;

  /// PAR's second decision: when a packet leaves the switch `source` of its first hop, replaces
  /// the rest of its route. `target` is in another group.
  void revise(int source, int target, Draws& draws, Packet& packet) const;

  /// The route inside one switch.
  static void eject(OutputVcId ejection, Packet& packet);

 private:
  /// What route decisions need of one link, together.
  struct Hop {
    std::int32_t source;
    std::int32_t target;
    std::uint32_t counter;  // VC slot 0 among the credit counters
    OutputVcId output_vc;   // VC slot 0 at its switch
    vc::Kind kind;
  };

  [[nodiscard]] const Hop& hop(int link) const { return hops_[static_cast<std::size_t>(link)]; }
  /// Of the MIN path through `global_link`; -1 is the local link of two switches of one group.
  [[nodiscard]] int half_hops(int source, int target, int global_link) const;
  void append_half(Path& path, int source, int target, int global_link) const;
  [[nodiscard]] int first_link(int source, int target, const Candidate& candidate) const;
  void append(Path& path, int source, int target, const Candidate& candidate) const;
  [[nodiscard]] Path links_of(int source, int target, const Candidate& candidate) const;

  [[nodiscard]] Candidate min_candidate(int source, int target, Draws& draws) const;
  [[nodiscard]] Candidate vlb_candidate(int source, int target, Draws& draws) const;
  [[nodiscard]] bool chooses_vlb(int source, int target, const Candidate& min,
                                 const Candidate& vlb) const;
  [[nodiscard]] bool prefers_vlb_by_first_port(int source, int target, const Candidate& min,
                                               const Candidate& vlb) const;
  [[nodiscard]] int queue_of(int link) const;
  [[nodiscard]] int queue_of(const Path& path) const;
  void write_route(Packet& packet, const Path& path, OutputVcId ejection) const;

  const Dragonfly& network_;
  const PathSampler& sampler_;
  RoutingKind kind_;
  vc::Walk walk_;
  int last_vc_;
  int threshold_;
  CreditView credits_;
  int all_credits_;  // of the VC slots of an idle port
  std::vector<Hop> hops_;  // per link
};

}  // namespace tvlb::sim
