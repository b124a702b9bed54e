#include "records.hpp"

#include <span>
#include <utility>

namespace tvlb::sim {
namespace {

void tell_sums(Figures& figures, const std::string& name, std::span<const PacketSums> sums) {
  std::vector<std::int64_t> packets;
  std::vector<std::int64_t> latency;
  for (const PacketSums& one : sums) {
    packets.push_back(one.packets);
    latency.push_back(one.latency);
  }
  figures[name + "_packets"] = std::move(packets);
  figures[name + "_latency"] = std::move(latency);
}

}  // namespace

void Records::tell(Figures& figures, int num_nodes) const {
  measurement.tell(figures, num_nodes);
  tell_sums(figures, "batch", statistics.latency_by_batch);
  tell_sums(figures, "series", statistics.told_series());
  figures["series_step"] = std::int64_t{statistics.told_step()};
  figures["batch_accepted"] = statistics.accepted_by_batch;
  figures["batch_cycles"] = statistics.cycles_by_batch();
  figures["switch_injected"] = statistics.injected_by_switch;
  figures["switch_accepted"] = statistics.accepted_by_switch;
  figures["traces"] = tracer.traces();
}

}  // namespace tvlb::sim
