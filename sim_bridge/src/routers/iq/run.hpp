// The course of one simulation run: its parts cycle after cycle, when it ends, and what it found.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
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
#include "common/threads.hpp"

namespace tvlb::sim {

inline constexpr int kWarmupCheckInterval = 1000;  // cycles
inline constexpr int kDrainCheckInterval = 64;     // cycles
inline constexpr double kHopelessWarmup = 2.0;     // times the latency of saturated loads

/// For one size of switch masks, and routes of at most so many network links.
template <int Words, int Slots, int Hops>
class Run : private Course {
 public:
  Run(const Network& network, const Traffic& traffic, const Routes& routes,
      const Config& config, StopFlag& stop)
      : Course(config, stop),
        network_(network),
        config_(config),
        fabric_(network, config),
        routes_(routes.make(fabric_.credit_view())),
        units_(units()),
        decides_first_(routes_->decides_first && units_.size() > 1),
        injection_(fabric_, network, traffic, *routes_, config, unit_ends()),
        watchdog_(fabric_, config.buffer_flits),
        link_flits_(static_cast<std::size_t>(network.num_links()), 0),
        steady_(config.warmup == "fixed") {
    fabric_.form(units_);
    for (int part = 0; part < fabric_.num_parts(); ++part) {
      of_parts_.emplace_back(window_, network.num_switches(), routes.path_sets, config,
                             config.window_load() * traffic.total_rate());
    }
  }

  Figures execute() {
    Threads threads(fabric_.num_parts(), [this](int part) { run_part(part); });
    threads_ = &threads;
    run(*this);
    Figures found = figures();
    found["threads"] = std::int64_t{threads.count()};
    found["cpu_seconds"] = threads.end();
    return found;
  }

  // Of its course.
  [[nodiscard]] bool is_over() {
    if (!steady_) detect_end_of_warmup();
    if (cycle_ == window_.begin) count_link_flits(-1);
    if (cycle_ == window_.end) close_window();
    return total().measurement.complete() || cycle_ >= window_.end + config_.drain_limit_cycles;
  }
  [[nodiscard]] std::vector<Buffer> find_wait_cycle() const { return watchdog_.find_wait_cycle(); }
  [[nodiscard]] bool goes_on() {
    return !(config_.stop_when_saturated && seems_saturated()) && !(config_.verdict_only && surely_sustained());
  }
  /// A block of cycles of one unit after the other, and of all parts at once.
  std::int32_t run_cycles(std::int32_t limit) {
    end_ = decides_first_ ? cycle_ + 1 : end_of_block(limit);
    fabric_.begin_block();
    if (decides_first_) {
      half_ = Half::decide;
      threads_->run();
      half_ = Half::move;
    }
    threads_->run();
    for (std::size_t part = 1; part < of_parts_.size(); ++part) total().measurement.absorb(of_parts_[part].measurement);
    // All that is measured is then in a part.
    if (kChecksEveryCycle || total().measurement.window_closed()) collect();
    if constexpr (kChecksEveryCycle) {
      Conservation(fabric_, config_.buffer_flits).check(end_ - 1, total().measurement.in_network());
    }
    return end_;
  }

 private:
  using FabricType = Fabric<Words, Slots, Hops>;
  using Packet = typename FabricType::PacketType;
  /// What of a cycle the parts do before they meet: all of it, or what looks at other switches and then what
  /// changes them.
  enum class Half : std::uint8_t { both, decide, move };

  [[nodiscard]] Records& total() { return of_parts_.front(); }
  void absorb() {
    for (std::size_t part = 1; part < of_parts_.size(); ++part) total().absorb(of_parts_[part]);
  }
  void run_part(int part) {
    if (half_ != Half::move) fabric_.collect(part);
    if (units_.size() == 1) return run_unit<true>(units_.front(), total());
    for (const Unit& unit : units_) {
      if (unit.part == part) run_unit<false>(unit, of_parts_[static_cast<std::size_t>(part)]);
    }
  }
  template <bool kAlone>
  void run_unit(const Unit& unit, Records& records) {
    for (std::int32_t cycle = cycle_; cycle < end_; ++cycle) {
      if (half_ != Half::move) {
        injection_.steer(unit, cycle, records);
        injection_.inject(unit, cycle, records);
      }
      if (half_ == Half::decide) continue;
      fabric_.template run_cycle<kAlone>(
          unit, cycle, [&](const Grant& grant) { granted(unit, grant, records); },
          [&](const Packet& packet, std::int32_t at, unsigned sw) {
            records.delivered(packet, at, sw);
          });
    }
  }
  // What parts have sent each other in the last block arrives.
  void collect() {
    if (fabric_.num_parts() == 1) return;
    fabric_.begin_block();
    for (int part = 0; part < fabric_.num_parts(); ++part) fabric_.collect(part);
  }
  // Ends where something is decided for the whole network.
  [[nodiscard]] std::int32_t end_of_block(std::int32_t limit) {
    std::int32_t end = std::min(limit, cycle_ + fabric_.block());
    const auto stop_at = [&](std::int32_t cycle) {
      if (cycle > cycle_) end = std::min(end, cycle);
    };
    const auto stop_each = [&](std::int32_t cycles) { stop_at(cycle_ - cycle_ % cycles + cycles); };
    stop_at(window_.begin);
    stop_at(window_.end);
    stop_at(window_.end + config_.drain_limit_cycles);
    if (!steady_) stop_each(kWarmupCheckInterval);
    if (config_.stop_when_saturated || config_.verdict_only) {
      stop_each(total().measurement.window_closed() ? kDrainCheckInterval : kWarmupCheckInterval);
    }
    if (total().measurement.window_closed() && may_complete_in_block()) stop_at(cycle_ + 1);
    return end;
  }
  // Whether all measured packets may leave within a block, as those do that have no link ahead of them; one
  // that is not sent yet may be for a node of its switch.
  [[nodiscard]] bool may_complete_in_block() {
    if (nears_completion_) return true;
    const auto has_link_ahead = [&](const Packet& packet) {
      return packet.position < packet.hops && total().measurement.follows(packet.created);
    };
    for (int part = 0; part < fabric_.num_parts(); ++part) {
      if (fabric_.packets(part).has(has_link_ahead)) return false;
    }
    nears_completion_ = !injection_.has_unsent(window_.end);
    return true;
  }
  // What runs together, cycle by cycle: switches of which one looks at another, and as many more as the
  // caches hold, since those of one cycle do not wait for each other.
  [[nodiscard]] std::vector<Unit> units() const {
    const bool whole = config_.traced_packets > 0;  // a sample goes by the order of injection
    const bool apart = routes_->decides_first && config_.threads > 1;
    const int switches = network_.num_switches();
    const int per_unit = fabric_.switches_per_unit();
    // As many nodes and switches for each part as can be without a cut through a group.
    const auto share = [&](int sw) { return std::int64_t{sw} + network_.first_node(sw); };
    std::vector<Unit> units{{0, 0, 1, 0}};
    for (int sw = 1; sw < switches; ++sw) {
      Unit& last = units.back();
      const bool begins_part = routes_->group(sw) != routes_->group(sw - 1) &&
                               share(sw) * config_.threads >= share(switches) * (last.part + 1);
      const bool joins = whole || (!apart && routes_->unit(sw) == routes_->unit(sw - 1)) ||
                         (!begins_part && sw - last.first < per_unit);
      if (joins) ++last.last;
      else units.push_back({last.number + 1, sw, sw + 1, last.part + static_cast<int>(begins_part)});
    }
    return units;
  }
  [[nodiscard]] std::vector<std::int32_t> unit_ends() const {
    std::vector<std::int32_t> ends;
    for (const Unit& unit : units_) ends.push_back(network_.first_node(unit.last));
    return ends;
  }

  // Of a packet with marks.
  void granted(const Unit& unit, const Grant& grant, Records& records) {
    Packet& packet = fabric_.packets(unit.part)[grant.packet];
    if (packet.has(Packet::kRevisable)) injection_.revise(grant.sw, packet, records);
    if (!packet.has(Packet::kTraced)) return;
    Trace& trace = records.tracer.of(grant.packet);
    const int port = grant.output_vc / Slots;
    const auto sw = static_cast<std::int32_t>(grant.sw);
    trace.took_vlb = packet.took_vlb;
    trace.hops.push_back({sw, port, grant.output_vc % Slots, grant.departure});
    if (port < network_.num_terminals(sw)) {
      records.tracer.end(grant.packet, grant.departure + kEjectionTime);
    }
  }
  // Certain from the end of the window on.
  [[nodiscard]] bool seems_saturated() {
    if (!total().measurement.window_closed()) return seems_saturated_early();
    if (cycle_ == window_.end && total().measurement.backlog_grew()) {
      stop("saturated-early", "more packets came than went, beyond chance");
      return true;
    }
    if (cycle_ % kDrainCheckInterval != 0) return false;
    if (!total().measurement.passes(total().measurement.mean_latency_at_least(cycle_))) return false;
    stop("saturated-early", "mean latency above that of saturated loads");
    return true;
  }
  // However long what is still on its way waits; a grant counts deliveries some cycles ahead.
  bool surely_sustained() {
    if (!total().measurement.window_closed() || cycle_ % kDrainCheckInterval != 0) return false;
    const std::int32_t last = window_.end + config_.drain_limit_cycles + fabric_.span();
    if (!total().measurement.will_be_sustained(last)) return false;
    stop("sustained-early", "whatever still waits, its latency is not that of saturated loads");
    return true;
  }
  // During warm-up; a heuristic.
  [[nodiscard]] bool seems_saturated_early() {
    if (cycle_ == 0 || cycle_ >= window_.begin || cycle_ % kWarmupCheckInterval != 0) return false;
    Backlog unsent;
    injection_.for_each_unsent(cycle_ - 1, [&](std::int32_t created) { unsent.add(created); });
    const double latency = total().measurement.interval_latency(unsent, cycle_);
    if (!total().measurement.passes(latency, kHopelessWarmup)) return false;
    stop("saturated-early", "latency above twice that of saturated loads during warm-up");
    return true;
  }
  void close_window() {
    if (cycle_ >= window_.begin) count_link_flits(+1);
    injection_.for_each_unsent(cycle_ - 1, [&](std::int32_t created) {
      total().measurement.left_in_source(created);
    });
    for (Records& records : of_parts_) records.measurement.close_window();
  }
  // The warm-up lasts at least as long as the window, so that a drift that would show within the
  // window has had time to show. A grant counts deliveries some cycles ahead, so the window opens
  // after the last of those that are counted already.
  void detect_end_of_warmup() {
    if (cycle_ % kWarmupCheckInterval != 0 || cycle_ < config_.measured_cycles) return;
    const std::int32_t begin = cycle_ + fabric_.span();
    if (begin >= window_.begin) return;
    absorb();
    const std::vector<PacketSums>& series = total().statistics.series;
    const auto complete = static_cast<std::size_t>(cycle_ / kSeriesStep);
    if (!seems_steady(std::span(series).first(std::min(complete, series.size())))) return;
    steady_ = true;
    window_ = {begin, begin + config_.measured_cycles};
  }

  [[nodiscard]] Figures figures() {
    if (!total().measurement.window_closed()) close_window();
    absorb();
    Figures found;
    found["flits_in_network"] = record_undelivered();
    total().tell(found, network_.num_nodes());
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
      total().undelivered(created, cycle_);
    });
    collect();
    for (int part = 0; part < fabric_.num_parts(); ++part) {
      fabric_.packets(part).for_each_in_use([&](const Packet& packet) {
        total().undelivered(packet.created, cycle_);
        ++in_network;
      });
    }
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
  FabricType fabric_;
  std::unique_ptr<RouteWriter> routes_;
  std::vector<Unit> units_;
  bool decides_first_;  // in a cycle, then move: the parts meet twice in each
  Half half_ = Half::both;
  Injection<FabricType> injection_;
  Watchdog<FabricType> watchdog_;
  std::vector<std::int64_t> link_flits_;
  bool steady_;
  bool nears_completion_ = false;
  std::deque<Records> of_parts_;  // the first has all that the others have told
  Threads* threads_ = nullptr;
  std::int32_t end_ = 0;  // of the block that runs
};

}  // namespace tvlb::sim
