#include "records.hpp"

#include <limits>
#include <utility>

namespace tvlb::sim::vct {

Records::Records(const Network& network, const Window& window, const Config& config, double rate)
    : tracer(window, config, rate),
      network_(network),
      window_(window),
      config_(config),
      delivered_(static_cast<std::size_t>(network.num_nodes()), 0),
      series_(static_cast<std::size_t>((window.end - 1) / config.interval + 1), 0),
      link_phits_(static_cast<std::size_t>(network.num_links()), 0) {}

void Records::ejected(std::int32_t id, const Packet& left, int vc, std::int32_t cycle) {
  const std::int32_t first = cycle + config_.server_latency;
  const std::int32_t tail = first + config_.packet_phits - 1;
  delivered_[static_cast<std::size_t>(left.destination)] += in_window(first);
  for (std::int32_t at = first; at <= tail && at < window_.end;) {
    const std::int32_t interval = at / config_.interval;
    const std::int32_t rest = config_.interval - at % config_.interval;
    const std::int32_t end = std::min({at + rest, tail + 1, window_.end});
    series_[static_cast<std::size_t>(interval)] += end - at;
    at = end;
  }
  if (window_.contains(tail)) {
    ++packets_;
    latency_ += tail - left.created;
    hops_ += left.links;
  }
  if (left.is_traced) [[unlikely]] {
    Trace& trace = tracer.of(id);
    const std::int32_t port = left.destination - network_.first_node(left.target);
    trace.hops.push_back({left.target, port, vc, cycle});
    tracer.end(id, tail < window_.end ? tail : trace.delivered);
  }
  --in_network_;
}

void Records::tell(Figures& figures, std::int32_t cycles) const {
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
  figures["latency_mean"] = mean(latency_, packets_);
  figures["hops_mean"] = mean(hops_, packets_);
  figures["accepted"] = sum / node_cycles;
  figures["injected"] = static_cast<double>(injected_) / node_cycles;
  figures["refused"] = static_cast<double>(refused_) / nodes;
  figures["jain"] =
      squares == 0.0 ? std::numeric_limits<double>::quiet_NaN() : sum * sum / (nodes * squares);
  figures["phit_hops"] = link_packets_ * config_.packet_phits;
  std::vector<double> series;
  for (std::int32_t interval = 0; interval < cycles / config_.interval; ++interval) {
    series.push_back(accepted_in(interval));
  }
  figures["series"] = std::move(series);
  figures["link_load"] = link_phits_;
  figures["traces"] = tracer.traces();
}

}  // namespace tvlb::sim::vct
