// The paths that a route decision chooses between, and the queues that it sees on them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "routers/iq/packet.hpp"
#include "common/rng.hpp"
#include "path_sampler.hpp"
#include "steering/rule.hpp"
#include "vc/table.hpp"

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

/// How counters of the output VCs of all switches are laid out: per (switch, port, VC slot).
struct CounterLayout {
  int ports_per_switch;
  int vc_slots;
};

/// What route decisions need of one link, together.
struct Hop {
  std::int32_t source;
  std::int32_t target;
  std::uint32_t counter;  // VC slot 0 among the counters of all switches
  OutputVcId output_vc;   // VC slot 0 at its switch
  std::uint8_t kind;
  std::uint8_t port;
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
///     static constexpr bool kRevisesInGroup = true;  // if that is in the source's group alone
template <class Family>
class MinPaths;

/// What steerings see of routers whose packets follow drawn paths: the paths that a family has for a
/// head, and what a router counts of its links, which it never changes:
///
///     CounterLayout layout;
///     static constexpr bool kHasPhases;       // whether VCs depend on the intermediate being passed
///     int of_port(std::uint32_t counter) const;  // credits in use of the port of a `Hop::counter`
///     int of_vc(std::uint32_t counter, const vc::Table::Step& step) const;  // of the VC that a packet
///         // which may take those of the step would take
///     int waiting(std::uint32_t counter, const vc::Table::Step& step) const;  // the same, without those
///         // of what left within the last round trip
///     bool room(std::uint32_t counter, int vc) const;  // whether a VC takes another packet
template <class Family, class Counters>
class Candidates : public NetworkView {
 public:
  Candidates(const Family& network, PathSamplers samplers, const auto& config, Counters counters)
      : NetworkView(network),
        samplers_(samplers.begin(), samplers.end()),
        rule_(config.queue, config.ugal_rule == "two", config.vlb_factor, config.threshold,
              config.candidates),
        policy_(config.vcs),
        counters_(counters),
        hops_(all_hops()),
        min_(network, hops_) {}

  /// One draw each: of the MIN paths, of the shortest of these, from the path set of a level, and of
  /// the MIN and VLB paths of a split.
  [[nodiscard]] Candidate min(const Head& head, Draws& draws) const {
    return min_candidate(head, min_.draw(head.sw, head.target, draws));
  }
  [[nodiscard]] Candidate shortest(const Head& head, Draws& draws) const {
    return min_candidate(head, min_.draw_shortest(head.sw, head.target, draws));
  }
  [[nodiscard]] Candidate vlb(const Head& head, Draws& draws, int level = 0) const {
    const auto triple =
        samplers_[static_cast<std::size_t>(level)]->draw(head.sw, head.target, draws);
    return triple ? vlb_candidate(head, *triple) : Candidate{};
  }
  [[nodiscard]] Candidate of_split(const Head& head, Draws& draws) const {
    const auto triple = samplers_.front()->draw(head.sw, head.target, draws);
    if (!triple) return {};
    return triple->intermediate < 0 ? min_candidate(head, triple->first_half)
                                    : vlb_candidate(head, *triple);
  }

  [[nodiscard]] int path_sets() const { return static_cast<int>(samplers_.size()); }
  /// Intervals of levels are of all cycles.
  [[nodiscard]] static bool holds_packets(std::int32_t) { return true; }

  /// Credits in use on an output port, and whether one of its VCs has some left.
  [[nodiscard]] int queue(std::int32_t sw, std::int32_t port) const {
    return counters_.of_port(counter(sw, port));
  }
  [[nodiscard]] bool room(std::int32_t sw, std::int32_t port, int vc) const {
    return counters_.room(counter(sw, port), vc);
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
  [[nodiscard]] Candidate vlb_candidate(const Head& head, const Triple& path) const {
    const auto& [via, first, second] = path;
    return {via, first, second, min_.hops(head.sw, first, via) + min_.hops(via, second, head.target)};
  }
  /// VC slot 0 of a port among the counters.
  [[nodiscard]] std::uint32_t counter(std::int32_t sw, std::int32_t port) const {
    return static_cast<std::uint32_t>((sw * counters_.layout.ports_per_switch + port) *
                                      counters_.layout.vc_slots);
  }
  /// Of the policy, for a packet that came by this link, or from a node.
  [[nodiscard]] vc::Table::State state_behind(int taken) const {
    return taken < 0 ? 0 : policy_.step(0, hop(taken).kind, 0).then;
  }
  [[nodiscard]] int queue_of(Queue what, int link, vc::Table::State state, std::size_t phase = 0) const {
    if (what == Queue::port) return counters_.of_port(hop(link).counter);
    const auto& step = policy_.step(state, hop(link).kind, phase);
    return what == Queue::vc ? counters_.of_vc(hop(link).counter, step)
                             : counters_.waiting(hop(link).counter, step);
  }
  [[nodiscard]] int queue_of_path(Queue what, const Head& head, const Candidate& candidate) const {
    Path path;
    append(path, head, candidate);
    vc::Table::State state = state_behind(head.taken);
    int total = 0;
    bool is_behind = false;  // its intermediate
    for (int i = 0; i < path.hops; ++i) {
      const int link = path.links[static_cast<std::size_t>(i)];
      const std::size_t phase = Counters::kHasPhases && is_behind;
      total += queue_of(what, link, state, phase);
      if (what == Queue::port) continue;
      state = policy_.step(state, hop(link).kind, phase).then;
      is_behind = is_behind || hop(link).target == candidate.intermediate;
    }
    return total;
  }
  [[nodiscard]] std::vector<Hop> all_hops() const {
    std::vector<Hop> out;
    out.reserve(static_cast<std::size_t>(network_.num_links()));
    for (const Link& link : network_.links()) {
      out.push_back({link.source, link.target, counter(link.source, link.output_port),
                     static_cast<OutputVcId>(link.output_port * counters_.layout.vc_slots), link.kind,
                     static_cast<std::uint8_t>(link.output_port)});
    }
    return out;
  }

  std::vector<const PathSampler*> samplers_;
  UgalRule rule_;
  const vc::Table& policy_;
  Counters counters_;
  std::vector<Hop> hops_;  // per link
  MinPaths<Family> min_;
};

}  // namespace tvlb::sim
