// What a run of the virtual cut-through router is asked to do.
#pragma once

#include <cstdint>
#include <string>

#include "common/config.hpp"

namespace tvlb::sim::vct {

/// VCs of a port, a bit each.
using VcMask = std::uint16_t;
inline constexpr int kMaxVcs = 16;

[[nodiscard]] constexpr VcMask first_vcs(int count) {
  return static_cast<VcMask>((std::uint32_t{1} << count) - 1);
}

/// `load` is in phits per cycle and node.
struct Config : RunConfig {
#define TVLB_OF_CUT_THROUGH(SETTING) \
  SETTING(int, packet_phits)         \
  SETTING(int, input_buffer_phits)   \
  SETTING(int, output_buffer_phits)  \
  SETTING(int, source_queue_packets) \
  SETTING(int, server_latency)       \
  SETTING(std::string, ugal_rule)    \
  SETTING(std::string, queue)        \
  SETTING(int, threshold)            \
  SETTING(double, vlb_factor)        \
  SETTING(int, candidates)
  TVLB_SETTINGS(TVLB_OF_CUT_THROUGH)
#undef TVLB_OF_CUT_THROUGH

  /// Packets that a buffer holds.
  [[nodiscard]] int input_packets() const { return input_buffer_phits / packet_phits; }
  [[nodiscard]] int output_packets() const { return output_buffer_phits / packet_phits; }
};

}  // namespace tvlb::sim::vct
