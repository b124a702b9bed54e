// What a run is asked to do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vc/table.hpp"

namespace tvlb::sim {

/// Type and name of everything that a run is given. Default, range and meaning of the settings are
/// declared, and values checked, in sim_bridge/routers/iq/config.py; a choice comes as its text, the policy of
/// virtual channels as its table, the latency of links by kind.
#define TVLB_SETTINGS(SETTING)       \
  SETTING(std::string, routing)      \
  SETTING(double, load)              \
  SETTING(std::uint64_t, seed)       \
  SETTING(int, warmup_cycles)        \
  SETTING(int, measured_cycles)      \
  SETTING(std::string, warmup)       \
  SETTING(int, drain_limit_cycles)   \
  SETTING(vc::Table, vcs)            \
  SETTING(int, vc_count)             \
  SETTING(int, buffer_flits)         \
  SETTING(std::vector<int>, latency) \
  SETTING(double, speedup)           \
  SETTING(std::string, ugal_rule)    \
  SETTING(std::string, queue)        \
  SETTING(int, threshold)            \
  SETTING(std::string, decide)       \
  SETTING(int, traced_packets)       \
  SETTING(bool, stop_when_saturated)

struct Config {
#define TVLB_MEMBER(type, name) type name{};
  TVLB_SETTINGS(TVLB_MEMBER)
#undef TVLB_MEMBER
};

inline constexpr int kMaxPorts = 128;

}  // namespace tvlb::sim
