// The course of one simulation run: its parts cycle after cycle, when it ends, and what it found.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conservation.hpp"
#include "fabric.hpp"
#include "injection.hpp"
#include "records.hpp"
#include "simulator.hpp"
#include "watchdog.hpp"
#include "common/course.hpp"

namespace tvlb::sim {

inline constexpr int kWarmupCheckInterval = 1000;  // cycles
inline constexpr int kDrainCheckInterval = 64;     // cycles
inline constexpr double kHopelessWarmup = 2.0;     // times the latency of saturated loads

/// For one size of switch masks.
template <int Words, int Slots>
class Run : private Course {
 public:
  Run(const Network& network, const Traffic& traffic, const Routes& routes,
      const Config& config, StopFlag& stop)
      : Course(config, stop),
        network_(network),
        config_(config),
        records_(window_, network.num_switches(), routes.path_sets, config,
                 config.window_load() * traffic.total_rate()),
        fabric_(network, config),
        injection_(fabric_, network, records_, traffic, routes, config),
        watchdog_(fabric_, config.buffer_flits),
        link_flits_(static_cast<std::size_t>(network.num_links()), 0),
        steady_(config.warmup == "fixed") {}

  Figures execute() {
    run(*this);
    return figures();
  }

  // Of its course.
  [[nodiscard]] bool is_over() {
    if (!steady_) detect_end_of_warmup();
    if (cycle_ == window_.begin) count_link_flits(-1);
    if (cycle_ == window_.end) close_window();
    return records_.measurement.complete() || cycle_ >= window_.end + config_.drain_limit_cycles;
  }
  [[nodiscard]] std::vector<Buffer> find_wait_cycle() const { return watchdog_.find_wait_cycle(); }
  [[nodiscard]] bool goes_on() { return !config_.stop_when_saturated || !seems_saturated(); }
  void run_cycle() {
    injection_.steer(cycle_);
    injection_.inject(cycle_);
    fabric_.deliver_events(cycle_);
    fabric_.run_switches(
        cycle_, [this](const Grant& grant) { granted(grant); },
        [this](const Packet& packet, std::int32_t at, unsigned sw) {
          records_.delivered(packet, at, sw);
        });
    if constexpr (kChecksEveryCycle) {
      Conservation(fabric_, config_.buffer_flits).check(cycle_, records_.measurement.in_network());
    }
  }

 private:
  using FabricType = Fabric<Words, Slots>;
  using Packet = typename FabricType::PacketType;

  // Of a packet with marks.
  void granted(const Grant& grant) {
    Packet& packet = fabric_.packets()[grant.packet];
    if (packet.has(Packet::kRevisable)) injection_.revise(grant.sw, packet);
    if (!packet.has(Packet::kTraced)) return;
    Trace& trace = records_.tracer.of(grant.packet);
    const int port = grant.output_vc / Slots;
    const auto sw = static_cast<std::int32_t>(grant.sw);
    trace.took_vlb = packet.took_vlb;
    trace.hops.push_back({sw, port, grant.output_vc % Slots, grant.departure});
    if (port < network_.num_terminals(sw)) {
      records_.tracer.end(grant.packet, grant.departure + kEjectionTime);
    }
  }
  // Certain from the end of the window on.
  [[nodiscard]] bool seems_saturated() {
    if (!records_.measurement.window_closed()) return seems_saturated_early();
    if (cycle_ == window_.end && records_.measurement.backlog_grew()) {
      stop("saturated-early", "more packets came than went, beyond chance");
      return true;
    }
    if (cycle_ % kDrainCheckInterval != 0) return false;
    if (!records_.measurement.passes(records_.measurement.mean_latency_at_least(cycle_))) return false;
    stop("saturated-early", "mean latency above that of saturated loads");
    return true;
  }
  // During warm-up; a heuristic.
  [[nodiscard]] bool seems_saturated_early() {
    if (cycle_ == 0 || cycle_ >= window_.begin || cycle_ % kWarmupCheckInterval != 0) return false;
    Backlog unsent;
    injection_.for_each_unsent(cycle_ - 1, [&](std::int32_t created) { unsent.add(created); });
    const double latency = records_.measurement.interval_latency(unsent, cycle_);
    if (!records_.measurement.passes(latency, kHopelessWarmup)) return false;
    stop("saturated-early", "latency above twice that of saturated loads during warm-up");
    return true;
  }
  void close_window() {
    if (cycle_ >= window_.begin) count_link_flits(+1);
    injection_.for_each_unsent(cycle_ - 1, [&](std::int32_t created) {
      records_.measurement.left_in_source(created);
    });
    records_.measurement.close_window();
  }
  // The warm-up lasts at least as long as the window, so that a drift that would show within the
  // window has had time to show. A grant counts deliveries some cycles ahead, so the window opens
  // after the last of those that are counted already.
  void detect_end_of_warmup() {
    if (cycle_ % kWarmupCheckInterval != 0 || cycle_ < config_.measured_cycles) return;
    const std::int32_t begin = cycle_ + fabric_.span();
    if (begin >= window_.begin) return;
    const std::vector<PacketSums>& series = records_.statistics.series;
    const auto complete = static_cast<std::size_t>(cycle_ / kSeriesStep);
    if (!seems_steady(std::span(series).first(std::min(complete, series.size())))) return;
    steady_ = true;
    window_ = {begin, begin + config_.measured_cycles};
  }

  [[nodiscard]] Figures figures() {
    if (!records_.measurement.window_closed()) close_window();
    Figures found;
    found["flits_in_network"] = record_undelivered();
    records_.tell(found, network_.num_nodes());
    tell(found);
    if (stopped_ == "saturated-early") {
      found["saturated"] = true;
      found["undecided"] = false;
    }
    found["flit_hops"] = total_flit_hops();
    found["warmup_cycles"] = window_.begin;
    found["steady"] = steady_;
    found["link_load"] = link_flits_;
    return found;
  }
  // Returns how many packets are in the network.
  std::int64_t record_undelivered() {
    std::int64_t in_network = 0;
    injection_.for_each_unsent(cycle_ - 1, [&](std::int32_t created) {
      records_.undelivered(created, cycle_);
    });
    fabric_.packets().for_each_in_use([&](const Packet& packet) {
      records_.undelivered(packet.created, cycle_);
      ++in_network;
    });
    return in_network;
  }
  [[nodiscard]] std::int64_t total_flit_hops() const {
    std::int64_t total = 0;
    for (const Link& link : network_.links()) total += fabric_.departed(link, cycle_);
    return total;
  }
  void count_link_flits(int sign) {
    for (int id = 0; id < network_.num_links(); ++id) {
      link_flits_[static_cast<std::size_t>(id)] += sign * fabric_.departed(network_.link(id), cycle_);
    }
  }

  const Network& network_;
  Config config_;
  Records records_;
  FabricType fabric_;
  Injection<FabricType> injection_;
  Watchdog<FabricType> watchdog_;
  std::vector<std::int64_t> link_flits_;
  bool steady_;
};

}  // namespace tvlb::sim
