// One input-queued virtual-channel switch: its buffers, credits and the two-stage allocator. It
// knows ports and VCs only; topology, paths and links stay outside.
#pragma once

#include <array>
#include <cstdint>

#include "bits.hpp"
#include "packet.hpp"

namespace tvlb::sim {

inline constexpr std::uint16_t kNoInput = 0xFFFF;

/// FIFO of one (input port, VC): packets linked through Packet::next.
struct InputVc {
  std::int32_t head = -1;
  std::int32_t tail = -1;
  OutputVcId wants = 0;  // of the head packet
};

struct InputPort {
  std::int32_t next_credit_cycle = 0;  // a port sends one credit per cycle
  std::int32_t upstream = 0;           // its slot 0 among all output VCs, or among node credits
  std::int16_t credit_delay = 0;       // cycles from sending to use
  std::uint8_t output_pointer = 0;
  std::uint8_t vc_pointer = 0;
};

struct OutputPort {
  std::int32_t next_departure = 0;  // the output FIFO sends one flit per cycle
  std::int32_t downstream = -1;     // its slot 0 among all input VCs, -1 for a node
  std::int32_t flits = 0;           // granted so far
  std::int16_t flight_time = 0;     // cycles from departure to arrival
  std::uint8_t input_pointer = 0;
};

template <int Words>
struct OutputVc {
  BitMask<Words> askers;  // input VCs whose head wants this output VC and owns none
  std::uint16_t credits = 0;
  std::uint16_t owner = kNoInput;
  std::uint16_t pointer = 0;
};

/// `Words` mask words cover all (port, VC slot) pairs; `Slots` VC slots per port, a power of two.
/// Ports and VCs that a switch lacks never ask, so cyclic orders need not know its true size.
template <int Words, int Slots>
class Switch {
 public:
  static constexpr unsigned kSlots = Slots;
  static constexpr unsigned kVcs = BitMask<Words>::kBits;
  static constexpr unsigned kPorts = kVcs / kSlots;
  static constexpr int kPortWords = (kPorts + 63) / 64;

  std::array<InputVc, kVcs> input_vcs{};
  std::array<OutputVc<Words>, kVcs> output_vcs{};
  std::array<InputPort, kPorts> inputs{};
  std::array<OutputPort, kPorts> outputs{};

  [[nodiscard]] bool idle() const { return !ready_.any() && !askable_.any(); }

  [[nodiscard]] bool waits_for_vc(unsigned input) const {
    const InputVc& queue = input_vcs[input];
    return queue.head >= 0 && output_vcs[queue.wants].owner != input;
  }

  /// The head of `input` asks for `wanted` from the next step on.
  void ask(unsigned input, OutputVcId wanted) {
    input_vcs[input].wants = wanted;
    OutputVc<Words>& output = output_vcs[wanted];
    output.askers.set(input);
    if (output.owner == kNoInput) askable_.set(wanted);
  }

  void stop_asking(unsigned input) {
    const OutputVcId wanted = input_vcs[input].wants;
    output_vcs[wanted].askers.clear(input);
    if (!output_vcs[wanted].askers.any()) askable_.clear(wanted);
  }

  void add_credit(unsigned output_vc) {
    OutputVc<Words>& output = output_vcs[output_vc];
    if (output.credits++ == 0 && output.owner != kNoInput) ready_.set(output.owner);
  }

  /// One internal step: both stages decide on the state at its start, `grant(input VC)` runs for
  /// every flit that crosses, and the winners of stage 1 take effect last.
  template <class Grant>
  void step(Grant&& grant) {
    BitMask<Words> newly_ready;
    const bool any_win = askable_.any();
    if (any_win) allocate_output_vcs(newly_ready);
    if (ready_.any()) allocate_crossbar(grant);
    if (any_win) ready_.merge(newly_ready);
  }

  /// Takes the head of `input` out after its grant: frees the output VC, uses one credit. The
  /// caller makes the next packet ask.
  std::int32_t take(unsigned input) {
    InputVc& queue = input_vcs[input];
    OutputVc<Words>& output = output_vcs[queue.wants];
    ready_.clear(input);
    output.owner = kNoInput;
    --output.credits;
    if (output.askers.any()) askable_.set(queue.wants);
    return queue.head;
  }

 private:
  static constexpr std::uint64_t kSlotBits = (std::uint64_t{1} << kSlots) - 1;
  static constexpr unsigned kPortsPerWord = 64 / kSlots;

  // Stage 1: every free output VC that is asked for picks one asker.
  void allocate_output_vcs(BitMask<Words>& newly_ready) {
    askable_.for_each([&](unsigned wanted) {
      OutputVc<Words>& output = output_vcs[wanted];
      const unsigned winner = output.askers.first_from(output.pointer);
      output.pointer = static_cast<std::uint16_t>((winner + 1) & (kVcs - 1));
      output.askers.clear(winner);
      output.owner = static_cast<std::uint16_t>(winner);
      if (output.credits > 0) newly_ready.set(winner);
    });
    askable_ = {};
  }

  // Stage 2: every input port nominates one flit, every output port picks one nomination.
  template <class Grant>
  void allocate_crossbar(Grant&& grant) {
    BitMask<kPortWords> wanted_outputs;
    for (unsigned word = 0; word < Words; ++word) {
      for (std::uint64_t bits = ready_.word(word); bits != 0;) {
        const unsigned in_word = static_cast<unsigned>(std::countr_zero(bits)) / kSlots;
        const std::uint64_t vcs = (bits >> (in_word * kSlots)) & kSlotBits;
        bits &= ~(kSlotBits << (in_word * kSlots));
        wanted_outputs.set(nominate(word * kPortsPerWord + in_word, vcs));
      }
    }
    wanted_outputs.for_each([&](unsigned port) {
      OutputPort& output = outputs[port];
      const unsigned from = nominations_[port].first_from(output.input_pointer);
      nominations_[port] = {};
      const unsigned input_vc = nominee_[from];
      output.input_pointer = next_port(from);
      inputs[from].output_pointer = next_port(port);
      inputs[from].vc_pointer = static_cast<std::uint8_t>((input_vc + 1) & (kSlots - 1));
      grant(input_vc);
    });
  }

  static std::uint8_t next_port(unsigned port) {
    return static_cast<std::uint8_t>((port + 1) & (kPorts - 1));
  }

  // The output port that `input` nominates for, out of the ready VCs in `vcs`.
  unsigned nominate(unsigned input, std::uint64_t vcs) {
    const unsigned base = input * kSlots;
    unsigned chosen = base + static_cast<unsigned>(std::countr_zero(vcs));
    if ((vcs & (vcs - 1)) != 0) chosen = base + choose_vc(input, vcs);
    nominee_[input] = static_cast<std::uint16_t>(chosen);
    const unsigned port = input_vcs[chosen].wants / kSlots;
    nominations_[port].set(input);
    return port;
  }

  // First output at or after the port's output pointer, then first VC at or after its VC pointer.
  unsigned choose_vc(unsigned input, std::uint64_t vcs) const {
    const InputPort& port = inputs[input];
    unsigned best = ~0U;
    unsigned chosen = 0;
    for (; vcs != 0; vcs &= vcs - 1) {
      const auto vc = static_cast<unsigned>(std::countr_zero(vcs));
      const unsigned output = input_vcs[input * kSlots + vc].wants / kSlots;
      const unsigned distance = (output - port.output_pointer) & (kPorts - 1);
      const unsigned rank = distance * kSlots + ((vc - port.vc_pointer) & (kSlots - 1));
      if (rank < best) {
        best = rank;
        chosen = vc;
      }
    }
    return chosen;
  }

  BitMask<Words> ready_;    // input VCs whose head owns an output VC that has a credit
  BitMask<Words> askable_;  // output VCs that are free and asked for
  std::array<std::uint16_t, kPorts> nominee_{};
  std::array<BitMask<kPortWords>, kPorts> nominations_{};
};

}  // namespace tvlb::sim
