#include "records.hpp"

#include <limits>
#include <utility>

namespace tvlb::sim::vct {

Records::Records(const Network& network, const Window& window, const Config& config, double rate)
    : PhitRecords(network, window, config, config.packet_phits, rate),
      server_latency_(config.server_latency),
      delivered_(static_cast<std::size_t>(network.num_nodes()), 0),
      series_(interval(window.end - 1) + 1, 0) {}

void Records::ejected(std::int32_t id, const Packet& left, int vc, std::int32_t cycle) {
  const std::int32_t first = cycle + server_latency_;
  const std::int32_t tail = first + phits_ - 1;
  delivered_[static_cast<std::size_t>(left.destination)] += in_window(first);
  for (std::int32_t at = first; at <= tail && at < window_.end;) {
    const std::int32_t rest = interval_ - at % interval_;
    const std::int32_t end = std::min({at + rest, tail + 1, window_.end});
    series_[interval(at)] += end - at;
    at = end;
  }
  PhitRecords::ejected(id, left, vc, cycle, tail, left.links);
}

void Records::tell(Figures& figures, std::int32_t cycles) const {
  PhitRecords::tell(figures);
  const double nodes = network_.num_nodes();
  double sum = 0.0;
  double squares = 0.0;
  for (const std::int64_t phits : delivered_) {
    sum += static_cast<double>(phits);
    squares += static_cast<double>(phits) * static_cast<double>(phits);
  }
  figures["accepted"] = sum / node_cycles_;
  figures["injected"] = static_cast<double>(injected_) / node_cycles_;
  figures["vlb_share"] = ratio(vlb_, decisions_);
  figures["refused"] = static_cast<double>(refused_) / nodes;
  figures["jain"] =
      squares == 0.0 ? std::numeric_limits<double>::quiet_NaN() : sum * sum / (nodes * squares);
  std::vector<double> series;
  for (std::int32_t interval = 0; interval < cycles / interval_; ++interval) {
    series.push_back(accepted_in(interval));
  }
  figures["series"] = std::move(series);
}

}  // namespace tvlb::sim::vct
