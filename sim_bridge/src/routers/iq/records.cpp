#include "records.hpp"

#include <span>

namespace tvlb::sim {
void Records::tell(Figures& figures, int num_nodes) const {
  const std::span<const PacketSums> batches(statistics.latency_by_batch), series(statistics.told_series());
  measurement.tell(figures, num_nodes);
  figures["batch_packets"] = each(batches, &PacketSums::packets);
  figures["batch_latency"] = each(batches, &PacketSums::latency);
  figures["series_packets"] = each(series, &PacketSums::packets);
  figures["series_latency"] = each(series, &PacketSums::latency);
  figures["series_detours"] = each(series, &PacketSums::detours);
  figures["series_level"] = each(series, &PacketSums::level);
  figures["series_step"] = std::int64_t{statistics.told_step()};
  figures["batch_accepted"] = statistics.accepted_by_batch;
  figures["batch_cycles"] = statistics.cycles_by_batch();
  figures["switch_injected"] = statistics.injected_by_switch;
  figures["switch_accepted"] = statistics.accepted_by_switch;
  figures["traces"] = tracer.traces();
}

}  // namespace tvlb::sim
