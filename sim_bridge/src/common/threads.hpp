// Threads that work side by side, again and again.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "course.hpp"

namespace tvlb::sim {

/// The thread that makes it, as number 0, and others.
class Threads {
 public:
  /// `work(number)` is what each does at every `run()`.
  Threads(int threads, std::function<void(int)> work)
      : work_(std::move(work)), others_(static_cast<std::size_t>(threads - 1)) {
    try {
      for (int number = 1; number < threads; ++number) {
        Other& other = others_[static_cast<std::size_t>(number - 1)];
        other.thread = std::thread([this, number, &other] { serve(number, other); });
      }
    } catch (...) {
      end();
      throw;
    }
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { end(); }

  /// Returns when all have done their work; rethrows what one of them threw.
  void run() {
    left_.store(static_cast<std::int32_t>(others_.size()), std::memory_order_relaxed);
    begin();
    std::exception_ptr error = attempt(0);
    await(left_, [](std::int32_t left) { return left == 0; });
    for (Other& other : others_) {
      if (!error) error = other.error;
      other.error = nullptr;
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
  struct Other {
    std::thread thread;
    std::exception_ptr error;
    double seconds = 0.0;
  };
  // A pause is shorter than falling asleep and waking up, unless there are more threads than cores.
  static constexpr int kSpins = 20'000;

  static void await(std::atomic<std::int32_t>& value, auto&& satisfies) {
    std::int32_t seen = value.load(std::memory_order_acquire);
    for (int spin = 0; spin < kSpins && !satisfies(seen); ++spin) {
      seen = value.load(std::memory_order_acquire);
    }
    for (; !satisfies(seen); seen = value.load(std::memory_order_acquire)) {
      value.wait(seen, std::memory_order_acquire);
    }
  }
  void begin() {
    turn_.fetch_add(1, std::memory_order_release);
    turn_.notify_all();
  }
  std::exception_ptr attempt(int number) {
    try {
      work_(number);
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }
  void serve(int number, Other& other) {
    for (std::int32_t turn = 1;; ++turn) {
      await(turn_, [=](std::int32_t now) { return now >= turn; });
      if (ends_) break;
      other.error = attempt(number);
      if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_one();
    }
    other.seconds = thread_seconds();
  }

  std::function<void(int)> work_;
  std::vector<Other> others_;
  std::atomic<std::int32_t> turn_{0};
  std::atomic<std::int32_t> left_{0};
  bool ends_ = false;
};

}  // namespace tvlb::sim
