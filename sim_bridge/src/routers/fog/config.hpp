// What a run of the router with misrouting policies is asked to do.
#pragma once

#include <string>
#include <vector>

#include "common/config.hpp"

namespace tvlb::sim::fog {

/// `load` is in phits per cycle and node; buffers hold whole packets, those of links by kind.
struct Config : RunConfig {
#define TVLB_OF_MISROUTING(SETTING)       \
  SETTING(int, packet_phits)              \
  SETTING(int, speedup)                   \
  SETTING(int, rounds)                    \
  SETTING(int, crossbar_latency)          \
  SETTING(std::vector<int>, buffer_phits) \
  SETTING(int, output_buffer_phits)       \
  SETTING(int, injection_buffer_phits)    \
  SETTING(std::string, arbiter)           \
  SETTING(int, levels_group)
  TVLB_SETTINGS(TVLB_OF_MISROUTING)
#undef TVLB_OF_MISROUTING
};

inline constexpr int kMaxVcs = 8;

}  // namespace tvlb::sim::fog
