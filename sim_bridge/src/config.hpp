// What a run is asked to do. Defaults are Table 3 of Rahman et al., SC'19.
#pragma once

#include <cstdint>
#include <string>

namespace tvlb::sim {

enum class Decide : std::uint8_t { once, each_attempt };

struct Config {
  std::string routing;    // a name of routings()
  std::string vc_scheme;  // a name of tvlb::vc::schemes()
  Decide decide = Decide::once;
  int vc_count = 0;  // higher VCs of the scheme are clamped
  int buffer_flits = 32;
  int local_latency = 10;
  int global_latency = 15;
  int speedup = 2;
  int threshold = 0;
  int warmup_cycles = 30000;     // at most, if it is detected
  bool detect_warmup = false;
  int measured_cycles = 10000;
  int drain_limit_cycles = 20000;
  int traced_packets = 0;
  bool stop_when_saturated = false;
  double load = 0.0;
  std::uint64_t seed = 0;
};

inline constexpr int kMaxVcs = 8;
inline constexpr int kMaxPorts = 128;
inline constexpr int kMaxTracedPackets = 100'000;

}  // namespace tvlb::sim
