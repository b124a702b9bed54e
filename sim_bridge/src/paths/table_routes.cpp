#include "table_routes.hpp"

#include <algorithm>
#include <ranges>

#include "interrupt.hpp"

namespace tvlb::sim {

TableRoutes::TableRoutes(const Network& network, std::span<const std::int32_t> links,
                         std::span<const std::uint8_t> layers)
    : network_(network), links_(links.begin(), links.end()), layers_(layers.begin(), layers.end()) {
  check();
  std::vector<int> hops(static_cast<std::size_t>(network.num_switches()));
  for (std::int32_t node = 0; node < network.num_nodes(); ++node) {
    check_interrupt();
    most_hops_ = std::max(most_hops_, longest_to(node, hops));
  }
}

void TableRoutes::check() const {
  const std::size_t entries = at(network_.num_nodes(), 0);
  if (links_.size() != entries || layers_.size() != entries) {
    throw std::invalid_argument("there is not one entry for every node and switch");
  }
  for (std::size_t entry = 0; entry < entries; ++entry) {
    const std::int32_t link = links_[entry];
    if (link == kAbsent) continue;
    const auto sw = static_cast<std::int32_t>(entry % static_cast<std::size_t>(network_.num_switches()));
    if (link < 0 || link >= network_.num_links() || network_.source(link) != sw) {
      throw std::invalid_argument("an entry names no link of its switch");
    }
  }
}

// Links of the longest route to a node from a switch with nodes. Every switch is passed once.
int TableRoutes::longest_to(std::int32_t node, std::vector<int>& hops) const {
  constexpr int kUnknown = -1;
  std::ranges::fill(hops, kUnknown);
  hops[static_cast<std::size_t>(network_.node_switch(node))] = 0;
  std::vector<std::size_t> way;
  int longest = 0;
  for (std::int32_t start = 0; start < network_.num_switches(); ++start) {
    if (network_.num_terminals(start) == 0) continue;
    std::int32_t sw = start;
    for (way.clear(); hops[static_cast<std::size_t>(sw)] == kUnknown;) {
      way.push_back(static_cast<std::size_t>(sw));
      const std::int32_t link = links_[at(node, sw)];
      if (link == kAbsent || way.size() > hops.size()) {
        throw std::invalid_argument("packets for node " + std::to_string(node) + " do not arrive");
      }
      sw = network_.target(link);
    }
    int taken = hops[static_cast<std::size_t>(sw)];
    for (const std::size_t passed : way | std::views::reverse) hops[passed] = ++taken;
    longest = std::max(longest, taken);
  }
  return longest;
}

void TableRoutes::each_route(auto&& visit) const {
  for (std::int32_t node = 0; node < network_.num_nodes(); ++node) {
    check_interrupt();
    for (std::int32_t sw = 0; sw < network_.num_switches(); ++sw) {
      if (network_.num_terminals(sw) > 0) visit(node, sw);
    }
  }
}

TableRoutes::Needs TableRoutes::needs(const vc::Table& vcs, std::span<const int> cycles) const {
  if (cycles.size() < network_.num_kinds()) throw std::invalid_argument("a kind has no cycles");
  Needs most;
  each_route([&](std::int32_t node, std::int32_t sw) {
    vc::Table::State state = 0;
    int taken = 0;
    follow(node, sw, [&](std::int32_t link) {
      const auto kind = network_.kind(static_cast<std::size_t>(link));
      const auto& step = vcs.step(state, kind, 0);
      most.vcs = std::max(most.vcs, step.first + 1);
      taken += cycles[kind];
      state = step.then;
    });
    most.cycles = std::max(most.cycles, taken);
  });
  return most;
}

void TableRoutes::add_dependencies(const vc::Table& vcs, int layers, int vc_count,
                                   vc::DependencyGraph& graph) const {
  constexpr auto kNone = static_cast<std::size_t>(kAbsent);
  const auto count = static_cast<std::size_t>(vc_count);
  if (layers < 1 || vc_count < 1 ||
      graph.channels() < static_cast<std::size_t>(network_.num_links()) * count) {
    throw std::invalid_argument("the graph has too few channels");
  }
  each_route([&](std::int32_t node, std::int32_t sw) {
    vc::Table::State state = 0;
    std::size_t held = kNone;
    const int base = std::min(layer(node, sw), layers - 1);
    follow(node, sw, [&](std::int32_t link) {
      const auto number = static_cast<std::size_t>(link);
      const auto& step = vcs.step(state, network_.kind(number), 0);
      const auto vc = static_cast<std::size_t>(base + step.first);
      const std::size_t wanted = number * count + std::min(vc, count - 1);
      if (held != kNone) {
        graph.add(static_cast<vc::DependencyGraph::Channel>(held),
                  static_cast<vc::DependencyGraph::Channel>(wanted));
      }
      held = wanted;
      state = step.then;
    });
  });
}

}  // namespace tvlb::sim
