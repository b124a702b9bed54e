// The MIN paths that drawn paths are made of, whole, as proofs of freedom from deadlock look at them.
#pragma once

#include <vector>

#include "min_ports.hpp"
#include "topology.hpp"
#include "vc/dependency_graph.hpp"

namespace tvlb::sim {

class MinHalves {
 public:
  /// `decides_again`: packets may take the first link of a MIN path and a path from there.
  MinHalves(const Topology& network, bool decides_again) : network_(network), decides_again_(decides_again) {}

  /// Links of the longest one.
  [[nodiscard]] int longest() const { return network_.half_links(); }
  /// The kinds of their links in travel order.
  [[nodiscard]] std::vector<Half> halves() const {
    return {network_.halves().begin(), network_.halves().end()};
  }
  /// See `MinPorts`; where packets decide again, any link may be the first of a MIN path.
  void add_dependencies(const PhaseStates& states, tvlb::vc::DependencyGraph& graph) const;

 private:
  const Topology& network_;
  bool decides_again_;
};

}  // namespace tvlb::sim
