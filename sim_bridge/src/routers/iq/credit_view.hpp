// What input-queued routers count of their links: credits in use.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "paths/candidates.hpp"
#include "vc/table.hpp"

namespace tvlb::sim {

/// The credit counters of all output VCs; see `Candidates`.
struct CreditView {
  static constexpr bool kHasPhases = false;

  CounterLayout layout;  // slots: a multiple of 4
  std::span<const std::uint16_t> credits;
  std::span<const std::uint16_t> in_transit;  // the same: flits that left within a round trip
  int buffer;                                 // credits of an idle VC

  [[nodiscard]] int of_port(std::uint32_t counter) const {
    const std::uint16_t* counters = &credits[counter];
    unsigned unused = sum_of_four(counters);
    for (int slot = 4; slot < layout.vc_slots; slot += 4) unused += sum_of_four(counters + slot);
    return layout.vc_slots * buffer - static_cast<int>(unused);
  }
  [[nodiscard]] int of_vc(std::uint32_t counter, const vc::Table::Step& step) const {
    return buffer - credits[counter + step.first];
  }
  [[nodiscard]] int waiting(std::uint32_t counter, const vc::Table::Step& step) const {
    return of_vc(counter, step) - in_transit[counter + step.first];
  }
  [[nodiscard]] bool room(std::uint32_t counter, int vc) const {
    return credits[counter + static_cast<unsigned>(vc)] > 0;
  }

 private:
  /// Sum of four 16-bit counters; each stays below 2^14.
  static unsigned sum_of_four(const std::uint16_t* counters) {
    std::uint64_t lanes = 0;
    std::memcpy(&lanes, counters, sizeof lanes);
    return static_cast<unsigned>((lanes * 0x0001000100010001ULL) >> 48U);
  }
};

}  // namespace tvlb::sim
