// Threads that work side by side, again and again.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "course.hpp"

namespace tvlb::sim {

/// The thread that makes it and others, at most one for each part of the work; fewer where no more can be
/// started. A thread takes its own part first, whose memory it knows, and then what others have not begun:
/// none waits for one that a busy machine does not run.
class Threads {
 public:
  /// `work(part)` is what is done at every `run()`, for all parts.
  Threads(int parts, std::function<void(int)> work)
      : work_(std::move(work)), parts_(static_cast<std::size_t>(parts)), others_(parts_.size() - 1) {
    try {
      for (std::size_t number = 1; number < parts_.size(); ++number) {
        Other& other = others_[number - 1];
        other.thread = std::thread([this, number, &other] { serve(number, other); });
      }
    } catch (const std::system_error&) {
      // Those that have started do all parts.
    } catch (...) {
      end();
      throw;
    }
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { end(); }

  [[nodiscard]] int count() const {
    return 1 + static_cast<int>(std::ranges::count_if(
                   others_, [](const Other& other) { return other.thread.joinable(); }));
  }
  /// Returns when all parts are done; rethrows what one of them threw.
  void run() {
    left_.store(static_cast<std::int32_t>(parts_.size()), std::memory_order_relaxed);
    const std::int32_t turn = begin();
    work_on(0, turn);
    await(left_, [](std::int32_t left) { return left == 0; });
    std::exception_ptr error;
    for (Part& part : parts_) {
      if (!error) error = part.error;
      part.error = nullptr;
    }
    if (error) std::rethrow_exception(error);
  }
  /// Ends the others; returns the processor time that they took.
  double end() {
    ends_ = true;
    begin();
    double seconds = 0.0;
    for (Other& other : others_) {
      if (other.thread.joinable()) other.thread.join();
      seconds += other.seconds;
    }
    others_.clear();
    return seconds;
  }

 private:
  struct alignas(64) Part {
    std::atomic<std::int32_t> begun{0};  // the last turn of which a thread took it
    std::exception_ptr error;
  };
  struct Other {
    std::thread thread;
    double seconds = 0.0;
  };
  // A pause is shorter than falling asleep and waking up, unless there are more threads than cores.
  static constexpr int kSpins = 20'000;

  static std::int32_t await(std::atomic<std::int32_t>& value, auto&& satisfies) {
    std::int32_t seen = value.load(std::memory_order_acquire);
    for (int spin = 0; spin < kSpins && !satisfies(seen); ++spin) {
      seen = value.load(std::memory_order_acquire);
    }
    for (; !satisfies(seen); seen = value.load(std::memory_order_acquire)) {
      value.wait(seen, std::memory_order_acquire);
    }
    return seen;
  }
  std::int32_t begin() {
    const std::int32_t turn = turn_.fetch_add(1, std::memory_order_release) + 1;
    turn_.notify_all();
    return turn;
  }
  // A turn ends when all parts are done, so whoever comes late finds none of it left to begin.
  void work_on(std::size_t own, std::int32_t turn) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const std::size_t number = own + i < parts_.size() ? own + i : own + i - parts_.size();
      Part& part = parts_[number];
      std::int32_t last = part.begun.load(std::memory_order_relaxed);
      if (last >= turn || !part.begun.compare_exchange_strong(last, turn, std::memory_order_relaxed)) {
        continue;
      }
      try {
        work_(static_cast<int>(number));
      } catch (...) {
        part.error = std::current_exception();
      }
      if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_one();
    }
  }
  void serve(std::size_t number, Other& other) {
    for (std::int32_t turn = 0;;) {
      turn = await(turn_, [=](std::int32_t now) { return now > turn; });
      if (ends_.load(std::memory_order_acquire)) break;
      work_on(number, turn);
    }
    other.seconds = thread_seconds();
  }

  std::function<void(int)> work_;
  std::vector<Part> parts_;
  std::vector<Other> others_;
  std::atomic<std::int32_t> turn_{0};
  std::atomic<std::int32_t> left_{0};
  std::atomic<bool> ends_{false};
};

}  // namespace tvlb::sim
