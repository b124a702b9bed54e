#include "min_halves.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "interrupt.hpp"

namespace tvlb::sim {

void MinHalves::add_dependencies(const PhaseStates& states, tvlb::vc::DependencyGraph& graph) const {
  const auto place = [&](std::int32_t link, std::uint16_t state) {
    return state * kMaxKinds + network_.link(link).kind;
  };
  const auto channel = [&](std::int32_t link, std::uint16_t state) {
    const std::size_t part = states.part[place(link, state)];
    return static_cast<std::uint32_t>(static_cast<std::size_t>(link) * states.parts + part);
  };
  // Most paths only repeat what others have shown.
  const auto ports = static_cast<std::size_t>(network_.max_ports());
  const std::size_t count = states.then.size() / kMaxKinds;
  std::vector<bool> known(static_cast<std::size_t>(network_.num_links()) * ports * count);
  const auto follow = [&](std::span<const std::int32_t> links, std::uint16_t state) {
    for (std::size_t i = 0; i + 1 < links.size(); ++i) {
      const std::uint16_t then = states.then[place(links[i], state)];
      const std::size_t step =
          static_cast<std::size_t>(links[i]) * ports + network_.link(links[i + 1]).output_port;
      if (!known[step * count + state]) {
        known[step * count + state] = true;
        graph.add(channel(links[i], state), channel(links[i + 1], then));
      }
      state = then;
    }
  };
  const auto follow_all = [&](std::int32_t from, std::span<const std::uint16_t> starts) {
    for (std::int32_t to = 0; to < network_.num_switches(); ++to) {
      if (from == to || network_.num_terminals(to) == 0) continue;
      const std::int32_t paths = network_.min_paths(from, to);
      for (std::int32_t position = 0; position < paths; ++position) {
        PathLinks links;
        network_.append_min(links, from, network_.min_name(from, to, position), to);
        for (const auto state : starts) follow(links.view(), state);
      }
    }
  };
  std::vector<std::uint16_t> starts(states.starts.begin(), states.starts.end());
  const bool has_first_links = decides_again_ && states.begins;
  if (has_first_links) {
    // Whatever its kind.
    for (std::size_t kind = 0; kind < kMaxKinds; ++kind) starts.push_back(states.then[kind]);
    std::ranges::sort(starts);
    starts.erase(std::ranges::unique(starts).begin(), starts.end());
  }
  for (std::int32_t from = 0; from < network_.num_switches(); ++from) {
    check_interrupt();
    if (network_.num_terminals(from) > 0) follow_all(from, starts);
  }
  if (!has_first_links) return;
  for (std::int32_t first = 0; first < network_.num_links(); ++first) {
    const std::int32_t second = network_.link(first).target;
    for (std::int32_t port = network_.num_terminals(second); port < network_.max_ports(); ++port) {
      const std::int32_t next = network_.output_link(second, port);
      if (next >= 0) graph.add(channel(first, 0), channel(next, states.then[place(first, 0)]));
    }
  }
}

}  // namespace tvlb::sim
