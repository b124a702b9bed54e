// The paths that a route decision chooses between, and the queues that it sees on them.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "routers/iq/config.hpp"
#include "routers/iq/packet.hpp"
#include "common/rng.hpp"
#include "path_sampler.hpp"
#include "steering/rule.hpp"

namespace tvlb::sim {

/// Links of a path in order.
struct Path {
  std::array<std::int32_t, kMaxHops + 1> links;
  int hops = 0;

  void append_if(int link, bool wanted) {
    links[static_cast<std::size_t>(hops)] = link;
    hops += static_cast<int>(wanted);
  }
};

/// The credit counters of all output VCs, and how they are laid out.
struct CreditView {
  std::span<const std::uint16_t> credits;  // per (switch, port, VC slot)
  std::span<const std::uint16_t> in_transit;  // the same: flits that left within a round trip
  int ports_per_switch;
  int vc_slots;  // a multiple of 4
};

/// What route decisions need of one link, together.
struct Hop {
  std::int32_t source;
  std::int32_t target;
  std::uint32_t counter;  // VC slot 0 among the credit counters
  OutputVcId output_vc;   // VC slot 0 at its switch
  std::uint8_t kind;
};

/// Draws and follows the MIN paths of a family; see the specialisations. Switches named together are
/// different.
///
///     explicit MinPaths(const Family& network, std::span<const Hop> hops);
///     std::int32_t draw(int source, int target, Draws& draws) const;           // the name of one
///     std::int32_t draw_shortest(int source, int target, Draws& draws) const;  // of the shortest
///     int hops(int source, std::int32_t name, int target) const;
///     int first_link(int source, std::int32_t name, int target) const;
///     void append(Path& path, int source, std::int32_t name, int target) const;
///     bool revisable(int first_link) const;  // whether PAR may decide again behind that link
template <class Family>
class MinPaths;

/// What steerings see of input-queued routers: the paths that a family has for a head, and credit
/// counters, which it never changes.
template <class Family>
class Candidates : public NetworkView {
 public:
  Candidates(const Family& network, PathSamplers samplers, const Config& config,
             CreditView credits)
      : NetworkView(network),
        samplers_(samplers.begin(), samplers.end()),
        rule_(config.queue, config.ugal_rule == "two", config.vlb_factor, config.threshold,
              config.candidates),
        buffer_(config.buffer_flits),
        policy_(config.vcs),
        credits_(credits),
        all_credits_(credits.vc_slots * config.buffer_flits),
        hops_(all_hops()),
        min_(network, hops_) {}

  /// One draw each: of the MIN paths, of the shortest of these, from the path set of a level.
  [[nodiscard]] Candidate min(const Head& head, Draws& draws) const {
    return min_candidate(head, min_.draw(head.sw, head.target, draws));
  }
  [[nodiscard]] Candidate shortest(const Head& head, Draws& draws) const {
    return min_candidate(head, min_.draw_shortest(head.sw, head.target, draws));
  }
  [[nodiscard]] Candidate vlb(const Head& head, Draws& draws, int level = 0) const {
    const auto triple =
        samplers_[static_cast<std::size_t>(level)]->draw(head.sw, head.target, draws);
    if (!triple) return {};
    const auto& [via, first, second] = *triple;
    return {via, first, second, min_.hops(head.sw, first, via) + min_.hops(via, second, head.target)};
  }

  [[nodiscard]] int path_sets() const { return static_cast<int>(samplers_.size()); }
  /// Intervals of levels are of all cycles.
  [[nodiscard]] static bool holds_packets(std::int32_t) { return true; }

  /// Credits in use on an output port, and whether one of its VCs has some left.
  [[nodiscard]] int queue(std::int32_t sw, std::int32_t port) const {
    return in_use(counter(sw, port));
  }
  [[nodiscard]] bool room(std::int32_t sw, std::int32_t port, int vc) const {
    return credits_.credits[counter(sw, port) + static_cast<unsigned>(vc)] > 0;
  }

  [[nodiscard]] const Hop& hop(int link) const { return hops_[static_cast<std::size_t>(link)]; }
  [[nodiscard]] int first_link(const Head& head, const Candidate& candidate) const {
    const int end = candidate.intermediate < 0 ? head.target : candidate.intermediate;
    return min_.first_link(head.sw, candidate.first_half, end);
  }
  void append(Path& path, const Head& head, const Candidate& candidate) const {
    if (candidate.hops == 0) return;
    if (candidate.intermediate < 0) {
      min_.append(path, head.sw, candidate.first_half, head.target);
    } else {
      min_.append(path, head.sw, candidate.first_half, candidate.intermediate);
      min_.append(path, candidate.intermediate, candidate.second_half, head.target);
    }
  }

  /// Whether a packet on a MIN path may be decided on again at the second switch.
  [[nodiscard]] bool revisable(const Head& head, const Candidate& min) const {
    return min.hops > 1 && min_.revisable(first_link(head, min));
  }

  /// What the rule counts of the first links of both paths, and of all their links together.
  [[nodiscard]] Queues first_queues(const Head& head, const Candidate& min, const Candidate& vlb) const {
    const int first = first_link(head, min);
    const int other = first_link(head, vlb);
    const auto [of_min, of_vlb] = rule_.counted(first == other);
    return {queue_of(of_min, first, state_behind(head.taken)),
            queue_of(of_vlb, other, state_behind(head.taken))};
  }
  [[nodiscard]] Queues path_queues(const Head& head, const Candidate& min, const Candidate& vlb) const {
    const auto [of_min, of_vlb] = rule_.counted(first_link(head, min) == first_link(head, vlb));
    return {queue_of_path(of_min, head, min), queue_of_path(of_vlb, head, vlb)};
  }

  [[nodiscard]] const UgalRule& rule() const { return rule_; }

 private:
  [[nodiscard]] Candidate min_candidate(const Head& head, std::int32_t name) const {
    return {-1, name, -1, min_.hops(head.sw, name, head.target)};
  }
  /// VC slot 0 of a port among the credit counters.
  [[nodiscard]] std::uint32_t counter(std::int32_t sw, std::int32_t port) const {
    return static_cast<std::uint32_t>((sw * credits_.ports_per_switch + port) * credits_.vc_slots);
  }
  /// Credits in use on the port of a counter.
  [[nodiscard]] int in_use(std::uint32_t counter) const {
    const std::uint16_t* counters = &credits_.credits[counter];
    unsigned unused = sum_of_four(counters);
    for (int slot = 4; slot < credits_.vc_slots; slot += 4) unused += sum_of_four(counters + slot);
    return all_credits_ - static_cast<int>(unused);
  }
  /// Of the policy, for a packet that came by this link, or from a node.
  [[nodiscard]] vc::Table::State state_behind(int taken) const {
    return taken < 0 ? 0 : policy_.step(0, hop(taken).kind, 0).then;
  }
  [[nodiscard]] int queue_of(Queue what, int link, vc::Table::State state) const {
    if (what == Queue::port) return in_use(hop(link).counter);
    const std::size_t vc = hop(link).counter + policy_.step(state, hop(link).kind, 0).first;
    const int used = buffer_ - credits_.credits[vc];
    return what == Queue::vc ? used : used - credits_.in_transit[vc];
  }
  [[nodiscard]] int queue_of_path(Queue what, const Head& head, const Candidate& candidate) const {
    Path path;
    append(path, head, candidate);
    vc::Table::State state = state_behind(head.taken);
    int total = 0;
    for (int i = 0; i < path.hops; ++i) {
      const int link = path.links[static_cast<std::size_t>(i)];
      total += queue_of(what, link, state);
      if (what != Queue::port) state = policy_.step(state, hop(link).kind, 0).then;
    }
    return total;
  }
  /// Sum of four 16-bit counters; each stays below 2^14.
  static unsigned sum_of_four(const std::uint16_t* counters) {
    std::uint64_t lanes = 0;
    std::memcpy(&lanes, counters, sizeof lanes);
    return static_cast<unsigned>((lanes * 0x0001000100010001ULL) >> 48U);
  }
  [[nodiscard]] std::vector<Hop> all_hops() const {
    std::vector<Hop> out;
    out.reserve(static_cast<std::size_t>(network_.num_links()));
    for (const Link& link : network_.links()) {
      out.push_back({link.source, link.target, counter(link.source, link.output_port),
                     static_cast<OutputVcId>(link.output_port * credits_.vc_slots), link.kind});
    }
    return out;
  }

  std::vector<const PathSampler*> samplers_;
  UgalRule rule_;
  int buffer_;
  const vc::Table& policy_;
  CreditView credits_;
  int all_credits_;        // of the VC slots of an idle port
  std::vector<Hop> hops_;  // per link
  MinPaths<Family> min_;
};

}  // namespace tvlb::sim
