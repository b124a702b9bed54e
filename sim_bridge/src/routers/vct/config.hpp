// What a run of the virtual cut-through router is asked to do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vc/table.hpp"

namespace tvlb::sim::vct {

/// Type and name of everything that a run is given. Default, range and meaning of the settings are
/// declared, and values checked, in sim_bridge/routers/vct/config.py; the policy of virtual channels comes as
/// its table, the latency of links by kind. `load` is in phits per cycle and node, `one_phase` the phase of packets whose
/// intermediate switch is their first or last one, or empty without intermediate switches.
#define TVLB_VCT_SETTINGS(SETTING)    \
  SETTING(double, load)               \
  SETTING(std::uint64_t, seed)        \
  SETTING(int, warmup_cycles)         \
  SETTING(int, measured_cycles)       \
  SETTING(std::string, one_phase)     \
  SETTING(vc::Table, vcs)             \
  SETTING(int, vc_count)              \
  SETTING(int, packet_phits)          \
  SETTING(int, input_buffer_phits)    \
  SETTING(int, output_buffer_phits)   \
  SETTING(int, source_queue_packets)  \
  SETTING(std::vector<int>, latency)  \
  SETTING(int, server_latency)        \
  SETTING(int, traced_packets)

/// VCs of a port, a bit each.
using VcMask = std::uint16_t;
inline constexpr int kMaxVcs = 16;

[[nodiscard]] constexpr VcMask first_vcs(int count) {
  return static_cast<VcMask>((std::uint32_t{1} << count) - 1);
}

struct Config {
#define TVLB_MEMBER(type, name) type name{};
  TVLB_VCT_SETTINGS(TVLB_MEMBER)
#undef TVLB_MEMBER

  /// Packets that a buffer holds.
  [[nodiscard]] int input_packets() const { return input_buffer_phits / packet_phits; }
  [[nodiscard]] int output_packets() const { return output_buffer_phits / packet_phits; }
};

}  // namespace tvlb::sim::vct
