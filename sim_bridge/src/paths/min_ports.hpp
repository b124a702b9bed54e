// Output ports that lead a packet on along MIN paths, hop by hop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "topology.hpp"
#include "vc/dependency_graph.hpp"

namespace tvlb::sim {

/// What a policy of virtual channels does within a phase: of every state and kind of the next link, the
/// state behind it and which part of the VCs it may take. Parts share no VCs.
struct PhaseStates {
  std::span<const std::uint16_t> then;
  std::span<const std::uint16_t> part;
  std::size_t parts;
  std::span<const std::uint16_t> starts;  // states that packets begin the phase in
  bool begins = false;                    // whether it is their first one
};

/// Of every switch on the way to one with nodes: the ports that shortest MIN paths leave it by.
class MinPorts {
 public:
  /// Throws std::invalid_argument where a pair has too many MIN paths to follow each of them.
  explicit MinPorts(const Topology& network);

  /// For different switches.
  [[nodiscard]] std::span<const std::uint8_t> operator()(std::int32_t from, std::int32_t to) const {
    const std::size_t pair = static_cast<std::size_t>(to) * switches_ + static_cast<std::size_t>(from);
    const auto begin = static_cast<std::size_t>(offset_[pair]);
    return {port_.data() + begin, static_cast<std::size_t>(offset_[pair + 1]) - begin};
  }
  /// Links of the longest of these paths.
  [[nodiscard]] int longest() const { return longest_; }
  /// Links that these paths take from one switch to a different one.
  [[nodiscard]] int hops(const Network& network, std::int32_t from, std::int32_t to) const {
    int links = 0;
    for (; from != to; ++links) from = network.target(network.output_link(from, (*this)(from, to).front()));
    return links;
  }
  /// The kinds of the links of these paths in travel order, port by port from every switch on; none where
  /// there are more than 64.
  [[nodiscard]] std::vector<Half> halves(const Network& network) const;

  /// Adds what packets on these paths hold and wait for. A channel is a part of the VCs of a link, of
  /// number link * parts + part.
  void add_dependencies(const Network& network, const PhaseStates& states,
                        tvlb::vc::DependencyGraph& graph) const;

 private:
  std::size_t switches_;
  std::vector<std::int32_t> offset_{0};  // by source within target
  std::vector<std::uint8_t> port_;
  int longest_ = 0;
};

}  // namespace tvlb::sim
