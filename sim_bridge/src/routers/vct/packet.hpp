// A packet of several phits. Packets never interleave, so all its phits follow from its header.
#pragma once

#include <cstdint>

#include "vc/table.hpp"

namespace tvlb::sim::vct {

struct Packet {
  std::int32_t created;       // cycle
  std::int32_t destination;   // node
  std::int32_t target;        // switch of that node
  std::int32_t intermediate;  // switch, -1 once passed or where there is none
  std::int32_t next;          // packet behind in the same queue, -1 none
  vc::Table::State vc_state;  // of the policy of virtual channels
  std::uint8_t links;         // taken so far, of any kind
  std::uint8_t phase;         // 0: on the way to an intermediate switch; 1: to the destination
  bool is_traced;
};

}  // namespace tvlb::sim::vct
