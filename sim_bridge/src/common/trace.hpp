// The ways of a sample of packets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "config.hpp"

namespace tvlb::sim {

/// A grant: the packet leaves `sw` by this port and VC in cycle `departure`.
struct TraceHop {
  std::int32_t sw;
  std::int32_t port;
  std::int32_t vc;
  std::int32_t departure;
};

struct Trace {
  std::int32_t source;       // node
  std::int32_t destination;  // node
  std::int32_t created;
  std::int32_t injected;
  std::int32_t delivered = -1;  // -1: not by the end of the run
  bool took_vlb = false;
  std::vector<TraceHop> hops{};  // the last one leads to the node
};

/// Follows packets that the caller has marked, so the others cost nothing.
class Tracer {
 public:
  /// Samples packets generated in the window, evenly spaced among the expected ones; `rate`: of all
  /// nodes together, per cycle. The window outlives this object.
  Tracer(const Window& window, const RunConfig& config, double rate)
      : window_(window),
        wanted_(static_cast<std::size_t>(config.traced_packets)),
        stride_(std::max(1.0, rate * config.measured_cycles / std::max(config.traced_packets, 1))) {}

  /// To be asked once per packet, in order of injection: whether it is followed.
  [[nodiscard]] bool begins(std::int32_t packet, std::int32_t source, std::int32_t destination,
                            std::int32_t created, std::int32_t injected) {
    if (wanted_ == 0 || !window_.contains(created)) return false;
    const double place = seen_++;
    const bool wanted =
        traces_.size() < wanted_ && place >= stride_ * static_cast<double>(traces_.size());
    if (!wanted) return false;
    position_[packet] = traces_.size();
    traces_.push_back({source, destination, created, injected});
    return true;
  }
  [[nodiscard]] Trace& of(std::int32_t packet) { return traces_[position_.at(packet)]; }
  void end(std::int32_t packet, std::int32_t delivered) {
    of(packet).delivered = delivered;
    position_.erase(packet);
  }
  [[nodiscard]] const std::vector<Trace>& traces() const { return traces_; }

 private:
  const Window& window_;
  std::size_t wanted_;
  double stride_;  // packets from one sample to the next
  double seen_ = 0.0;
  std::vector<Trace> traces_;                               // by injection
  std::unordered_map<std::int32_t, std::size_t> position_;  // of the packets in the network
};

}  // namespace tvlb::sim
