#include "network.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "config.hpp"

namespace tvlb::sim {
namespace {

[[noreturn]] void reject(const std::string& what) { throw std::invalid_argument(what); }

bool within(std::span<const std::int32_t> values, int bound) {
  return std::ranges::all_of(values, [bound](int v) { return v >= 0 && v < bound; });
}

}  // namespace

Network::Network(const Wiring& wiring)
    : num_switches_(wiring.num_switches),
      node_switch_(wiring.node_switch.begin(), wiring.node_switch.end()),
      switch_group_(wiring.switch_group.begin(), wiring.switch_group.end()),
      group_link_offset_(wiring.group_link_offset.begin(), wiring.group_link_offset.end()),
      group_links_(wiring.group_links.begin(), wiring.group_links.end()) {
  if (num_switches_ < 1 || switch_group_.size() != index(num_switches_)) {
    reject("switch_group must have one entry per switch");
  }
  num_groups_ = *std::ranges::max_element(switch_group_) + 1;
  group_size_ = num_switches_ / std::max(num_groups_, 1);
  check(wiring);
  number_terminals();
  number_ports(wiring);
  index_ports();
  index_local_links();
}

void Network::check(const Wiring& wiring) const {
  for (int sw = 0; sw < num_switches_; ++sw) {
    if (group(sw) != sw / group_size_) reject("groups must be equal runs of consecutive switches");
  }
  if (!within(wiring.node_switch, num_switches_) || !std::ranges::is_sorted(wiring.node_switch)) {
    reject("node_switch must be ascending switch ids");
  }
  const std::size_t links = wiring.link_source.size();
  if (wiring.link_target.size() != links || wiring.link_kind.size() != links) {
    reject("link arrays must have equal lengths");
  }
  if (!within(wiring.link_source, num_switches_) || !within(wiring.link_target, num_switches_)) {
    reject("link ends must be switch ids");
  }
  if (group_link_offset_.size() != index(num_groups_ * num_groups_) + 1 ||
      !std::ranges::is_sorted(group_link_offset_) || group_link_offset_.front() != 0 ||
      index(group_link_offset_.back()) != group_links_.size() ||
      !within(group_links_, static_cast<int>(links))) {
    reject("group_link_offset and group_links do not describe the global links");
  }
}

void Network::number_terminals() {
  first_node_.assign(index(num_switches_) + 1, 0);
  for (const int sw : node_switch_) ++first_node_[index(sw) + 1];
  for (int sw = 0; sw < num_switches_; ++sw) first_node_[index(sw) + 1] += first_node_[index(sw)];
}

// Ports of a switch: its nodes first, then its links in link order (local before global).
void Network::number_ports(const Wiring& wiring) {
  std::vector<int> outputs(index(num_switches_));
  for (int sw = 0; sw < num_switches_; ++sw) outputs[index(sw)] = num_terminals(sw);
  std::vector<int> inputs = outputs;
  links_.reserve(wiring.link_source.size());
  for (std::size_t i = 0; i < wiring.link_source.size(); ++i) {
    const int source = wiring.link_source[i];
    const int target = wiring.link_target[i];
    const int output = outputs[index(source)]++;
    const int input = inputs[index(target)]++;
    if (std::max(output, input) >= kMaxPorts) {
      reject("a switch has more than " + std::to_string(kMaxPorts) + " ports");
    }
    links_.push_back({source, target, wiring.link_kind[i] == 0 ? LinkKind::local : LinkKind::global,
                      static_cast<std::uint8_t>(output), static_cast<std::uint8_t>(input)});
  }
  max_ports_ = std::max(*std::ranges::max_element(outputs), *std::ranges::max_element(inputs));
  if (max_ports_ > kMaxPorts) reject("a switch has more than 128 ports");
}

void Network::index_ports() {
  output_link_.assign(port_index(num_switches_, 0), -1);
  input_link_ = output_link_;
  for (int id = 0; id < num_links(); ++id) {
    output_link_[port_index(link(id).source, link(id).output_port)] = id;
    input_link_[port_index(link(id).target, link(id).input_port)] = id;
  }
}

void Network::index_local_links() {
  member_.reserve(index(num_switches_));
  for (int sw = 0; sw < num_switches_; ++sw) member_.push_back(sw % group_size_);
  local_link_.assign(index(num_switches_ * group_size_), -1);
  for (int id = 0; id < num_links(); ++id) {
    const Link& wire = link(id);
    if (wire.kind == LinkKind::global) continue;
    if (group(wire.source) != group(wire.target)) reject("a local link joins two groups");
    local_link_[index(wire.source * group_size_ + wire.target % group_size_)] = id;
  }
  for (int sw = 0; sw < num_switches_; ++sw) {
    for (int other = 0; other < group_size_; ++other) {
      if (other == sw % group_size_) continue;
      if (local_link_[index(sw * group_size_ + other)] < 0) {
        reject("the switches of a group must be joined pairwise by local links");
      }
    }
  }
}

std::vector<std::uint8_t> shortest_min_distances(const Network& network) {
  const int switches = network.num_switches();
  std::vector<std::uint8_t> distances(static_cast<std::size_t>(switches) *
                                      static_cast<std::size_t>(switches));
  std::size_t cell = 0;
  for (int from = 0; from < switches; ++from) {
    for (int to = 0; to < switches; ++to, ++cell) {
      if (network.group(from) == network.group(to)) {
        distances[cell] = static_cast<std::uint8_t>(from != to);
        continue;
      }
      int best = kUnreachable;
      for (const int id : network.global_links(network.group(from), network.group(to))) {
        best = std::min(best, min_path_hops(network.link(id), from, to));
      }
      distances[cell] = static_cast<std::uint8_t>(best);
    }
  }
  return distances;
}

}  // namespace tvlb::sim
