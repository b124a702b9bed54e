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

  [[nodiscard]] std::int32_t span() const { return static_cast<std::int32_t>(mask_); }

  /// `due` must lie after the cycle last drained and at most `span()` beyond it.
  void push(std::int32_t due, Event event) {
    Slot& slot = slots_[static_cast<std::size_t>(due) & mask_];
    if (slot.used == slot.events.size()) grow(slot);
    slot.events[slot.used++] = event;
  }

  /// Visits the events due in `cycle` in the order of their pushes; `visit` may push others.
  template <class Visit>
  void drain(std::int32_t cycle, Visit&& visit) {
    Slot& slot = slots_[static_cast<std::size_t>(cycle) & mask_];
    if (slot.used == 0) return;
    for (std::size_t i = 0; i < slot.used; ++i) visit(slot.events[i]);
    slot.used = 0;
    spare_.push_back(std::move(slot.events));
    slot.events = {};
  }

 private:
  struct Slot {
    std::vector<Event> events;  // storage, of which the first `used` are valid
    std::size_t used = 0;
  };

  void grow(Slot& slot) {
    if (slot.events.empty() && !spare_.empty()) {
      slot.events = std::move(spare_.back());
      spare_.pop_back();
    } else {
      slot.events.resize(slot.events.empty() ? 16 : 2 * slot.events.size());
    }
  }

  std::vector<Slot> slots_;
  std::vector<std::vector<Event>> spare_;
  std::size_t mask_;
};

}  // namespace tvlb::sim
