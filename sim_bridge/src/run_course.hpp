// The course of a run: cycle after cycle until it ends, and its results. Included by run.hpp.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "run.hpp"

namespace tvlb::sim {

// ---- The course of a run ------------------------------------------------------------------------

template <int Words, int Slots>
Result Run<Words, Slots>::execute() {
  while (goes_on()) {
    if (config_.decide == Decide::each_attempt) redecide_waiting();
    sources_.for_each_waiting(cycle_, [&](int node) { return inject(node); });
    deliver_events();
    run_switches();
    ++cycle_;
  }
  return result();
}

template <int Words, int Slots>
bool Run<Words, Slots>::goes_on() {
  if (cycle_ == window_begin_) open_window();
  if (cycle_ == window_end_) close_window();
  if (measurement_.complete()) running_ = false;
  if (cycle_ >= window_end_ + config_.drain_limit_cycles) running_ = false;
  if (cycle_ % kPollInterval == 0 && running_) poll();
  if (config_.stop_when_saturated && running_ && seems_saturated()) running_ = false;
  return running_;
}

// Certain from the end of the window on; during warm-up a heuristic.
template <int Words, int Slots>
bool Run<Words, Slots>::seems_saturated() {
  if (!measurement_.window_closed()) {
    if (cycle_ == 0 || cycle_ >= window_begin_ || cycle_ % kWarmupCheckInterval != 0) return false;
    Backlog unsent;
    sources_.for_each_unsent(cycle_ - 1, [&](std::int32_t created) { unsent.add(created); });
    if (!(measurement_.interval_latency(unsent, cycle_) > kHopelessWarmupLatency)) return false;
    stop_saturated("latency above 1000 cycles during warm-up");
    return true;
  }
  if (cycle_ == window_end_ && measurement_.accepts_too_little()) {
    stop_saturated("accepted less than 0.995 of what was generated");
    return true;
  }
  if (cycle_ % kDrainCheckInterval != 0) return false;
  if (!(measurement_.mean_latency_at_least(cycle_) > kSaturatedLatency)) return false;
  stop_saturated("mean latency above 500 cycles");
  return true;
}

template <int Words, int Slots>
void Run<Words, Slots>::stop_saturated(std::string reason) {
  stopped_ = Stopped::saturated_early;
  stop_reason_ = std::move(reason);
}

template <int Words, int Slots>
void Run<Words, Slots>::open_window() {
  count_link_flits(-1);
}

template <int Words, int Slots>
void Run<Words, Slots>::close_window() {
  if (cycle_ > window_begin_) count_link_flits(+1);
  sources_.for_each_unsent(cycle_ - 1, [&](std::int32_t created) {
    measurement_.left_in_source(created);
  });
  measurement_.close_window();
}

template <int Words, int Slots>
void Run<Words, Slots>::poll() {
  stop_.cycles_done.store(cycle_, std::memory_order_relaxed);
  if (stop_.requested.load(std::memory_order_relaxed)) {
    stopped_ = Stopped::cancelled;
    stop_reason_ = "cancelled";
    running_ = false;
    return;
  }
  watch_movement();
}

template <int Words, int Slots>
void Run<Words, Slots>::watch_movement() {
  const bool still = moves_ == moves_at_last_poll_ && measurement_.in_network() > 0;
  still_cycles_ = still ? still_cycles_ + kPollInterval : 0;
  moves_at_last_poll_ = moves_;
  if (still_cycles_ >= kDeadlockCycles) throw DeadlockError(describe_stuck_flit());
}

template <int Words, int Slots>
std::string Run<Words, Slots>::describe_stuck_flit() const {
  const std::string intro = "no flit moved for " + std::to_string(still_cycles_) +
                            " cycles up to cycle " + std::to_string(cycle_) + " with " +
                            std::to_string(measurement_.in_network()) + " in the network";
  for (std::size_t sw = 0; sw < switches_.size(); ++sw) {
    for (unsigned input_vc = 0; input_vc < kVcs; ++input_vc) {
      if (switches_[sw].queues[input_vc].head < 0) continue;
      const unsigned wanted = switches_[sw].wanted_by(input_vc);
      return intro + "; switch " + std::to_string(sw) + ", input port " +
             std::to_string(input_vc / Slots) + ", VC " + std::to_string(input_vc % Slots) +
             " waits for output port " + std::to_string(wanted / Slots) + ", VC " +
             std::to_string(wanted % Slots);
    }
  }
  return intro;
}

// ---- Results ------------------------------------------------------------------------------------

// Flits that have left over each link; those granted since may still wait in the output FIFO, which
// sends one per cycle without a break.
template <int Words, int Slots>
void Run<Words, Slots>::count_link_flits(int sign) {
  for (int id = 0; id < network_.num_links(); ++id) {
    const Link& link = network_.link(id);
    const OutputPort& output =
        switches_[static_cast<std::size_t>(link.source)].outputs[link.output_port];
    const std::int32_t waiting = std::max(output.next_departure - cycle_, 0);
    link_flits_[static_cast<std::size_t>(id)] += sign * (output.flits - waiting);
  }
}

template <int Words, int Slots>
std::int64_t Run<Words, Slots>::total_flit_hops() const {
  std::int64_t total = 0;
  for (const Link& link : network_.links()) {
    const OutputPort& output =
        switches_[static_cast<std::size_t>(link.source)].outputs[link.output_port];
    total += output.flits - std::max(output.next_departure - cycle_, 0);
  }
  return total;
}

// Measured packets still on the way count with their age.
template <int Words, int Slots>
std::int64_t Run<Words, Slots>::record_undelivered() {
  const auto record = [&](std::int32_t created) {
    if (!measurement_.follows(created)) return;
    measurement_.undelivered(created, cycle_);
    statistics_.undelivered(created, cycle_ - created);
  };
  std::int64_t in_network = 0;
  sources_.for_each_unsent(cycle_ - 1, record);
  packets_.for_each_in_use([&](const Packet& packet) {
    record(packet.created);
    ++in_network;
  });
  return in_network;
}

template <int Words, int Slots>
Result Run<Words, Slots>::result() {
  if (!measurement_.window_closed()) close_window();
  stop_.cycles_done.store(cycle_, std::memory_order_relaxed);
  Result result;
  result.flits_in_network = record_undelivered();
  measurement_.summarise(result, network_.num_nodes());
  result.saturated = result.saturated || stopped_ == Stopped::saturated_early;
  result.stopped = stopped_;
  result.stop_reason = stop_reason_;
  result.flit_hops = total_flit_hops();
  result.cycles = cycle_;
  result.link_flits = link_flits_;
  write_statistics(result);
  return result;
}

template <int Words, int Slots>
void Run<Words, Slots>::write_statistics(Result& result) const {
  for (const PacketSums& batch : statistics_.latency_by_batch()) {
    result.batch_packets.push_back(batch.packets);
    result.batch_latency.push_back(batch.latency);
  }
  for (const std::int64_t packets : statistics_.accepted_by_batch()) {
    result.batch_accepted.push_back(packets);
  }
  for (const PacketSums& interval : statistics_.series()) {
    result.series_packets.push_back(interval.packets);
    result.series_latency.push_back(interval.latency);
  }
  result.switch_packets = statistics_.accepted_by_switch();
}

}  // namespace tvlb::sim
