// Piggyback: a detour where the MIN path is congested, at its first port or, as the switches of a group tell
// each other, at its global link. Jiang et al., Indirect adaptive routing on large scale interconnection
// networks, ISCA'09; Benito et al., JPDC 2019, section 4.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "groups.hpp"
#include "paths/min_ports.hpp"
#include "steering/interface.hpp"

namespace tvlb::sim {

/// `Detour` says what a packet goes by if not MIN; behind its arguments are those of Piggyback.
template <class Detour>
class Piggyback {
 public:
  explicit Piggyback(const Setup& setup)
      : detour_(setup),
        groups_(setup.network),
        network_(setup.network),
        flag_percent_(setup.arguments[Detour::kArguments]),
        flag_packets_(setup.arguments[Detour::kArguments + 1]),
        bias_packets_(setup.arguments[Detour::kArguments + 2]),
        flags_(static_cast<std::size_t>(network_.num_links()), 0) {
    for (std::int32_t sw = 0; sw < network_.num_switches(); ++sw) {
      ports_.emplace_back();
      for (std::int32_t position = 0; position < network_.num_leaving(sw); ++position) {
        const std::int32_t link = network_.leaving(sw, position).link;
        if (is_global(link)) ports_.back().push_back(link);
      }
    }
  }

  static std::vector<Parameter> parameters(std::vector<Parameter> of_detour) {
    of_detour.insert(of_detour.end(), {Parameter::number("cg", 120, 0, 100'000),
                                       Parameter::number("tg", 5, 0, 10'000),
                                       Parameter::number("t", 0, -10'000, 10'000)});
    return of_detour;
  }

  Choice attempt(const auto& view, const Head& head, Draws& draws) {
    Choice choice = detour_.attempt(view, head, draws);
    if (head.sw == head.target) {
      choice.vlb = false;
      return choice;
    }
    const std::int32_t min = draw_port(view, head.sw, head.target, draws);
    const std::int32_t via = choice.path.intermediate;
    choice.port = static_cast<std::int16_t>(min);
    if (!choice.vlb) return choice;
    const std::int32_t first = draw_port(view, head.sw, via, draws);
    const auto cost = [&](std::int32_t port, int hops) {
      return view.used(head.sw, port, view.first_vc(head.sw, port)) * hops;
    };
    const MinPorts& paths = view.min_ports();
    const int min_hops = paths.hops(network_, head.sw, head.target);
    const int hops = paths.hops(network_, head.sw, via) + paths.hops(network_, via, head.target);
    choice.vlb = cost(min, min_hops) > cost(first, hops) + bias_packets_ * view.packet_phits() ||
                 is_flagged(view, head, min);
    if (choice.vlb) choice.port = static_cast<std::int16_t>(first);
    return choice;
  }
  void tick(const auto& view, std::int32_t cycle) {
    if constexpr (requires { detour_.tick(view, cycle); }) detour_.tick(view, cycle);
    cycle_ = cycle;
    const std::size_t span = static_cast<std::size_t>(view.latency(kLocal)) + 1;
    if (history_.size() != span) history_.assign(span, flags_);
    for (std::int32_t sw = 0; sw < network_.num_switches(); ++sw) {
      if (view.holds_packets(sw)) flag(view, sw);
    }
    history_[static_cast<std::size_t>(cycle) % span] = flags_;
  }
  [[nodiscard]] auto levels() const
    requires requires(const Detour& detour) { detour.levels(); }
  {
    return detour_.levels();
  }

 private:
  static constexpr int kLocal = 0;
  static constexpr int kGlobalVcs = 2;

  [[nodiscard]] bool is_global(std::int32_t link) const {
    return groups_.of(network_.source(link)) != groups_.of(network_.target(link));
  }
  static std::int32_t draw_port(const auto& view, std::int32_t sw, std::int32_t to, Draws& draws) {
    const auto ports = view.min_ports()(sw, to);
    return ports[ports.size() > 1 ? draws.below(static_cast<std::uint32_t>(ports.size())) : 0];
  }
  void flag(const auto& view, std::int32_t sw) {
    const std::vector<std::int32_t>& links = ports_[static_cast<std::size_t>(sw)];
    std::int64_t sum = 0;
    const auto used = [&](std::int32_t link) {
      std::int64_t phits = 0;
      for (int vc = 0; vc < kGlobalVcs; ++vc) phits += view.used(sw, network_.link(link).output_port, vc);
      return phits;
    };
    for (const std::int32_t link : links) sum += used(link);
    const auto count = static_cast<std::int64_t>(links.size()) * kGlobalVcs;
    for (const std::int32_t link : links) {
      const std::int64_t most = flag_percent_ * sum / (100 * count) + flag_packets_ * view.packet_phits();
      flags_[static_cast<std::size_t>(link)] = used(link) > most * kGlobalVcs;
    }
  }
  // The global link of the MIN path; by the port of lowest number where a group mate has several.
  [[nodiscard]] bool is_flagged(const auto& view, const Head& head, std::int32_t port) const {
    if (groups_.of(head.sw) == groups_.of(head.target)) return false;
    std::int32_t link = network_.output_link(head.sw, port);
    if (is_global(link)) return flags_[static_cast<std::size_t>(link)] != 0;
    const std::int32_t mate = network_.target(link);
    link = network_.output_link(mate, view.min_ports()(mate, head.target).front());
    // What its switch told when it was sent.
    const std::size_t span = history_.size();
    return history_[(static_cast<std::size_t>(cycle_) + 1) % span][static_cast<std::size_t>(link)] != 0;
  }

  Detour detour_;
  Groups groups_;
  const Topology& network_;
  std::int64_t flag_percent_;
  int flag_packets_;
  int bias_packets_;
  std::vector<std::vector<std::int32_t>> ports_;      // per switch: global links
  std::vector<std::uint8_t> flags_;                   // per link
  std::vector<std::vector<std::uint8_t>> history_;    // the flags of the last cycles, by cycle
  std::int32_t cycle_ = 0;
};

}  // namespace tvlb::sim
