// Route decisions: candidates, the UGAL comparison, and the VCs of the chosen path.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "config.hpp"
#include "network.hpp"
#include "packet.hpp"
#include "rng.hpp"
#include "samplers.hpp"

namespace tvlb::sim {

/// Links of a path in order; `hops` of them, none means that there is no such path.
struct Path {
  std::array<std::int32_t, kMaxHops + 1> links;
  int hops = 0;

  void append(int link) { append_if(link, true); }
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
  Routing(const Network& network, const PathSampler& sampler, const Config& config,
          CreditView credits);

  /// The source decision for two different switches; the route ends with the ejection VC.
  void decide(int source, int target, OutputVcId ejection, Stream& stream, Packet& packet) const;

  /// PAR's second decision: when a packet leaves the switch `source` of its first hop, replaces
  /// the rest of its route. `target` is in another group.
  void revise(int source, int target, Stream& stream, Packet& packet) const;

  /// The route inside one switch.
  static void eject(OutputVcId ejection, Packet& packet);

 private:
  void append_half(Path& path, int source, int target, int global_link) const;
  [[nodiscard]] Path min_candidate(int source, int target, Stream& stream) const;
  [[nodiscard]] Path vlb_candidate(int source, int target, Stream& stream) const;
  [[nodiscard]] bool chooses_vlb(const Path& min, const Path& vlb) const;
  [[nodiscard]] bool prefers_vlb_by_first_port(const Path& min, const Path& vlb) const;
  [[nodiscard]] std::int64_t queue_of(int link) const;
  [[nodiscard]] std::int64_t queue_of(const Path& path) const;
  void write_hops(Packet& packet, const Path& path, int position, int vc, bool after_local) const;

  const Network& network_;
  const PathSampler& sampler_;
  RoutingKind kind_;
  VcScheme scheme_;
  int last_vc_;
  int threshold_;
  CreditView credits_;
  int all_credits_;                           // of the VC slots of an idle port
  std::vector<std::uint32_t> first_counter_;  // per link: VC slot 0 among the credit counters
  std::vector<std::int32_t> link_of_port_;    // per (switch, port), -1 for nodes
};

}  // namespace tvlb::sim
