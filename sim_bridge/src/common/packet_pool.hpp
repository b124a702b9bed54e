// Storage of the packets inside the network.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace tvlb::sim {

/// `Packet` has the cycle it was `created` in and the `next` one of its queue.
template <class Packet>
class PacketPool {
 public:
  [[nodiscard]] Packet& operator[](std::int32_t id) {
    return packets_[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] const Packet& operator[](std::int32_t id) const {
    return packets_[static_cast<std::size_t>(id)];
  }
  /// All packets by id; valid until the next allocate().
  [[nodiscard]] Packet* data() { return packets_.get(); }

  /// What `allocate()` returns next.
  [[nodiscard]] std::int32_t next() const { return free_ < 0 ? count_ : free_; }
  /// References into the pool do not survive this call.
  std::int32_t allocate() {
    if (free_ < 0) {
      if (count_ == capacity_) grow();
      new (&packets_[static_cast<std::size_t>(count_)]) Packet{};
      return count_++;
    }
    const std::int32_t id = free_;
    free_ = (*this)[id].next;
    // The next to be allocated, which was released long ago.
    if (free_ >= 0) __builtin_prefetch(&(*this)[free_], 1);
    return id;
  }

  void release(std::int32_t id) {
    Packet& packet = (*this)[id];
    packet.created = kFree;
    packet.next = free_;
    free_ = id;
  }

  /// Whether one in use is `wanted(packet)`; begins with the one found before.
  template <class Wanted>
  [[nodiscard]] bool has(Wanted&& wanted) {
    for (std::int32_t looked_at = 0; looked_at < count_; ++looked_at) {
      if (found_ >= count_) found_ = 0;
      const Packet& packet = (*this)[found_];
      if (packet.created != kFree && wanted(packet)) return true;
      ++found_;
    }
    return false;
  }
  template <class Visit>
  void for_each_in_use(Visit&& visit) const {
    for (std::int32_t id = 0; id < count_; ++id) {
      if ((*this)[id].created != kFree) visit((*this)[id]);
    }
  }

 private:
  static_assert(std::is_trivially_copyable_v<Packet>);
  struct Free {
    void operator()(void* storage) const { std::free(storage); }
  };

  // By realloc(), which moves many packets without holding them twice.
  void grow() {
    const std::int32_t capacity = std::max(kLeast, 2 * capacity_);
    void* const storage = std::realloc(packets_.get(), static_cast<std::size_t>(capacity) * sizeof(Packet));
    if (storage == nullptr) throw std::bad_alloc();
    static_cast<void>(packets_.release());
    packets_.reset(static_cast<Packet*>(storage));
    capacity_ = capacity;
  }

  static constexpr std::int32_t kFree = -1;
  static constexpr std::int32_t kLeast = 64;

  std::unique_ptr<Packet[], Free> packets_;
  std::int32_t count_ = 0;
  std::int32_t capacity_ = 0;
  std::int32_t free_ = -1;
  std::int32_t found_ = 0;
};

}  // namespace tvlb::sim
