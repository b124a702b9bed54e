// Storage of the packets inside the network.
#pragma once

#include <cstdint>
#include <vector>

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
  [[nodiscard]] Packet* data() { return packets_.data(); }

  /// What `allocate()` returns next.
  [[nodiscard]] std::int32_t next() const {
    return free_ < 0 ? static_cast<std::int32_t>(packets_.size()) : free_;
  }
  /// References into the pool do not survive this call.
  std::int32_t allocate() {
    if (free_ < 0) {
      packets_.push_back({});
      return static_cast<std::int32_t>(packets_.size() - 1);
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

  template <class Visit>
  void for_each_in_use(Visit&& visit) const {
    for (const Packet& packet : packets_) {
      if (packet.created != kFree) visit(packet);
    }
  }

 private:
  static constexpr std::int32_t kFree = -1;

  std::vector<Packet> packets_;
  std::int32_t free_ = -1;
};

}  // namespace tvlb::sim
