// Settings of runs, each named once: as a member of its type, which is what the core is given by
// that name. Default, range and meaning are declared, and values checked, in
// sim_bridge/routers/*/config.py; a choice comes as its text, the policy of virtual channels as its
// table, the latency of links by kind.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "vc/table.hpp"

namespace tvlb::sim {

inline constexpr int kMaxPorts = 128;

/// The measured window: cycles begin <= cycle < end.
struct Window {
  std::int32_t begin;
  std::int32_t end;

  [[nodiscard]] bool contains(std::int32_t cycle) const { return cycle >= begin && cycle < end; }
};

#define TVLB_MEMBER(type, name) type name{};
#define TVLB_VISIT(type, name) visit(#name, name);
/// Members of a list of settings, which calls its argument with each type and name, and a method
/// that calls `visit(name, member)` for each of them.
#define TVLB_SETTINGS(LIST) \
  LIST(TVLB_MEMBER)         \
  void visit_settings(auto&& visit) { LIST(TVLB_VISIT) }

/// What all routers are told; `arguments` are those of the steering that `routing` names. From the
/// start of `step_cycle` on, which may never come, the load is `step_load`.
struct RunConfig {
#define TVLB_OF_RUNS(SETTING)        \
  SETTING(std::string, routing)      \
  SETTING(std::vector<int>, arguments) \
  SETTING(double, load)              \
  SETTING(std::uint64_t, seed)       \
  SETTING(int, step_cycle)           \
  SETTING(double, step_load)         \
  SETTING(int, warmup_cycles)        \
  SETTING(int, measured_cycles)      \
  SETTING(int, interval)             \
  SETTING(vc::Table, vcs)            \
  SETTING(int, vc_count)             \
  SETTING(std::vector<int>, latency) \
  SETTING(int, traced_packets)
  TVLB_SETTINGS(TVLB_OF_RUNS)
#undef TVLB_OF_RUNS

  /// Mean load of the measured window, as it is planned.
  [[nodiscard]] double window_load() const {
    if (step_cycle >= warmup_cycles + measured_cycles) return load;
    const double before = std::max(step_cycle - warmup_cycles, 0);
    return (load * before + step_load * (measured_cycles - before)) / measured_cycles;
  }
};

}  // namespace tvlb::sim
