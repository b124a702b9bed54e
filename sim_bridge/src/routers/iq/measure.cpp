#include "measure.hpp"

#include <cmath>
#include <limits>

namespace tvlb::sim {
namespace {

double ratio(std::int64_t numerator, std::int64_t denominator) {
  if (denominator == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(numerator) / static_cast<double>(denominator);
}

}  // namespace

void Measurement::record_latency(std::int64_t latency) {
  const auto bin = static_cast<std::size_t>(latency);
  if (bin >= histogram_.size()) histogram_.resize(bin + bin / 2 + 256);
  ++histogram_[bin];
  ++recorded_packets_;
  recorded_latency_sum_ += latency;
}

void Measurement::delivered(std::int32_t created, std::int32_t at, int hops) {
  ++delivered_flits_;
  in_network_.remove(created);
  ++interval_packets_;
  interval_latency_sum_ += at - created;
  if (follows(at)) ++accepted_;
  if (!follows(created)) return;
  delivered_.add(created);
  hops_ += hops;
  record_latency(at - created);
}

double Measurement::mean_latency_at_least(std::int64_t now) const {
  const Backlog waiting{generated_.packets - delivered_.packets,
                        generated_.created_sum - delivered_.created_sum};
  return ratio(recorded_latency_sum_ + waiting.age_sum(now), generated_.packets);
}

double Measurement::interval_latency(const Backlog& in_sources, std::int64_t now) {
  const double mean =
      ratio(interval_latency_sum_ + in_network_.age_sum(now) + in_sources.age_sum(now),
            interval_packets_ + in_network_.packets + in_sources.packets);
  interval_packets_ = 0;
  interval_latency_sum_ = 0;
  return mean;
}

double Measurement::latency_quantile(double fraction) const {
  const double wanted = std::ceil(fraction * static_cast<double>(recorded_packets_));
  double seen = 0.0;
  for (std::size_t latency = 0; latency < histogram_.size(); ++latency) {
    seen += histogram_[latency];
    if (histogram_[latency] != 0 && seen >= wanted) return static_cast<double>(latency);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

void Measurement::tell(Figures& figures, int num_nodes) const {
  const std::int64_t capacity = std::int64_t{num_nodes} * (window_.end - window_.begin);
  figures["latency_mean"] = ratio(recorded_latency_sum_, recorded_packets_);
  figures["latency_p50"] = latency_quantile(0.50);
  figures["latency_p90"] = latency_quantile(0.90);
  figures["latency_p99"] = latency_quantile(0.99);
  figures["latency_p999"] = latency_quantile(0.999);
  figures["hops_mean"] = ratio(hops_, delivered_.packets);
  figures["accepted"] = ratio(accepted_, capacity);
  figures["generated"] = ratio(generated_.packets, capacity);
  figures["vlb_share"] = ratio(decisions_.vlb, decisions_.all);
  figures["vlb_share_measured"] = ratio(measured_decisions_.vlb, measured_decisions_.all);
  figures["saturated"] =
      ratio(recorded_latency_sum_, recorded_packets_) > kSaturatedLatency || accepts_too_little();
  figures["undelivered"] = generated_.packets - delivered_.packets;
  figures["flits_injected"] = injected_flits_;
  figures["flits"] = delivered_flits_;
}

}  // namespace tvlb::sim
