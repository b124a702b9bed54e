// What a run is asked to do.
#pragma once

#include <string>

#include "common/config.hpp"

namespace tvlb::sim {

class TableRoutes;

/// `routes` are those of a forwarding table, of which so many layers have VCs of their own.
struct Config : RunConfig {
#define TVLB_OF_QUEUES(SETTING)      \
  SETTING(std::string, warmup)       \
  SETTING(int, drain_limit_cycles)   \
  SETTING(int, buffer_flits)         \
  SETTING(double, speedup)           \
  SETTING(std::string, ugal_rule)    \
  SETTING(std::string, queue)        \
  SETTING(int, threshold)            \
  SETTING(double, vlb_factor)        \
  SETTING(int, candidates)           \
  SETTING(std::string, decide)       \
  SETTING(int, longest_latency)      \
  SETTING(bool, stop_when_saturated) \
  SETTING(bool, verdict_only)        \
  SETTING(const TableRoutes*, routes) \
  SETTING(int, layers)               \
  SETTING(int, threads)
  TVLB_SETTINGS(TVLB_OF_QUEUES)
#undef TVLB_OF_QUEUES
};

}  // namespace tvlb::sim
