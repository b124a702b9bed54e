// Events by the cycle in which they fall due, for a bounded look-ahead.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tvlb::sim {

struct Silent {
  void operator()(const auto&) const {}
};

/// Of several units, each of which is drained for itself; threads may share one if units have one each.
/// A drained slot hands its storage to the next slot of its unit in need, so the wheel touches as much
/// memory as the events alive need, not as its span would.
template <class Event>
class EventWheel {
 public:
  /// Memory of a unit without events.
  [[nodiscard]] static std::size_t bytes(int span) { return sizeof(Slot) << shift_of(span); }

  explicit EventWheel(int span, std::size_t units = 1)
      : shift_(shift_of(span)),
        mask_((std::size_t{1} << shift_) - 1),
        slots_(units << shift_),
        spare_(units) {}

  [[nodiscard]] std::int32_t span() const { return static_cast<std::int32_t>(mask_); }

  /// `due` must lie after the cycle of the unit last drained and at most `span()` beyond it.
  void push(std::int32_t due, Event event, unsigned unit = 0) {
    Slot& slot = at(due, unit);
    if (slot.used == slot.capacity) [[unlikely]] grow(slot, unit);
    slot.events[slot.used++] = event;
  }

  /// Visits all pending events, in no particular order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Slot& slot : slots_) {
      for (std::uint32_t i = 0; i < slot.used; ++i) visit(slot.events[i]);
    }
  }

  /// Visits the events of a unit due in `cycle` in the order of their pushes; `visit` may push others.
  /// Some events ahead of `visit(event)` calls `announce(event)`, to fetch its memory.
  template <class Visit, class Announce = Silent>
  void drain(std::int32_t cycle, Visit&& visit, Announce announce = {}, unsigned unit = 0) {
    Slot& slot = at(cycle, unit);
    if (slot.used == 0) return;
    const Event* const events = slot.events.get();
    const Event* const end = events + slot.used;
    for (const Event* event = events; event != end; ++event) {
      announce(event[end - event > kAhead ? kAhead : 0]);
      visit(*event);
    }
    slot.used = 0;
    spare_[unit].push_back({std::move(slot.events), std::exchange(slot.capacity, 0U)});
  }

 private:
  struct Storage {
    std::unique_ptr<Event[]> events;
    std::uint32_t capacity = 0;
  };
  struct Slot : Storage {
    std::uint32_t used = 0;
  };

  [[nodiscard]] static int shift_of(int span) { return std::bit_width(static_cast<unsigned>(span)); }
  [[nodiscard]] Slot& at(std::int32_t cycle, unsigned unit) {
    return slots_[(std::size_t{unit} << shift_) + (static_cast<std::size_t>(cycle) & mask_)];
  }
  void grow(Slot& slot, unsigned unit) {
    Storage& storage = slot;
    if (std::vector<Storage>& spare = spare_[unit]; slot.capacity == 0 && !spare.empty()) {
      storage = std::move(spare.back());
      spare.pop_back();
      return;
    }
    const std::uint32_t capacity = std::max(kLeastEvents, 2 * slot.capacity);
    auto events = std::make_unique_for_overwrite<Event[]>(capacity);
    std::copy_n(slot.events.get(), slot.used, events.get());
    storage = {std::move(events), capacity};
  }

  static constexpr std::uint32_t kLeastEvents = 16;
  static constexpr std::ptrdiff_t kAhead = 8;

  int shift_;
  std::size_t mask_;
  std::vector<Slot> slots_;                  // of a unit after those of another
  std::vector<std::vector<Storage>> spare_;  // per unit
};

}  // namespace tvlb::sim
