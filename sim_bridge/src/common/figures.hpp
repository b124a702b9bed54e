// What a run tells: figures, and what the Python side computes more figures from.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "trace.hpp"

namespace tvlb::sim {

/// The input buffer at the end of a link.
struct Buffer {
  std::int32_t link;
  std::int32_t vc;
};

using Figure = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                            std::vector<double>, std::vector<Trace>, std::vector<Buffer>>;
/// By name; what each is, and its unit, is declared in sim_bridge/routers/*/result.py.
using Figures = std::map<std::string, Figure>;

/// NaN where there is nothing to divide by.
[[nodiscard]] inline double ratio(std::int64_t numerator, std::int64_t denominator) {
  return denominator == 0 ? std::numeric_limits<double>::quiet_NaN()
                          : static_cast<double>(numerator) / static_cast<double>(denominator);
}

/// One of the sums of every interval.
template <class Sums>
[[nodiscard]] std::vector<std::int64_t> each(std::span<const Sums> intervals, std::int64_t Sums::*of) {
  std::vector<std::int64_t> values;
  for (const Sums& one : intervals) values.push_back(one.*of);
  return values;
}

}  // namespace tvlb::sim
