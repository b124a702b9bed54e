// A single-flit packet, and the route that it carries.
#pragma once

#include <array>
#include <cstdint>

namespace tvlb::sim {

/// Most network links that a route may take (PAR: one hop, then a VLB path of six).
inline constexpr int kMaxHops = 7;

/// Output VC of a switch: port * (VC slots per port) + VC.
using OutputVcId = std::uint16_t;

struct alignas(32) Packet {
  static constexpr std::uint8_t kRevisable = 1;  // a second decision is still open
  static constexpr std::uint8_t kTraced = 2;

  std::array<OutputVcId, kMaxHops + 1> route;  // one per network hop, then the ejection VC
  std::int32_t created;                        // cycle
  std::int32_t destination;                    // node
  std::int32_t next;                           // following packet of the same queue, -1 none
  std::uint8_t position;                       // entry of `route` that the packet wants
  std::uint8_t hops;                           // network hops of the route
  bool took_vlb;
  std::uint8_t marks;

  [[nodiscard]] bool has(std::uint8_t mark) const { return (marks & mark) != 0; }
  void assign(std::uint8_t mark, bool value) {
    marks = static_cast<std::uint8_t>((marks & ~mark) | (value ? mark : 0));
  }
};
static_assert(sizeof(Packet) == 32);

}  // namespace tvlb::sim
