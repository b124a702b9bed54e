// The course of a run: cycle after cycle until it ends, and its results. Included by run.hpp.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "run.hpp"
#include "steady_state.hpp"

namespace tvlb::sim {

// ---- The course of a run ------------------------------------------------------------------------

template <int Words, int Slots>
Result Run<Words, Slots>::execute() {
  while (goes_on()) {
    if (redecides_) redecide_waiting();
    sources_.for_each_waiting(cycle_, [&](int node) { return inject(node); });
    deliver_events();
    run_switches();
    if constexpr (kChecksEveryCycle) check_conservation();
    ++cycle_;
  }
  return result();
}

template <int Words, int Slots>
bool Run<Words, Slots>::goes_on() {
  if (!steady_) detect_end_of_warmup();
  if (cycle_ == window_.begin) open_window();
  if (cycle_ == window_.end) close_window();
  if (measurement_.complete()) running_ = false;
  if (cycle_ >= window_.end + config_.drain_limit_cycles) running_ = false;
  if (cycle_ % kPollInterval == 0 && running_) poll();
  if (config_.stop_when_saturated && running_ && seems_saturated()) running_ = false;
  return running_;
}

// Certain from the end of the window on; during warm-up a heuristic.
template <int Words, int Slots>
bool Run<Words, Slots>::seems_saturated() {
  if (!measurement_.window_closed()) {
    if (cycle_ == 0 || cycle_ >= window_.begin || cycle_ % kWarmupCheckInterval != 0) return false;
    Backlog unsent;
    sources_.for_each_unsent(cycle_ - 1, [&](std::int32_t created) { unsent.add(created); });
    if (!(measurement_.interval_latency(unsent, cycle_) > kHopelessWarmupLatency)) return false;
    stop(Stopped::saturated_early, "latency above 1000 cycles during warm-up");
    return true;
  }
  if (cycle_ == window_.end && measurement_.accepts_too_little()) {
    stop(Stopped::saturated_early, "accepted less than 0.995 of what was generated");
    return true;
  }
  if (cycle_ % kDrainCheckInterval != 0) return false;
  if (!(measurement_.mean_latency_at_least(cycle_) > kSaturatedLatency)) return false;
  stop(Stopped::saturated_early, "mean latency above 500 cycles");
  return true;
}

template <int Words, int Slots>
void Run<Words, Slots>::stop(Stopped how, std::string reason) {
  stopped_ = how;
  stop_reason_ = std::move(reason);
  running_ = false;
}

// The warm-up lasts at least as long as the window, so that a drift that would show within the
// window has had time to show. A grant counts deliveries some cycles ahead, so the window opens
// after the last of those that are counted already.
template <int Words, int Slots>
void Run<Words, Slots>::detect_end_of_warmup() {
  if (cycle_ % kWarmupCheckInterval != 0 || cycle_ < config_.measured_cycles) return;
  const std::int32_t begin = cycle_ + credit_returns_.span();
  if (begin >= window_.begin) return;
  const std::vector<PacketSums>& series = statistics_.series();
  const auto complete = static_cast<std::size_t>(cycle_ / kSeriesStep);
  if (!seems_steady(std::span(series).first(std::min(complete, series.size())))) return;
  steady_ = true;
  window_ = {begin, begin + config_.measured_cycles};
}

template <int Words, int Slots>
void Run<Words, Slots>::open_window() {
  count_link_flits(-1);
}

template <int Words, int Slots>
void Run<Words, Slots>::close_window() {
  if (cycle_ >= window_.begin) count_link_flits(+1);
  sources_.for_each_unsent(cycle_ - 1, [&](std::int32_t created) {
    measurement_.left_in_source(created);
  });
  measurement_.close_window();
}

template <int Words, int Slots>
void Run<Words, Slots>::poll() {
  report_progress();
  if (stop_.requested.load(std::memory_order_relaxed)) {
    stop(Stopped::cancelled, "cancelled");
    return;
  }
  if (cycle_ % kDeadlockInterval == 0) watch_deadlock();
}

template <int Words, int Slots>
void Run<Words, Slots>::report_progress() {
  stop_.cycles_done.fetch_add(cycle_ - reported_cycles_, std::memory_order_relaxed);
  reported_cycles_ = cycle_;
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
  report_progress();
  Result result;
  result.flits_in_network = record_undelivered();
  measurement_.summarise(result, network_.num_nodes());
  result.saturated = result.saturated || stopped_ == Stopped::saturated_early;
  result.stopped = stopped_;
  result.stop_reason = stop_reason_;
  result.flit_hops = total_flit_hops();
  result.cycles = cycle_;
  result.warmup_cycles = window_.begin;
  result.steady = steady_;
  result.traces = tracer_.traces();
  result.wait_cycle = wait_cycle_;
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
  for (const std::int64_t cycles : statistics_.cycles_by_batch()) {
    result.batch_cycles.push_back(cycles);
  }
  for (const PacketSums& interval : statistics_.series()) {
    result.series_packets.push_back(interval.packets);
    result.series_latency.push_back(interval.latency);
  }
  result.switch_injected = statistics_.injected_by_switch();
  result.switch_accepted = statistics_.accepted_by_switch();
}

}  // namespace tvlb::sim
