#include "min_ports.hpp"

#include <algorithm>
#include <bit>
#include <bitset>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/config.hpp"
#include "interrupt.hpp"

namespace tvlb::sim {
namespace {

constexpr std::int32_t kMostPaths = 10'000;  // of a pair

using Ports = std::bitset<kMaxPorts>;

}  // namespace

// Switches without nodes are only passed, so paths are followed from those that have some.
MinPorts::MinPorts(const Topology& network)
    : switches_(static_cast<std::size_t>(network.num_switches())) {
  std::vector<Ports> of_switch(switches_);
  const auto follow = [&](std::int32_t from, std::int32_t to) {
    const std::int32_t paths = network.min_paths(from, to);
    if (paths > kMostPaths) {
      throw std::invalid_argument("two switches have " + std::to_string(paths) +
                                  " MIN paths; at most " + std::to_string(kMostPaths) +
                                  " are followed hop by hop");
    }
    const int shortest = network.shortest_min(from, to).hops;
    for (std::int32_t position = 0; position < paths; ++position) {
      PathLinks links;
      network.append_min(links, from, network.min_name(from, to, position), to);
      if (links.count != shortest) continue;
      longest_ = std::max(longest_, links.count);
      for (const std::int32_t id : links.view()) {
        const Link& link = network.link(id);
        of_switch[static_cast<std::size_t>(link.source)].set(
            static_cast<std::size_t>(link.output_port));
      }
    }
  };
  for (std::int32_t to = 0; to < network.num_switches(); ++to) {
    check_interrupt();
    std::ranges::fill(of_switch, Ports{});
    if (network.num_terminals(to) > 0) {
      for (std::int32_t from = 0; from < network.num_switches(); ++from) {
        if (from != to && network.num_terminals(from) > 0) follow(from, to);
      }
    }
    for (const Ports& ports : of_switch) {
      for (std::size_t port = 0; port < ports.size(); ++port) {
        if (ports[port]) port_.push_back(static_cast<std::uint8_t>(port));
      }
      offset_.push_back(static_cast<std::int32_t>(port_.size()));
    }
  }
}

std::vector<Half> MinPorts::halves(const Network& network) const {
  constexpr std::size_t kMost = 64;
  std::vector<Half> known{Half{}};
  std::map<std::pair<std::uint8_t, int>, std::size_t> places;  // of a half, by its first link and the rest
  std::vector<std::uint64_t> reached;  // of every switch on the way to one, the halves on from there
  const auto behind = [&](std::uint8_t kind, std::uint64_t rest) {
    std::uint64_t found = 0;
    for (; rest != 0; rest &= rest - 1) {
      const int tail = std::countr_zero(rest);
      const auto [place, is_new] = places.try_emplace({kind, tail}, known.size());
      if (is_new) {
        Half half = known[static_cast<std::size_t>(tail)];
        half.insert(half.begin(), kind);
        known.push_back(std::move(half));
      }
      if (place->second < kMost) found |= std::uint64_t{1} << place->second;
    }
    return found;
  };
  const auto follow = [&](auto&& self, std::int32_t sw, std::int32_t to) -> std::uint64_t {
    std::uint64_t& found = reached[static_cast<std::size_t>(sw)];
    if (found != 0 || known.size() > kMost) return found;
    std::uint64_t sum = 0;
    for (const std::uint8_t port : (*this)(sw, to)) {
      const Link& link = network.link(network.output_link(sw, port));
      sum |= behind(link.kind, self(self, link.target, to));
    }
    return found = sum;
  };
  for (std::int32_t to = 0; to < network.num_switches() && known.size() <= kMost; ++to) {
    check_interrupt();
    if (network.num_terminals(to) == 0) continue;
    reached.assign(switches_, 0);
    reached[static_cast<std::size_t>(to)] = 1;
    for (std::int32_t sw = 0; sw < network.num_switches(); ++sw) {
      if (sw != to) follow(follow, sw, to);
    }
  }
  if (known.size() > kMost) return {};
  return {known.begin() + 1, known.end()};
}

void MinPorts::add_dependencies(const Network& network, const PhaseStates& states,
                                tvlb::vc::DependencyGraph& graph) const {
  struct At {
    std::int32_t sw;
    std::uint16_t state;
  };
  const std::size_t of_switch = states.then.size() / kMaxKinds;
  const auto channel = [&](std::int32_t link, std::size_t state) {
    const std::size_t part = states.part[state * kMaxKinds + network.link(link).kind];
    return static_cast<std::uint32_t>(static_cast<std::size_t>(link) * states.parts + part);
  };
  std::vector<At> reached;
  std::vector<bool> seen;
  for (std::int32_t to = 0; to < network.num_switches(); ++to) {
    check_interrupt();
    if (network.num_terminals(to) == 0) continue;
    reached.clear();
    seen.assign(of_switch * switches_, false);
    const auto visit = [&](std::int32_t sw, std::uint16_t state) {
      const std::size_t place = static_cast<std::size_t>(sw) * of_switch + state;
      if (sw == to || seen[place]) return;
      seen[place] = true;
      reached.push_back({sw, state});
    };
    for (std::int32_t sw = 0; sw < network.num_switches(); ++sw) {
      if (network.num_terminals(sw) == 0) continue;
      for (const auto state : states.starts) visit(sw, state);
    }
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const auto [sw, state] = reached[i];
      for (const std::uint8_t port : (*this)(sw, to)) {
        const std::int32_t held = network.output_link(sw, port);
        const Link& link = network.link(held);
        if (link.target == to) continue;
        const std::uint16_t then = states.then[state * kMaxKinds + link.kind];
        for (const std::uint8_t next : (*this)(link.target, to)) {
          graph.add(channel(held, state), channel(network.output_link(link.target, next), then));
        }
        visit(link.target, then);
      }
    }
  }
}

}  // namespace tvlb::sim
