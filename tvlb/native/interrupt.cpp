#include "interrupt.hpp"

#include <chrono>

namespace tvlb {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kInterval{50};
constexpr int kCallsPerLook = 16;  // at the clock

struct Asked {
    Question question = nullptr;
    Clock::time_point next;
    int calls = 0;
};

// Not handed down through all kernels: it is of the thread that called the first of them.
thread_local Asked asked;

}  // namespace

Interruptible::Interruptible(Question question) : before_(asked.question) {
    asked = {question, Clock::now() + kInterval, 0};
}

Interruptible::~Interruptible() { asked.question = before_; }

void check_interrupt() {
    if (asked.question == nullptr || ++asked.calls % kCallsPerLook != 0) return;
    const auto now = Clock::now();
    if (now < asked.next) return;
    asked.next = now + kInterval;
    asked.question();
}

}  // namespace tvlb
