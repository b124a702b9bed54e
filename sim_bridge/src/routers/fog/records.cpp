#include "records.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace tvlb::sim::fog {
namespace {

double mean(std::int64_t sum, std::int64_t count) {
  return count == 0 ? std::numeric_limits<double>::quiet_NaN()
                    : static_cast<double>(sum) / static_cast<double>(count);
}

}  // namespace

Records::Records(const Topology& network, const Window& window, const Config& config, double rate)
    : tracer(window, config, rate),
      network_(network),
      window_(window),
      config_(config),
      of_level_(kMostLevels, 0),
      generated_(static_cast<std::size_t>(network.num_switches()), 0),
      delivered_(generated_),
      link_phits_(static_cast<std::size_t>(network.num_links()), 0),
      intervals_(interval(window.end - 1) + 1) {
  if (config.levels_group < 0) return;
  for (std::int32_t sw = 0; sw < network.num_switches(); ++sw) {
    if (network.group(sw) == config.levels_group) shown_.push_back(sw);
  }
  shown_levels_.assign(shown_.size() * intervals_.size(), 0);
}

void Records::ejected(std::int32_t id, const Packet& packet, std::int32_t leaves) {
  const std::int32_t delivered = leaves + config_.packet_phits;
  --in_network_;
  if (delivered < window_.end) {
    Interval& generated = intervals_[interval(packet.created)];
    ++intervals_[interval(delivered)].delivered;
    ++generated.of_generated;
    generated.latency += delivered - packet.created;
  }
  if (window_.contains(delivered)) {
    ++packets_;
    ++delivered_[static_cast<std::size_t>(packet.target)];
    latency_ += delivered - packet.created;
    network_latency_ += delivered - packet.left;
    local_hops_ += packet.local_hops;
    global_hops_ += packet.global_hops;
    misrouted_ += static_cast<std::int64_t>(packet.choice.vlb);
    ++of_level_[std::min<std::size_t>(packet.choice.level, kMostLevels - 1)];
  }
  if (packet.is_traced) [[unlikely]] {
    Trace& trace = tracer.of(id);
    trace.took_vlb = packet.choice.vlb;
    trace.hops.push_back(
        {packet.target, packet.destination - network_.first_node(packet.target), 0, leaves});
    tracer.end(id, delivered < window_.end ? delivered : trace.delivered);
  }
}

void Records::levels(std::span<const std::uint8_t> of_switch, std::int32_t cycle) {
  if (of_switch.empty()) return;
  has_levels_ = true;
  const std::int64_t sum = std::accumulate(of_switch.begin(), of_switch.end(), 0);
  const std::size_t at = interval(cycle);
  intervals_[at].level += sum + static_cast<std::int64_t>(of_switch.size());
  for (std::size_t one = 0; one < shown_.size(); ++one) {
    shown_levels_[at * shown_.size() + one] += 1 + of_switch[static_cast<std::size_t>(shown_[one])];
  }
}

void Records::tell(Figures& figures, std::int32_t cycles) const {
  const double nodes = network_.num_nodes();
  const double cycles_of_nodes = nodes * static_cast<double>(config_.measured_cycles);
  const auto rate = [&](std::int64_t packets) {
    return static_cast<double>(packets * config_.packet_phits) / cycles_of_nodes;
  };
  figures["accepted"] = rate(packets_);
  figures["injected"] = rate(std::accumulate(generated_.begin(), generated_.end(), std::int64_t{0}));
  figures["latency_mean"] = mean(latency_, packets_);
  figures["latency_network_mean"] = mean(network_latency_, packets_);
  figures["local_hops_mean"] = mean(local_hops_, packets_);
  figures["global_hops_mean"] = mean(global_hops_, packets_);
  figures["hops_mean"] = mean(local_hops_ + global_hops_, packets_);
  figures["misrouted"] = mean(misrouted_, packets_);
  figures["phit_hops"] = link_packets_ * config_.packet_phits;
  figures["packets_by_level"] = of_level_;
  figures["generated_by_switch"] = generated_;
  figures["delivered_by_switch"] = delivered_;
  figures["link_load"] = link_phits_;
  figures["traces"] = tracer.traces();
  tell_series(figures, cycles);
}

// Of intervals that have begun; the last one may be shorter.
void Records::tell_series(Figures& figures, std::int32_t cycles) const {
  std::vector<std::int64_t> generated;
  std::vector<double> accepted, latency, level, of_switch;
  const auto shown = static_cast<std::int32_t>(shown_.size());
  for (std::int32_t begin = 0; begin < cycles; begin += config_.interval) {
    const std::size_t at = interval(begin);
    const Interval& one = intervals_[at];
    const double length = std::min(config_.interval, cycles - begin);
    generated.push_back(one.generated);
    accepted.push_back(static_cast<double>(one.delivered * config_.packet_phits) /
                       (length * network_.num_nodes()));
    latency.push_back(mean(one.latency, one.of_generated));
    level.push_back(has_levels_
                        ? static_cast<double>(one.level) / (length * network_.num_switches())
                        : std::numeric_limits<double>::quiet_NaN());
    for (std::int32_t sw = 0; has_levels_ && sw < shown; ++sw) {
      of_switch.push_back(
          static_cast<double>(shown_levels_[at * shown_.size() + static_cast<std::size_t>(sw)]) / length);
    }
  }
  figures["series_accepted"] = std::move(accepted);
  figures["series_generated"] = std::move(generated);
  figures["series_latency"] = std::move(latency);
  figures["series_level"] = std::move(level);
  figures["series_levels"] = std::move(of_switch);
}

}  // namespace tvlb::sim::fog
