// The global cables of the absolute arrangement.
#pragma once

#include <cstdint>
#include <vector>

namespace tvlb {

// Ends of each cable in turn, as switch ids. Walks a cursor over the switches that is never reset:
// Rahman et al., SC'19, section 2.1.
[[nodiscard]] std::vector<std::int32_t> absolute_cables(std::int32_t switches_per_group,
                                                        std::int32_t global_ports,
                                                        std::int32_t groups);

}  // namespace tvlb
