// One input-queued virtual-channel switch: its buffers and the two-stage allocator. It knows ports
// and VCs only; topology, paths and links stay outside. Branches are few and the state is small
// because all switches together live in the second-level cache.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "bits.hpp"
#include "packet.hpp"

namespace tvlb::sim {

/// FIFO of one (input port, VC): packets linked through Packet::next.
struct InputQueue {
  std::int32_t head = -1;
  std::int32_t tail = -1;
};

struct InputPort {
  std::int32_t next_credit_cycle = 0;  // a port sends one credit per cycle
  std::uint32_t upstream = 0;          // its slot 0 among all credit counters
  std::uint16_t unit = 0;              // of what is upstream
  std::int16_t credit_delay = 0;       // cycles from sending to use
  std::uint8_t output_pointer = 0;
  std::uint8_t vc_pointer = 0;
};

struct OutputPort {
  std::int32_t next_departure = 0;  // the output FIFO sends one flit per cycle
  std::int32_t downstream = -1;     // its slot 0 among all input VCs, -1 for a node
  std::int32_t flits = 0;           // granted so far
  std::int16_t flight_time = 0;     // cycles from departure to arrival
  std::uint16_t unit = 0;           // of what is downstream
};

/// `Words` mask words cover all (port, VC slot) pairs; `Slots` VC slots per port, a power of two.
/// Ports and VCs that a switch lacks never request, so cyclic orders need not know its true size.
template <int Words, int Slots>
class Switch {
 public:
  static constexpr unsigned kSlots = Slots;
  static constexpr unsigned kVcs = BitMask<Words>::kBits;
  static constexpr unsigned kPorts = kVcs / kSlots;
  using PortMask = BitMask<(kPorts + 63) / 64>;

  /// Working space of a step; clean between steps.
  struct Scratch {
    std::array<std::uint16_t, kPorts> nominee{};  // per input port: the input VC it nominates
    std::array<PortMask, kPorts> nominations{};   // per output port: input ports
  };

  std::array<InputQueue, kVcs> queues{};
  std::array<InputPort, kPorts> inputs{};
  std::array<OutputPort, kPorts> outputs{};

  Switch() { free_.set_all(); }

  [[nodiscard]] OutputVcId wanted_by(unsigned input) const { return wants_[input]; }

  /// The head of `input` has not won its output VC yet.
  [[nodiscard]] bool waits_for_vc(unsigned input) const {
    return queues[input].head >= 0 && requesters_[wants_[input]].test(input);
  }

  /// The head of `input` requests `wanted` from the next step on.
  void request(unsigned input, OutputVcId wanted) {
    wants_[input] = wanted;
    requesters_[wanted].set(input);
    requested_.set(wanted);
  }

  /// Fetches what `request` of this output VC will touch.
  void prefetch(OutputVcId wanted) const { __builtin_prefetch(&requesters_[wanted], 1); }

  /// Fetches what the steps of a cycle will touch, but for the long tables.
  void prefetch_steps() const {
    const auto fetch = [](const auto& from, const auto& to) {
      const auto* const end = reinterpret_cast<const char*>(&to);
      for (const auto* at = reinterpret_cast<const char*>(&from); at < end; at += kLine) {
        __builtin_prefetch(at, 1);
      }
    };
    fetch(inputs, ready_);
    fetch(ready_, requesters_);
  }

  void withdraw(unsigned input) {
    const OutputVcId wanted = wants_[input];
    requesters_[wanted].clear(input);
    requested_.assign(wanted, requesters_[wanted].any());
  }

  /// To be called when an output VC had no credit and gets one.
  void first_credit(unsigned output_vc) {
    if (!free_.test(output_vc)) ready_.set(owner_[output_vc]);
  }

  [[nodiscard]] bool idle() const { return !ready_.any() && !requested_.intersects(free_); }

  /// One internal step: both stages decide on the state at its start, `won(packet)` runs for every
  /// winner of stage 1, `grant(input VC)` for every flit that crosses, and the winners take effect
  /// last. `credits` are those of this switch's output VCs.
  template <class Won, class Grant>
  void step(const std::uint16_t* credits, Scratch& scratch, Won&& won, Grant&& grant) {
    BitMask<Words> winners;
    allocate_output_vcs(credits, winners, won);
    if (ready_.any()) allocate_crossbar(scratch, grant);
    ready_.merge(winners);
  }

  /// Whether masks, owners and queues agree; for checks between cycles.
  [[nodiscard]] bool consistent(const std::uint16_t* credits) const {
    std::array<unsigned, kVcs> claims{};  // of output VCs: heads that request or own them
    for (unsigned input = 0; input < kVcs; ++input) {
      const unsigned wanted = wants_[input];
      const bool present = queues[input].head >= 0;
      const bool requests = requesters_[wanted].test(input);
      const bool owns = present && !free_.test(wanted) && owner_[wanted] == input && !requests;
      if (present != (requests || owns)) return false;
      if (ready_.test(input) != (owns && credits[wanted] != 0)) return false;
      if (requests) ++claims[wanted];
    }
    for (unsigned output = 0; output < kVcs; ++output) {
      if (requested_.test(output) != (claims[output] != 0)) return false;
    }
    return true;
  }

  /// Frees the output VC of a granted head; the caller dequeues it and uses a credit.
  void release(unsigned input) {
    ready_.clear(input);
    free_.set(wants_[input]);
  }

 private:
  static constexpr std::uint64_t kSlotBits = (std::uint64_t{1} << kSlots) - 1;
  using InputVcId = std::conditional_t<(kVcs <= 256), std::uint8_t, std::uint16_t>;
  static constexpr unsigned kPortsPerWord = 64 / kSlots;
  static constexpr std::ptrdiff_t kLine = 64;  // bytes of a line of the cache

  // Stage 1: every free output VC that is requested picks one requester. `winners` are those that have
  // a credit and so may cross in the next step.
  template <class Won>
  void allocate_output_vcs(const std::uint16_t* credits, BitMask<Words>& winners, Won&& won) {
    BitMask<Words> still_requested;
    requested_.for_each_common(free_, [&](unsigned wanted) {
      BitMask<Words>& requesters = requesters_[wanted];
      const unsigned winner = requesters.first_from(pointer_[wanted]);
      pointer_[wanted] = static_cast<InputVcId>((winner + 1) & (kVcs - 1));
      owner_[wanted] = static_cast<InputVcId>(winner);
      requesters.clear(winner);
      still_requested.set_if(wanted, requesters.any());
      winners.set_if(winner, credits[wanted] != 0);
      won(queues[winner].head);
    });
    // Each free VC that was requested has an owner now.
    const BitMask<Words> requested = requested_;
    requested_.remove(free_);
    requested_.merge(still_requested);
    free_.remove(requested);
  }

  // Stage 2: every input port nominates one flit, every output port picks one nomination.
  template <class Grant>
  void allocate_crossbar(Scratch& scratch, Grant&& grant) {
    PortMask wanted_outputs;
    for (unsigned word = 0; word < Words; ++word) {
      for (std::uint64_t bits = ready_.word(word); bits != 0;) {
        const unsigned in_word = static_cast<unsigned>(std::countr_zero(bits)) / kSlots;
        const std::uint64_t vcs = (bits >> (in_word * kSlots)) & kSlotBits;
        bits &= ~(kSlotBits << (in_word * kSlots));
        wanted_outputs.set(nominate(scratch, word * kPortsPerWord + in_word, vcs));
      }
    }
    wanted_outputs.for_each([&](unsigned port) {
      const unsigned from = scratch.nominations[port].first_from(output_pointer_[port]);
      scratch.nominations[port] = {};
      const unsigned input_vc = scratch.nominee[from];
      output_pointer_[port] = next_port(from);
      inputs[from].output_pointer = next_port(port);
      inputs[from].vc_pointer = static_cast<std::uint8_t>((input_vc + 1) & (kSlots - 1));
      grant(input_vc);
    });
  }

  static std::uint8_t next_port(unsigned port) {
    return static_cast<std::uint8_t>((port + 1) & (kPorts - 1));
  }

  // The output port that `input` nominates for, out of the ready VCs in `vcs`.
  unsigned nominate(Scratch& scratch, unsigned input, std::uint64_t vcs) {
    const unsigned base = input * kSlots;
    unsigned chosen = base + static_cast<unsigned>(std::countr_zero(vcs));
    if ((vcs & (vcs - 1)) != 0) chosen = base + choose_vc(input, vcs);
    scratch.nominee[input] = static_cast<std::uint16_t>(chosen);
    const unsigned port = wants_[chosen] / kSlots;
    scratch.nominations[port].set(input);
    return port;
  }

  // First output at or after the port's output pointer, then first VC at or after its VC pointer.
  unsigned choose_vc(unsigned input, std::uint64_t vcs) const {
    const InputPort& port = inputs[input];
    unsigned best = ~0U;
    unsigned chosen = 0;
    for (; vcs != 0; vcs &= vcs - 1) {
      const auto vc = static_cast<unsigned>(std::countr_zero(vcs));
      const unsigned output = wants_[input * kSlots + vc] / kSlots;
      const unsigned distance = (output - port.output_pointer) & (kPorts - 1);
      const unsigned rank = distance * kSlots + ((vc - port.vc_pointer) & (kSlots - 1));
      chosen = rank < best ? vc : chosen;
      best = rank < best ? rank : best;
    }
    return chosen;
  }

  BitMask<Words> ready_;  // input VCs whose head owns an output VC that has a credit
  BitMask<Words> requested_;  // output VCs with requesters
  BitMask<Words> free_;   // output VCs without owner
  std::array<std::uint8_t, kPorts> output_pointer_{};  // of output ports, over input ports
  std::array<OutputVcId, kVcs> wants_{};               // of the head of each input VC
  std::array<InputVcId, kVcs> pointer_{};              // of output VCs, over input VCs
  std::array<InputVcId, kVcs> owner_{};                // of output VCs that are not free
  std::array<BitMask<Words>, kVcs> requesters_{};          // of output VCs: input VCs without one
};

}  // namespace tvlb::sim
