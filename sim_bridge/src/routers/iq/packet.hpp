// A single-flit packet, and the route that it carries.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace tvlb::sim {

/// Most network links that a route may take, and most that packets without much memory hold (PAR on
/// a Dragonfly: one hop, then a VLB path of six).
inline constexpr int kMaxHops = 15;
inline constexpr int kFewHops = 7;

/// Output VC of a switch: port * (VC slots per port) + VC.
using OutputVcId = std::uint16_t;

/// A route as it is decided: the output VC of each network hop, then the ejection VC.
struct Route {
  std::array<OutputVcId, kMaxHops + 1> output_vcs;
  std::uint8_t hops = 0;
  bool took_vlb = false;
  bool is_revisable = false;  // a second decision is still open
  std::uint8_t level = 0;     // of the path set that it is from
};

/// For routes of at most `Hops` network links.
template <int Hops>
struct alignas(Hops <= kFewHops ? 32 : 16) Packet {
  static constexpr std::uint8_t kRevisable = 1;  // a second decision is still open
  static constexpr std::uint8_t kTraced = 2;

  std::array<OutputVcId, Hops + 1> route;  // as in `Route`
  std::int32_t created;                    // cycle
  std::int32_t destination;                // node
  std::int32_t next;                       // following packet of the same queue, -1 none
  std::uint8_t position;                   // entry of `route` that the packet wants
  std::uint8_t hops;                       // network hops of the route
  bool took_vlb : 1;
  bool was_vlb : 1;        // this or an earlier decision was VLB
  std::uint8_t level : 6;  // of the path set of its route
  std::uint8_t marks;

  [[nodiscard]] bool has(std::uint8_t mark) const { return (marks & mark) != 0; }
  void assign(std::uint8_t mark, bool value) {
    marks = static_cast<std::uint8_t>((marks & ~mark) | (value ? mark : 0));
  }
  /// Marks other than kRevisable stay, and `was_vlb` once it is true.
  void take(const Route& decided) {
    std::copy_n(decided.output_vcs.begin(), route.size(), route.begin());
    hops = decided.hops;
    took_vlb = decided.took_vlb;
    was_vlb = was_vlb || took_vlb;
    level = decided.level & 63;
    assign(kRevisable, decided.is_revisable);
  }
};
static_assert(sizeof(Packet<kFewHops>) == 32);

}  // namespace tvlb::sim
