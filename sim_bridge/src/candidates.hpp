// The paths that a route decision chooses between, and the queues that it sees on them.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "config.hpp"
#include "dragonfly/dragonfly.hpp"
#include "packet.hpp"
#include "rng.hpp"
#include "samplers.hpp"
#include "vc/scheme.hpp"

namespace tvlb::sim {

/// A MIN path (no intermediate) or a VLB path between two switches, as its draws name it.
struct Candidate {
  std::int32_t intermediate = -1;
  std::int32_t first_link = -1;   // global link of the only or first half; -1: local half
  std::int32_t second_link = -1;  // of the second half
  int hops = 0;                   // none: there is no such path
};

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
  int ports_per_switch;
  int vc_slots;  // 4 or 8
};

/// What route decisions need of one link, together.
struct Hop {
  std::int32_t source;
  std::int32_t target;
  std::uint32_t counter;  // VC slot 0 among the credit counters
  OutputVcId output_vc;   // VC slot 0 at its switch
  vc::Kind kind;
};

/// Reads the credit counters and never changes them. Switches named together are different.
class Candidates {
 public:
  Candidates(const Dragonfly& network, const PathSampler& sampler, const Config& config,
             CreditView credits);

  /// One draw each: through a uniform global link, through one of a shortest path, from the set.
  [[nodiscard]] Candidate min(int source, int target, Draws& draws) const;
  [[nodiscard]] Candidate shortest(int source, int target, Draws& draws) const;
  [[nodiscard]] Candidate vlb(int source, int target, Draws& draws) const;

  [[nodiscard]] const Hop& hop(int link) const { return hops_[static_cast<std::size_t>(link)]; }
  [[nodiscard]] int first_link(int source, int target, const Candidate& candidate) const;
  void append(Path& path, int source, int target, const Candidate& candidate) const;

  /// Credits in use on the output port of the first link, and on those of all links together.
  [[nodiscard]] int first_queue(int source, int target, const Candidate& candidate) const;
  [[nodiscard]] int sum_of_queues(int source, int target, const Candidate& candidate) const;

  /// T: how much a UGAL comparison favours MIN, flits.
  [[nodiscard]] int threshold() const { return threshold_; }

 private:
  /// Of the MIN path through `global_link`; -1 is the local link of two switches of one group.
  [[nodiscard]] int half_hops(int source, int target, int global_link) const;
  void append_half(Path& path, int source, int target, int global_link) const;
  /// Credits in use on the link's output port.
  [[nodiscard]] int queue_of(int link) const;
  /// Sum of four 16-bit counters; each stays below 2^14.
  static unsigned sum_of_four(const std::uint16_t* counters) {
    std::uint64_t lanes = 0;
    std::memcpy(&lanes, counters, sizeof lanes);
    return static_cast<unsigned>((lanes * 0x0001000100010001ULL) >> 48U);
  }

  const Dragonfly& network_;
  const PathSampler& sampler_;
  int threshold_;
  CreditView credits_;
  int all_credits_;        // of the VC slots of an idle port
  std::vector<Hop> hops_;  // per link
};

// ---- Inline, since every decision asks --------------------------------------------------------

inline int Candidates::half_hops(int source, int target, int global_link) const {
  if (global_link < 0) return 1;
  const Hop& global = hop(global_link);
  return 1 + static_cast<int>(global.source != source) + static_cast<int>(global.target != target);
}

inline int Candidates::first_link(int source, int target, const Candidate& candidate) const {
  const int global = candidate.first_link;
  const int end = candidate.intermediate < 0 ? target : candidate.intermediate;
  if (global < 0) return network_.local_link(source, end);
  const int exit = hop(global).source;
  return exit == source ? global : network_.local_link(source, exit);
}

inline Candidate Candidates::min(int source, int target, Draws& draws) const {
  const int from = network_.group(source);
  const int to = network_.group(target);
  if (from == to) return {-1, -1, -1, 1};
  const auto links = network_.global_links(from, to);
  if (links.empty()) return {};
  const int link = links[draws.below(static_cast<std::uint32_t>(links.size()))];
  return {-1, link, -1, half_hops(source, target, link)};
}

inline int Candidates::queue_of(int link) const {
  const std::uint16_t* counters = &credits_.credits[hop(link).counter];
  unsigned unused = sum_of_four(counters);
  if (credits_.vc_slots == 8) unused += sum_of_four(counters + 4);
  return all_credits_ - static_cast<int>(unused);
}

inline int Candidates::first_queue(int source, int target, const Candidate& candidate) const {
  return queue_of(first_link(source, target, candidate));
}

}  // namespace tvlb::sim
