// What a run tells: figures, and what the Python side computes more figures from.
#pragma once

#include <cstdint>
#include <map>
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

}  // namespace tvlb::sim
