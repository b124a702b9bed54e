// Route decisions: candidates, the UGAL comparison, and the VCs of the chosen path.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "config.hpp"
#include "network.hpp"
#include "packet.hpp"
#include "rng.hpp"
#include "samplers.hpp"

namespace tvlb::sim {

/// Links of a path in order.
struct Path {
  std::array<std::int32_t, kMaxHops> links;
  int hops = 0;
  void append(int link) { links[static_cast<std::size_t>(hops++)] = link; }
};

/// How per-switch arrays of ports and output VCs are laid out.
struct PortLayout {
  int ports_per_switch;  // stride of arrays over (switch, port)
  int vc_slots;          // stride of a switch's arrays over (port, VC)
};

struct Choice {
  Path path;
  bool vlb = false;
  bool may_revise = false;
};

/// Reads the port counters ("credits in use") through a view and never changes them.
class Routing {
 public:
  Routing(const Network& network, const PathSampler& sampler, const Config& config,
          PortLayout layout, std::span<const std::int32_t> credits_in_use);

  /// The source decision for two different switches.
  [[nodiscard]] Choice decide(int source, int target, Stream& stream) const;

  /// PAR's second decision, at the second switch of a MIN path; `target` is in another group.
  [[nodiscard]] Choice revise(int source, int target, Stream& stream) const;

  /// Second switch of a packet's route at its source.
  [[nodiscard]] int switch_after(int sw, OutputVcId output_vc) const;

  /// Writes a path into a fresh route, followed by the ejection VC.
  void write_route(Packet& packet, const Path& path, OutputVcId ejection) const;

  /// Replaces what follows the first hop, a local one.
  void rewrite_after_first_hop(Packet& packet, const Path& path) const;

 private:
  [[nodiscard]] std::optional<Path> min_candidate(int source, int target, Stream& stream) const;
  [[nodiscard]] std::optional<Path> vlb_candidate(int source, int target, Stream& stream) const;
  [[nodiscard]] bool prefers_min(const Path& min, const Path& vlb) const;
  [[nodiscard]] bool prefers_min_by_first_port(const Path& min, const Path& vlb) const;
  [[nodiscard]] std::int64_t queue_of(int link) const {
    return credits_in_use_[counter_of_link_[static_cast<std::size_t>(link)]];
  }
  [[nodiscard]] std::int64_t queue_of(const Path& path) const;
  void append_half(Path& path, int source, int target, int global_link) const;
  void write_hops(Packet& packet, const Path& path, int position, int vc,
                  const Link* previous) const;
  [[nodiscard]] int next_vc(int vc, int position, const Link* previous, const Link& next) const;

  const Network& network_;
  const PathSampler& sampler_;
  PortLayout layout_;
  RoutingKind kind_;
  VcScheme scheme_;
  int last_vc_;
  int threshold_;
  std::span<const std::int32_t> credits_in_use_;
  std::vector<std::uint32_t> counter_of_link_;  // index into credits_in_use_
  std::vector<std::int32_t> link_of_port_;      // per (switch, port), -1 for nodes
};

}  // namespace tvlb::sim
