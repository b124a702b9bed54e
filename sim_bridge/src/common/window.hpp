// The measured window.
#pragma once

#include <cstdint>

namespace tvlb::sim {

/// Cycles begin <= cycle < end.
struct Window {
  std::int32_t begin;
  std::int32_t end;

  [[nodiscard]] bool contains(std::int32_t cycle) const { return cycle >= begin && cycle < end; }
};

}  // namespace tvlb::sim
