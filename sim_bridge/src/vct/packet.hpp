// A packet of several phits. Packets never interleave, so all its phits follow from its header.
#pragma once

#include <cstdint>

namespace tvlb::sim::vct {

/// How far a packet is: what policies of virtual channels go by.
struct Progress {
  std::uint8_t links = 0;       // taken so far, of any kind
  std::uint8_t phase = 0;       // 0: on the way to an intermediate switch; 1: to the destination
  bool passed_global = false;  // a global link in this phase
};

struct Packet {
  std::int32_t created;       // cycle
  std::int32_t destination;   // node
  std::int32_t target;        // switch of that node
  std::int32_t intermediate;  // switch, -1 once passed or where there is none
  std::int32_t next;          // packet behind in the same queue, -1 none
  Progress progress;
  bool is_traced;
};

}  // namespace tvlb::sim::vct
