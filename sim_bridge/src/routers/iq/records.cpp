#include "records.hpp"

namespace tvlb::sim {

void Records::write(Result& result, int num_nodes) const {
  measurement.summarise(result, num_nodes);
  for (const PacketSums& batch : statistics.latency_by_batch()) {
    result.batch_packets.push_back(batch.packets);
    result.batch_latency.push_back(batch.latency);
  }
  for (const std::int64_t packets : statistics.accepted_by_batch()) {
    result.batch_accepted.push_back(packets);
  }
  for (const std::int64_t cycles : statistics.cycles_by_batch()) {
    result.batch_cycles.push_back(cycles);
  }
  for (const PacketSums& interval : statistics.series()) {
    result.series_packets.push_back(interval.packets);
    result.series_latency.push_back(interval.latency);
  }
  result.switch_injected = statistics.injected_by_switch();
  result.switch_accepted = statistics.accepted_by_switch();
  result.traces = tracer.traces();
}

}  // namespace tvlb::sim
