#include "routing.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace tvlb::sim {
namespace {

// Inside a function, so that it is there before the first registration, whatever the order of files.
std::vector<Routing>& registry() {
  static std::vector<Routing> all;
  return all;
}

}  // namespace

std::span<const Routing> routings() { return registry(); }

const Routing& routing(std::string_view name) {
  const auto found = std::ranges::find(registry(), name, &Routing::name);
  if (found == registry().end()) throw std::invalid_argument("no routing " + std::string(name));
  return *found;
}

void add(const Routing& routing) {
  const auto order = [](const Routing& one) { return std::tuple(one.place, one.name); };
  registry().insert(std::ranges::upper_bound(registry(), order(routing), {}, order), routing);
}

}  // namespace tvlb::sim
