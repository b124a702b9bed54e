#include "records.hpp"

#include <algorithm>
#include <numeric>

namespace tvlb::sim::fog {
Records::Records(const Topology& network, const Window& window, const Config& config, double rate)
    : PhitRecords(network, window, config, config.packet_phits, rate),
      of_level_(kMostLevels, 0),
      generated_(static_cast<std::size_t>(network.num_switches()), 0),
      delivered_(generated_),
      intervals_(interval(window.end - 1) + 1) {
  if (config.levels_group < 0) return;
  for (std::int32_t sw = 0; sw < network.num_switches(); ++sw) {
    if (network.group(sw) == config.levels_group) shown_.push_back(sw);
  }
  shown_levels_.assign(shown_.size() * intervals_.size(), 0);
}

void Records::ejected(std::int32_t id, const Packet& packet, std::int32_t leaves) {
  const std::int32_t delivered = leaves + phits_;
  if (delivered < window_.end) {
    Interval& generated = intervals_[interval(packet.created)];
    ++intervals_[interval(delivered)].delivered;
    ++generated.of_generated;
    generated.latency += delivered - packet.created;
  }
  if (packet.is_traced) [[unlikely]] tracer.of(id).took_vlb = packet.vlb;
  const int hops = packet.local_hops + packet.global_hops;
  if (!PhitRecords::ejected(id, packet, 0, leaves, delivered, hops)) return;
  ++delivered_[static_cast<std::size_t>(packet.target)];
  network_latency_ += delivered - packet.left;
  local_hops_ += packet.local_hops;
  global_hops_ += packet.global_hops;
  misrouted_ += static_cast<std::int64_t>(packet.vlb);
  ++of_level_[std::min<std::size_t>(packet.level, kMostLevels - 1)];
}

void Records::levels(std::span<const std::uint8_t> of_switch, std::int32_t cycle) {
  if (of_switch.empty()) return;
  const std::int64_t sum = std::accumulate(of_switch.begin(), of_switch.end(), 0);
  const std::size_t at = interval(cycle);
  intervals_[at].level += sum + static_cast<std::int64_t>(of_switch.size());
  for (std::size_t one = 0; one < shown_.size(); ++one) {
    shown_levels_[at * shown_.size() + one] += 1 + of_switch[static_cast<std::size_t>(shown_[one])];
  }
}

// Of intervals that have begun; the last one may be shorter.
void Records::tell(Figures& figures, std::int32_t cycles) const {
  PhitRecords::tell(figures);
  const auto rate = [&](std::int64_t packets) {
    return static_cast<double>(packets * phits_) / node_cycles_;
  };
  figures["accepted"] = rate(packets_);
  figures["injected"] = rate(std::accumulate(generated_.begin(), generated_.end(), std::int64_t{0}));
  figures["latency_network_mean"] = ratio(network_latency_, packets_);
  figures["local_hops_mean"] = ratio(local_hops_, packets_);
  figures["global_hops_mean"] = ratio(global_hops_, packets_);
  figures["misrouted"] = ratio(misrouted_, packets_);
  figures["packets_by_level"] = of_level_;
  figures["switch_injected"] = generated_;
  figures["switch_accepted"] = delivered_;
  const std::size_t count = cycles == 0 ? 0 : interval(cycles - 1) + 1;
  const auto begun = std::span(intervals_).first(count);
  figures["series_delivered"] = each(begun, &Interval::delivered);
  figures["series_generated"] = each(begun, &Interval::generated);
  figures["series_of_generated"] = each(begun, &Interval::of_generated);
  figures["series_latency"] = each(begun, &Interval::latency);
  figures["series_level"] = each(begun, &Interval::level);
  const auto of_switches = std::span(shown_levels_).first(count * shown_.size());
  figures["series_levels"] = std::vector<std::int64_t>(of_switches.begin(), of_switches.end());
}

}  // namespace tvlb::sim::fog
