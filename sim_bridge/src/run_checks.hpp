// What must hold at the end of every cycle; checked in builds for debugging. Included by run.hpp.
#pragma once

#include <stdexcept>
#include <string>

#include "run.hpp"

namespace tvlb::sim {

// ---- Conservation -------------------------------------------------------------------------------

template <int Words, int Slots>
std::vector<std::int32_t> Run<Words, Slots>::queue_lengths() const {
  std::vector<std::int32_t> lengths(switches_.size() * kVcs, 0);
  for (std::size_t place = 0; place < lengths.size(); ++place) {
    std::int32_t id = switches_[place / kVcs].queues[place % kVcs].head;
    for (; id >= 0; id = packets_[id].next) ++lengths[place];
  }
  return lengths;
}

template <int Words, int Slots>
bool Run<Words, Slots>::has_input(int sw, int port) const {
  if (port < network_.num_terminals(sw)) return true;
  return port < network_.max_ports() && network_.input_link(sw, port) >= 0;
}

// Every slot of an input buffer is either a credit at its sender, a credit on its way back, a flit
// on its way or a flit in the buffer. Every packet that was injected and not delivered is in a
// buffer or on its way.
template <int Words, int Slots>
void Run<Words, Slots>::check_conservation() const {
  const auto require = [&](bool holds, const char* what, std::size_t place) {
    if (holds) return;
    throw std::logic_error("cycle " + std::to_string(cycle_) + ": " + what + " of switch " +
                           std::to_string(place / kVcs) + ", slot " +
                           std::to_string(place % kVcs));
  };
  std::vector<std::int32_t> flits = queue_lengths();
  arrivals_.for_each([&](const Arrival& arrival) { ++flits[arrival.input_vc]; });
  std::int64_t in_network = 0;
  for (const std::int32_t count : flits) in_network += count;
  require(in_network == measurement_.in_network(), "flits are not conserved, counted up to", 0);

  std::vector<std::int32_t> slots(credits_.begin(), credits_.end());
  credit_returns_.for_each([&](std::uint32_t counter) { ++slots[counter]; });
  for (std::size_t sw = 0; sw < switches_.size(); ++sw) {
    for (std::size_t port = 0; port < kPorts; ++port) {
      if (!has_input(static_cast<int>(sw), static_cast<int>(port))) continue;
      const std::uint32_t upstream = switches_[sw].inputs[port].upstream;
      const std::size_t first = sw * kVcs + port * Slots;
      for (std::size_t vc = 0; vc < Slots; ++vc) slots[upstream + vc] += flits[first + vc];
    }
  }
  for (std::size_t place = 0; place < slots.size(); ++place) {
    require(slots[place] == config_.buffer_flits, "credits are not conserved at the output", place);
  }
  for (std::size_t sw = 0; sw < switches_.size(); ++sw) {
    require(switches_[sw].consistent(&credits_[sw * kVcs]), "the allocator's state", sw * kVcs);
  }
}

}  // namespace tvlb::sim
