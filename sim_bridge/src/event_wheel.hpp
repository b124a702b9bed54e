// Events by the cycle in which they fall due, for a bounded look-ahead.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tvlb::sim {

/// A drained slot hands its storage to the next slot in need, so the wheel touches as much memory
/// as the events alive need, not as its span would.
template <class Event>
class EventWheel {
 public:
  explicit EventWheel(int span)
      : slots_(std::bit_ceil(static_cast<std::size_t>(span) + 1)), mask_(slots_.size() - 1) {}

  /// `due` must lie after the cycle last drained and at most `span` beyond it.
  void push(std::int64_t due, Event event) {
    std::vector<Event>& slot = slots_[static_cast<std::size_t>(due) & mask_];
    if (slot.size() == slot.capacity()) grow(slot);
    slot.push_back(event);
  }

  template <class Visit>
  void drain(std::int64_t cycle, Visit&& visit) {
    std::vector<Event>& slot = slots_[static_cast<std::size_t>(cycle) & mask_];
    if (slot.empty()) return;
    for (const Event& event : slot) visit(event);
    slot.clear();
    spare_.push_back(std::move(slot));
    slot = {};
  }

 private:
  void grow(std::vector<Event>& slot) {
    if (slot.capacity() == 0 && !spare_.empty()) {
      slot = std::move(spare_.back());
      spare_.pop_back();
    } else {
      slot.reserve(slot.capacity() == 0 ? 16 : 2 * slot.capacity());
    }
  }

  std::vector<std::vector<Event>> slots_;
  std::vector<std::vector<Event>> spare_;
  std::size_t mask_;
};

}  // namespace tvlb::sim
