// What a run counts, and when it may be called saturated.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "common/config.hpp"
#include "common/figures.hpp"
#include "statistics.hpp"

namespace tvlb::sim {

/// Packets waiting somewhere: how many, and the sum of the cycles they were generated in.
struct Backlog {
  std::int64_t packets = 0;
  std::int64_t created_sum = 0;

  void add(std::int32_t created) {
    ++packets;
    created_sum += created;
  }
  void remove(std::int32_t created) {
    --packets;
    created_sum -= created;
  }
  Backlog& operator+=(const Backlog& other) {
    packets += other.packets;
    created_sum += other.created_sum;
    return *this;
  }
  [[nodiscard]] std::int64_t age_sum(std::int64_t now) const {
    return packets * now - created_sum;
  }
};

inline constexpr double kSaturatedLatency = 500.0;  // cycles
inline constexpr double kSaturatedTimes = 5.0;      // the latency of the longest path
inline constexpr double kTolerableGrowth = 0.005;  // of the backlog, share of what was generated
inline constexpr double kBacklogNoise = 3.0;       // standard deviations of both its ends
inline constexpr double kToldOverload = 0.1;       // what a window must be long enough to show
inline constexpr double kOverloadNoise = 2.33;     // standard deviations that 1 of 100 runs passes

/// Route decisions, and how many of them chose VLB.
struct DecisionCount {
  std::int64_t all = 0;
  std::int64_t vlb = 0;

  void add(int decisions, int vlb_decisions) {
    all += decisions;
    vlb += vlb_decisions;
  }
  DecisionCount& operator+=(const DecisionCount& other) {
    all += other.all;
    vlb += other.vlb;
    return *this;
  }
};

class Measurement {
 public:
  /// The window may move until a packet falls into it; it outlives this object. A packet takes
  /// `longest_latency` cycles at most if it never waits.
  Measurement(const Window& window, int longest_latency, int path_sets)
      : window_(window),
        longest_latency_(longest_latency),
        by_level_(static_cast<std::size_t>(path_sets), 0) {}

  [[nodiscard]] bool follows(std::int32_t created) const { return window_.contains(created); }
  void injected(std::int32_t created) {
    ++injected_flits_;
    in_network_.add(created);
    if (!window_closed_) generated(created);
  }
  void decided(std::int32_t created, int decisions, int vlb_decisions) {
    if (created >= window_.end) return;
    decisions_.add(decisions, vlb_decisions);
    if (follows(created)) measured_decisions_.add(decisions, vlb_decisions);
  }
  /// `level` is that of the path set of its VLB path, -1 of a MIN path.
  void delivered(std::int32_t created, std::int32_t at, int hops, int level);

  /// A packet that its source had not sent yet when the window closed.
  void left_in_source(std::int32_t created) { generated(created); }
  /// From now on all measured packets are known.
  void close_window() { window_closed_ = true; }
  [[nodiscard]] bool window_closed() const { return window_closed_; }
  /// A measured packet that the run ends without delivering.
  void undelivered(std::int32_t created, std::int64_t now) { record_latency(now - created); }

  /// Delivered measured packets, and with their ages those still on the way.
  [[nodiscard]] double mean_latency_at_least(std::int64_t now) const;
  /// Whether so much latency, or that of warm-up by a factor, is that of a saturated load.
  [[nodiscard]] bool passes(double latency, double factor = 1.0) const {
    return latency > factor * std::max(kSaturatedLatency, kSaturatedTimes * longest_latency_);
  }
  /// Whether within the window more packets came than went, beyond what is tolerable, what both
  /// counts of waiting packets vary by chance, and what an empty network takes; known when it is
  /// closed.
  [[nodiscard]] bool backlog_grew() const;
  /// Whether a run whose last packet leaves at some cycle at the latest will surely be told to be sustained.
  [[nodiscard]] bool will_be_sustained(std::int64_t end) const {
    const double most = mean_latency_at_least(end);
    return !passes(most) && !backlog_grew() && overload_would_show(most);
  }
  /// Whether every measured packet has been delivered.
  [[nodiscard]] bool complete() const {
    return window_closed_ && delivered_.packets == generated_.packets;
  }
  /// Mean latency of the packets delivered since the last call and the ages of all waiting ones.
  [[nodiscard]] double interval_latency(const Backlog& in_sources, std::int64_t now);

  [[nodiscard]] std::int64_t in_network() const { return in_network_.packets; }
  /// Adds what another one of the same run has counted since the last time; of the distributions only
  /// with `absorb_histograms`.
  void absorb(Measurement& other);
  void absorb_histograms(Measurement& other);
  /// Writes the figures of the packets and the verdict.
  void tell(Figures& figures, int num_nodes) const;

 private:
  void generated(std::int32_t created) {
    generated_before_ += static_cast<int>(created < window_.begin);
    if (follows(created)) generated_.add(created);
  }
  void record_latency(std::int64_t latency);
  [[nodiscard]] auto sums() {
    return std::tie(injected_flits_, delivered_flits_, accepted_, generated_before_, delivered_before_,
                    in_network_, generated_, delivered_, hops_, decisions_, measured_decisions_,
                    interval_packets_, interval_latency_sum_, recorded_packets_, recorded_latency_sum_);
  }
  /// Smallest latency that at least `fraction` of the recorded packets do not exceed; NaN if none.
  [[nodiscard]] double latency_quantile(double fraction) const;
  [[nodiscard]] std::int64_t growth() const { return generated_.packets - accepted_; }
  /// Whether an overload would have shown, of a load that is not found to be saturated.
  [[nodiscard]] bool overload_would_show(double latency) const;

  const Window& window_;
  int longest_latency_;
  bool window_closed_ = false;
  std::int64_t injected_flits_ = 0;
  std::int64_t delivered_flits_ = 0;
  std::int64_t accepted_ = 0;  // delivered within the window, whenever generated
  std::int64_t generated_before_ = 0;  // before the window
  std::int64_t delivered_before_ = 0;
  Backlog in_network_;
  Backlog generated_;  // measured packets
  Backlog delivered_;  // measured packets
  std::int64_t hops_ = 0;
  std::vector<std::int64_t> by_level_;  // measured packets delivered by VLB paths, by path set
  DecisionCount decisions_;  // for packets generated before the end of the window
  DecisionCount measured_decisions_;
  std::int64_t interval_packets_ = 0;
  std::int64_t interval_latency_sum_ = 0;
  std::int64_t recorded_packets_ = 0;
  std::int64_t recorded_latency_sum_ = 0;
  std::vector<std::uint32_t> histogram_;  // recorded packets by latency
};

}  // namespace tvlb::sim
