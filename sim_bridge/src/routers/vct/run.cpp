#include "run.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "routers/iq/config.hpp"
#include "common/window.hpp"
#include "fabric.hpp"
#include "servers.hpp"

namespace tvlb::sim::vct {
namespace {

constexpr std::int32_t kPollInterval = 256;       // cycles
constexpr std::int32_t kDeadlockInterval = 1024;  // cycles

class Run {
 public:
  Run(const Network& network, const Traffic& traffic, const MinPorts& min_ports,
      const Config& config, StopFlag& stop, const Watch& watch)
      : network_(network),
        config_(config),
        stop_(stop),
        watch_(watch),
        window_{config.warmup_cycles, config.warmup_cycles + config.measured_cycles},
        fabric_(network, min_ports, config),
        servers_(network, traffic, config),
        delivered_(static_cast<std::size_t>(network.num_nodes()), 0),
        series_(static_cast<std::size_t>((window_.end + kSeriesStep - 1) / kSeriesStep), 0),
        link_phits_(static_cast<std::size_t>(network.num_links()), 0),
        tracer_(config.traced_packets, config.load * traffic.total_rate() / config.packet_phits *
                                           static_cast<double>(config.measured_cycles)) {
    for (std::int32_t node = 0; node < network.num_nodes(); ++node) {
      const std::int32_t sw = network.node_switch(node);
      if (intermediates_.empty() || intermediates_.back() != sw) intermediates_.push_back(sw);
    }
    for (std::int32_t sw = 0; sw < network.num_switches(); ++sw) {
      routes_.emplace_back(config.seed, Purpose::route, static_cast<std::uint64_t>(sw));
    }
  }

  Figures execute() {
    for (cycle_ = 0; cycle_ < window_.end; ++cycle_) {
      if (cycle_ % kPollInterval == 0 && !goes_on()) break;
      if (cycle_ % kSeriesStep == 0 && cycle_ > 0 && !watched()) break;
      run_cycle();
    }
    return figures();
  }

 private:
  void run_cycle();
  bool goes_on();
  bool watched();
  void entered(std::int32_t id, std::int32_t sw);
  void started(std::int32_t node, int vc, const Waiting& waiting);
  void ejected(std::int32_t id, int vc);
  [[nodiscard]] Packet& packet(std::int32_t id) {
    return fabric_.packets()[static_cast<std::size_t>(id)];
  }
  /// Phits of a packet whose first one passes somewhere in a cycle that do so within the window.
  [[nodiscard]] std::int32_t in_window(std::int32_t first) const {
    const std::int32_t from = std::max(first, window_.begin);
    const std::int32_t until = std::min(first + config_.packet_phits, window_.end);
    return std::max(until - from, 0);
  }
  [[nodiscard]] double accepted_in(std::int32_t step) const {
    const auto phits = static_cast<double>(series_[static_cast<std::size_t>(step)]);
    return phits / (static_cast<double>(network_.num_nodes()) * kSeriesStep);
  }
  [[nodiscard]] Figures figures() const;

  const Network& network_;
  const Config& config_;
  StopFlag& stop_;
  const Watch& watch_;
  Window window_;
  Fabric fabric_;
  Servers servers_;
  std::vector<std::int32_t> intermediates_;  // switches with nodes
  std::vector<Stream> routes_;               // per switch
  std::int32_t cycle_ = 0;
  std::int32_t reported_ = 0;
  Stopped stopped_ = Stopped::completed;
  std::vector<Buffer> wait_cycle_;
  std::int64_t in_network_ = 0;
  std::int64_t packets_ = 0;
  std::int64_t latency_ = 0;
  std::int64_t hops_ = 0;
  std::int64_t injected_ = 0;  // phits
  std::int64_t refused_ = 0;
  std::int64_t link_packets_ = 0;
  std::vector<std::int64_t> delivered_;  // phits in the window, per node
  std::vector<std::int64_t> series_;     // phits
  std::vector<std::int64_t> link_phits_;
  Tracer tracer_;
};

void Run::run_cycle() {
  fabric_.deliver(
      cycle_, [&](std::int32_t id, std::int32_t sw) { entered(id, sw); },
      [&](std::int32_t node, int vc) { servers_.credited(node, vc); });
  fabric_.allocate_outputs(cycle_);
  fabric_.send_packets(
      cycle_,
      [&](std::int32_t id, std::int32_t link, int vc) {
        ++link_packets_;
        link_phits_[static_cast<std::size_t>(link)] += in_window(cycle_);
        if (packet(id).is_traced) [[unlikely]] {
          const Link& taken = network_.link(link);
          tracer_.of(id).hops.push_back({taken.source, taken.output_port, vc, cycle_});
        }
      },
      [&](std::int32_t id, int vc) { ejected(id, vc); });
  servers_.run(
      cycle_, [&] { refused_ += window_.contains(cycle_) ? 1 : 0; },
      [&](std::int32_t node, int vc, const Waiting& waiting) { started(node, vc, waiting); });
  if constexpr (kChecksEveryCycle) fabric_.check(cycle_, in_network_);
}

void Run::started(std::int32_t node, int vc, const Waiting& waiting) {
  const std::int32_t id = fabric_.allocate();
  Packet& sent = packet(id);
  sent = {waiting.created, waiting.destination, network_.node_switch(waiting.destination), -1, -1,
          0, 0, 0, false};
  ++in_network_;
  injected_ += in_window(cycle_);
  if (tracer_.active() && window_.contains(waiting.created) && tracer_.samples_next()) {
    sent.is_traced = true;
    tracer_.begin(id, {node, waiting.destination, waiting.created, cycle_});
  }
  fabric_.send(id, node, vc, cycle_);
}

// At its first switch. The intermediate may be that switch or the last one: then one phase is left.
void Run::entered(std::int32_t id, std::int32_t sw) {
  if (config_.one_phase.empty()) return;
  Packet& arrived = packet(id);
  Stream& stream = routes_[static_cast<std::size_t>(sw)];
  const std::int32_t via = intermediates_[stream.below(static_cast<std::uint32_t>(intermediates_.size()))];
  if (via != sw && via != arrived.target) {
    arrived.intermediate = via;
    if (arrived.is_traced) [[unlikely]] tracer_.of(id).took_vlb = true;
    return;
  }
  const bool is_last = config_.one_phase == "minlast" ||
                       (config_.one_phase == "minboth" && via != sw);
  arrived.phase = is_last ? 1 : 0;
}

void Run::ejected(std::int32_t id, int vc) {
  const Packet& left = packet(id);
  const std::int32_t first = cycle_ + config_.server_latency;
  const std::int32_t tail = first + config_.packet_phits - 1;
  delivered_[static_cast<std::size_t>(left.destination)] += in_window(first);
  for (std::int32_t at = first; at <= tail && at < window_.end;) {
    const std::int32_t end = std::min({(at / kSeriesStep + 1) * kSeriesStep, tail + 1, window_.end});
    series_[static_cast<std::size_t>(at / kSeriesStep)] += end - at;
    at = end;
  }
  if (window_.contains(tail)) {
    ++packets_;
    latency_ += tail - left.created;
    hops_ += left.links;
  }
  if (left.is_traced) [[unlikely]] {
    Trace& trace = tracer_.of(id);
    const std::int32_t port = left.destination - network_.first_node(left.target);
    trace.hops.push_back({left.target, port, vc, cycle_});
    tracer_.end(id, tail < window_.end ? tail : trace.delivered);
  }
  --in_network_;
  fabric_.release(id);
}

bool Run::goes_on() {
  stop_.cycles_done += cycle_ - reported_;
  reported_ = cycle_;
  if (stop_.requested) {
    stopped_ = Stopped::cancelled;
    return false;
  }
  if (cycle_ % kDeadlockInterval != 0) return true;
  const auto waits = fabric_.find_deadlock();
  for (const std::uint32_t vc : waits) {
    wait_cycle_.push_back({network_.input_link(fabric_.switch_of(vc), fabric_.port_of(vc)),
                           static_cast<std::int32_t>(vc) % fabric_.vcs()});
  }
  if (!waits.empty()) stopped_ = Stopped::deadlocked;
  return waits.empty();
}

// What leaves from now on arrives in this step or later, so the one before is complete.
bool Run::watched() {
  if (!watch_ || watch_(accepted_in(cycle_ / kSeriesStep - 1))) return true;
  stopped_ = Stopped::ended;
  return false;
}

Figures Run::figures() const {
  Figures out;
  const double nodes = network_.num_nodes();
  const double node_cycles = nodes * static_cast<double>(config_.measured_cycles);
  const auto mean = [](std::int64_t sum, std::int64_t count) {
    return count == 0 ? std::numeric_limits<double>::quiet_NaN()
                      : static_cast<double>(sum) / static_cast<double>(count);
  };
  double sum = 0.0;
  double squares = 0.0;
  for (const std::int64_t phits : delivered_) {
    sum += static_cast<double>(phits);
    squares += static_cast<double>(phits) * static_cast<double>(phits);
  }
  out["latency_mean"] = mean(latency_, packets_);
  out["hops_mean"] = mean(hops_, packets_);
  out["accepted"] = sum / node_cycles;
  out["injected"] = static_cast<double>(injected_) / node_cycles;
  out["refused"] = static_cast<double>(refused_) / nodes;
  out["jain"] =
      squares == 0.0 ? std::numeric_limits<double>::quiet_NaN() : sum * sum / (nodes * squares);
  out["stopped"] = told(stopped_);
  out["phit_hops"] = link_packets_ * config_.packet_phits;
  out["cycles"] = cycle_;
  std::vector<double> series;
  for (std::int32_t step = 0; step < cycle_ / kSeriesStep; ++step) {
    series.push_back(accepted_in(step));
  }
  out["series"] = std::move(series);
  out["link_load"] = link_phits_;
  out["traces"] = tracer_.traces();
  out["wait_cycle"] = wait_cycle_;
  return out;
}

}  // namespace

Figures simulate(const Network& network, const Traffic& traffic, const MinPorts& min_ports,
                 const Config& config, StopFlag& stop, const Watch& watch) {
  if (network.max_ports() > kMaxPorts) throw std::invalid_argument("a switch has too many ports");
  const double start = thread_cpu_seconds();
  Figures figures = Run(network, traffic, min_ports, config, stop, watch).execute();
  figures["cpu_seconds"] = thread_cpu_seconds() - start;
  return figures;
}

}  // namespace tvlb::sim::vct
