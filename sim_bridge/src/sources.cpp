#include "sources.hpp"

namespace tvlb::sim {

Sources::Sources(const Traffic& traffic, const Config& config) {
  nodes_.reserve(static_cast<std::size_t>(traffic.num_nodes()));
  for (int id = 0; id < traffic.num_nodes(); ++id) {
    const auto key = static_cast<std::uint64_t>(id);
    nodes_.push_back({GeometricGaps(config.load * traffic.rate(id)),
                      Stream(config.seed, Purpose::generation, key),
                      Stream(config.seed, Purpose::destination, key),
                      Stream(config.seed, Purpose::route, key)});
    advance(nodes_.back());
    wake(id, nodes_.back().oldest, 0);
  }
}

}  // namespace tvlb::sim
