// What must hold at the end of every block of cycles; checked in builds for debugging.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "fabric.hpp"

namespace tvlb::sim {

template <class FabricType>
class Conservation {
 public:
  Conservation(const FabricType& fabric, int buffer_flits)
      : fabric_(fabric), buffer_flits_(buffer_flits) {}

  /// Every slot of an input buffer is either a credit at its sender, a credit on its way back, a
  /// flit on its way or a flit in the buffer. Every packet that was injected and not delivered is
  /// in a buffer or on its way. Throws std::logic_error where that does not hold.
  void check(std::int32_t cycle, std::int64_t in_network) const {
    const auto require = [&](bool holds, const char* what, std::size_t place) {
      if (holds) return;
      throw std::logic_error("cycle " + std::to_string(cycle) + ": " + what + " of switch " +
                             std::to_string(place / kVcs) + ", slot " +
                             std::to_string(place % kVcs));
    };
    const std::vector<std::int32_t> held = flits();
    std::int64_t found = 0;
    for (const std::int32_t count : held) found += count;
    require(found == in_network, "flits are not conserved, counted up to", 0);
    const std::vector<std::int32_t> counted = slots(held);
    for (std::size_t place = 0; place < counted.size(); ++place) {
      require(counted[place] == buffer_flits_, "credits are not conserved at the output", place);
    }
    const std::span<const std::uint16_t> in_transit = fabric_.credit_view().in_transit;
    for (std::size_t place = 0; place < in_transit.size(); ++place) {
      const int used = buffer_flits_ - fabric_.credits()[place];
      require(in_transit[place] <= used, "more flits are in transit than have a credit,", place);
    }
    for (int sw = 0; sw < fabric_.network().num_switches(); ++sw) {
      const std::size_t first = static_cast<std::size_t>(sw) * kVcs;
      require(fabric_.at(sw).consistent(&fabric_.credits()[first]), "the allocator's state", first);
    }
  }

 private:
  static constexpr std::size_t kVcs = FabricType::kVcs;
  static constexpr std::size_t kSlots = FabricType::kSlots;

  /// Per input VC, in its buffer or on the way there.
  [[nodiscard]] std::vector<std::int32_t> flits() const {
    const auto switches = static_cast<std::size_t>(fabric_.network().num_switches());
    std::vector<std::int32_t> flits(switches * kVcs, 0);
    for (std::size_t place = 0; place < flits.size(); ++place) {
      const auto sw = static_cast<int>(place / kVcs);
      std::int32_t id = fabric_.at(sw).queues[place % kVcs].head;
      for (; id >= 0; id = fabric_.packets_at(sw)[id].next) ++flits[place];
    }
    fabric_.for_each_arriving([&](std::uint32_t input_vc) { ++flits[input_vc]; });
    return flits;
  }

  /// Per credit counter, accounted for in one of the four ways.
  [[nodiscard]] std::vector<std::int32_t> slots(const std::vector<std::int32_t>& flits) const {
    std::vector<std::int32_t> slots(fabric_.credits().begin(), fabric_.credits().end());
    fabric_.for_each_returning([&](std::uint32_t counter) { ++slots[counter]; });
    for (std::size_t port = 0; port < flits.size() / kSlots; ++port) {
      const auto sw = static_cast<int>(port / FabricType::kPorts);
      const std::size_t of_switch = port % FabricType::kPorts;
      if (!has_input(sw, static_cast<int>(of_switch))) continue;
      const std::uint32_t upstream = fabric_.at(sw).inputs[of_switch].upstream;
      for (std::size_t vc = 0; vc < kSlots; ++vc) slots[upstream + vc] += flits[port * kSlots + vc];
    }
    return slots;
  }

  [[nodiscard]] bool has_input(int sw, int port) const {
    const Network& network = fabric_.network();
    if (port < network.num_terminals(sw)) return true;
    return port < network.max_ports() && network.input_link(sw, port) >= 0;
  }

  const FabricType& fabric_;
  int buffer_flits_;
};

}  // namespace tvlb::sim
