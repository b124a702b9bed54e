#include "records.hpp"

#include <span>
#include <utility>

namespace tvlb::sim {
namespace {

void tell_one(Figures& figures, const std::string& name, std::span<const PacketSums> sums,
              std::int64_t PacketSums::*of) {
  std::vector<std::int64_t> values;
  for (const PacketSums& one : sums) values.push_back(one.*of);
  figures[name] = std::move(values);
}

void tell_sums(Figures& figures, const std::string& name, std::span<const PacketSums> sums) {
  tell_one(figures, name + "_packets", sums, &PacketSums::packets);
  tell_one(figures, name + "_latency", sums, &PacketSums::latency);
}

}  // namespace

void Records::tell(Figures& figures, int num_nodes) const {
  measurement.tell(figures, num_nodes);
  tell_sums(figures, "batch", statistics.latency_by_batch);
  tell_sums(figures, "series", statistics.told_series());
  tell_one(figures, "series_detours", statistics.told_series(), &PacketSums::detours);
  tell_one(figures, "series_level", statistics.told_series(), &PacketSums::level);
  figures["series_step"] = std::int64_t{statistics.told_step()};
  figures["batch_accepted"] = statistics.accepted_by_batch;
  figures["batch_cycles"] = statistics.cycles_by_batch();
  figures["switch_injected"] = statistics.injected_by_switch;
  figures["switch_accepted"] = statistics.accepted_by_switch;
  figures["traces"] = tracer.traces();
}

}  // namespace tvlb::sim
