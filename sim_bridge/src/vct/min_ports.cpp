#include "min_ports.hpp"

#include <algorithm>
#include <bitset>
#include <stdexcept>
#include <string>

#include "../config.hpp"

namespace tvlb::sim::vct {
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

bool MinPorts::closes_circle(const Network& network, int global_kind) const {
  struct State {
    std::int32_t sw;
    bool passed_global;
  };
  const auto index = [](std::int32_t value) { return static_cast<std::size_t>(value); };
  const auto is_global = [&](const Link& link) { return link.kind == global_kind; };
  const auto number = [&](std::int32_t id, bool passed_global) {
    const bool is_own = passed_global && !is_global(network.link(id));
    return index(id + (is_own ? network.num_links() : 0));
  };
  // Of every held link by its number: ports that it is held for. Whether a global link was passed
  // follows from that number.
  std::vector<Ports> wanted(2 * index(network.num_links()));
  std::vector<State> states;
  std::vector<bool> seen;
  for (std::int32_t to = 0; to < network.num_switches(); ++to) {
    if (network.num_terminals(to) == 0) continue;
    states.clear();
    seen.assign(2 * switches_, false);
    const auto visit = [&](std::int32_t sw, bool passed_global) {
      const std::size_t at = 2 * index(sw) + (passed_global ? 1 : 0);
      if (sw == to || seen[at]) return;
      seen[at] = true;
      states.push_back({sw, passed_global});
    };
    for (std::int32_t sw = 0; sw < network.num_switches(); ++sw) {
      if (network.num_terminals(sw) > 0) visit(sw, false);
    }
    for (std::size_t i = 0; i < states.size(); ++i) {
      const auto [sw, passed_global] = states[i];
      for (const std::uint8_t port : (*this)(sw, to)) {
        const std::int32_t held = network.output_link(sw, port);
        const Link& link = network.link(held);
        if (link.target == to) continue;
        for (const std::uint8_t next : (*this)(link.target, to)) {
          wanted[number(held, passed_global)].set(next);
        }
        visit(link.target, passed_global || is_global(link));
      }
    }
  }
  // Links that none waits for are taken away one by one; what is left is on a circle or behind one.
  const auto for_each_wanted = [&](std::size_t place, auto&& visit) {
    const bool is_own = place >= index(network.num_links());
    const Link& link =
        network.link(static_cast<std::int32_t>(place) - (is_own ? network.num_links() : 0));
    for (std::int32_t port = 0; port < network.max_ports(); ++port) {
      if (!wanted[place][index(port)]) continue;
      visit(number(network.output_link(link.target, port), is_own || is_global(link)));
    }
  };
  std::vector<std::int32_t> waiting(wanted.size(), 0);
  for (std::size_t place = 0; place < wanted.size(); ++place) {
    for_each_wanted(place, [&](std::size_t then) { ++waiting[then]; });
  }
  std::vector<std::size_t> free;
  for (std::size_t place = 0; place < wanted.size(); ++place) {
    if (waiting[place] == 0) free.push_back(place);
  }
  for (std::size_t i = 0; i < free.size(); ++i) {
    for_each_wanted(free[i], [&](std::size_t then) {
      if (--waiting[then] == 0) free.push_back(then);
    });
  }
  return free.size() < wanted.size();
}

}  // namespace tvlb::sim::vct
