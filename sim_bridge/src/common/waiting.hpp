// Packets that wait at their nodes, before anything is known of them but when and where to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tvlb::sim {

struct Waiting {
  std::int32_t created;
  std::int32_t destination;
};

/// FIFOs of nodes, of some packets each.
class WaitingPackets {
 public:
  /// Where that of a node begins in its ring, and how many packets it has.
  struct Fifo {
    std::int32_t first = 0;
    std::int32_t count = 0;
  };

  WaitingPackets(std::int32_t nodes, int most)
      : most_(most), rings_(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(most)) {}

  [[nodiscard]] bool is_full(const Fifo& fifo) const { return fifo.count == most_; }
  void push(std::int32_t node, Fifo& fifo, const Waiting& packet) {
    const std::int32_t last = fifo.first + fifo.count++;
    at(node, last < most_ ? last : last - most_) = packet;
  }
  [[nodiscard]] const Waiting& pop(std::int32_t node, Fifo& fifo) {
    const Waiting& packet = at(node, fifo.first);
    // An empty one begins anew, where its memory is at hand.
    fifo.first = --fifo.count == 0 || fifo.first + 1 == most_ ? 0 : fifo.first + 1;
    return packet;
  }

 private:
  [[nodiscard]] Waiting& at(std::int32_t node, std::int32_t place) {
    return rings_[static_cast<std::size_t>(node) * static_cast<std::size_t>(most_) +
                  static_cast<std::size_t>(place)];
  }

  std::int32_t most_;
  std::vector<Waiting> rings_;
};

}  // namespace tvlb::sim
