#include "sources.hpp"

#include <map>

namespace tvlb::sim {

Sources::Sources(const Traffic& traffic, const Config& config) {
  std::map<double, std::uint32_t> gaps_of_rate;
  nodes_.reserve(static_cast<std::size_t>(traffic.num_nodes()));
  for (int id = 0; id < traffic.num_nodes(); ++id) {
    const double rate = config.load * traffic.rate(id);
    const auto next = static_cast<std::uint32_t>(gaps_.size());
    const auto [gaps, is_new] = gaps_of_rate.try_emplace(rate, next);
    if (is_new) gaps_.emplace_back(rate);
    const auto key = static_cast<std::uint64_t>(id);
    nodes_.push_back({gaps->second, Stream(config.seed, Purpose::generation, key),
                      Stream(config.seed, Purpose::destination, key),
                      Stream(config.seed, Purpose::route, key)});
    advance(nodes_.back());
    wake(id, nodes_.back().oldest, 0);
  }
}

}  // namespace tvlb::sim
