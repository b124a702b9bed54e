// The course of a run, whatever its routers: cycle after cycle, until it is over or stopped.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <stdexcept>
#include <string>
#include <vector>

#include "config.hpp"
#include "figures.hpp"
#include "network.hpp"

namespace tvlb::sim {

// A build for debugging checks the conservation of flits and credits in every cycle, or at the end of
// every block of cycles; slow.
#ifdef TVLB_CHECK
inline constexpr bool kChecksEveryCycle = true;
#else
inline constexpr bool kChecksEveryCycle = false;
#endif

/// Shared with other threads and possibly by several runs: asks them to stop and shows how far
/// they are.
struct StopFlag {
  std::atomic<bool> requested{false};
  std::atomic<std::int64_t> cycles_done{0};  // of all runs together
};

/// What runs derive from.
class Course {
 public:
  // Of a run that lasts to the end of its window, and that nothing else ends.
  [[nodiscard]] bool is_over() const { return cycle_ >= window_.end; }
  [[nodiscard]] static bool goes_on() { return true; }

 protected:
  Course(const RunConfig& config, StopFlag& flag)
      : window_{config.warmup_cycles, config.warmup_cycles + config.measured_cycles}, flag_(flag) {}

  /// A router says what `find_wait_cycle()` finds, and `run_cycle()` moves it, or `run_cycles(limit)` to
  /// a cycle up to a limit that it returns; it may say otherwise than here whether it `is_over()`, and
  /// where nothing else ends the run, whether it `goes_on()`.
  void run(auto& router) {
    while (!router.is_over() && polled(router) && router.goes_on()) {
      if constexpr (requires { router.run_cycles(cycle_); }) {
        cycle_ = router.run_cycles(cycle_ - cycle_ % kPollInterval + kPollInterval);
      } else {
        router.run_cycle();
        ++cycle_;
      }
    }
    report();
  }
  /// The same, and all that is told of it.
  Figures run(auto& router, const auto& records) {
    run(router);
    Figures figures;
    records.tell(figures, cycle_);
    tell(figures);
    return figures;
  }
  void stop(const char* how, const char* reason) {
    stopped_ = how;
    stop_reason_ = reason;
  }

  /// Figures of every run.
  void tell(Figures& figures) const {
    figures["stopped"] = stopped_;
    figures["stop_reason"] = stop_reason_;
    figures["cycles"] = cycle_;
    figures["wait_cycle"] = wait_cycle_;
  }

  Window window_;  // may move before it begins
  std::int32_t cycle_ = 0;
  std::string stopped_ = "completed";
  std::string stop_reason_;
  std::vector<Buffer> wait_cycle_;  // deadlocked: the head of each waits for room in the next

 private:
  static constexpr int kPollInterval = 256;       // cycles between looks at the stop flag
  static constexpr int kDeadlockInterval = 1024;  // cycles between searches for a deadlock

  bool polled(auto& router) {
    if (cycle_ % kPollInterval != 0) return true;
    report();
    if (flag_.requested.load(std::memory_order_relaxed)) {
      stop("cancelled", "cancelled");
    } else if (cycle_ % kDeadlockInterval == 0) {
      wait_cycle_ = router.find_wait_cycle();
      if (!wait_cycle_.empty()) stop("deadlocked", "deadlock");
    }
    return stopped_ == "completed";
  }
  void report() {
    flag_.cycles_done.fetch_add(cycle_ - reported_, std::memory_order_relaxed);
    reported_ = cycle_;
  }

  StopFlag& flag_;
  std::int32_t reported_ = 0;
};

/// Processor time of this thread.
[[nodiscard]] inline double thread_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The figures that `run()` returns, with the processor time that it took, where it may have told that
/// of other threads. Throws std::invalid_argument where a switch has too many ports.
Figures timed(const Network& network, auto&& run) {
  if (network.max_ports() > kMaxPorts) throw std::invalid_argument("a switch has too many ports");
  const double start = thread_seconds();
  Figures figures = run();
  const auto others = figures.try_emplace("cpu_seconds", 0.0).first;
  others->second = std::get<double>(others->second) + thread_seconds() - start;
  return figures;
}

}  // namespace tvlb::sim
