// UGAL's comparison of a MIN path with VLB paths: what is counted of either, and which is taken.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "steering/interface.hpp"

namespace tvlb::sim {

/// Which credits in use are the queue of a link.
enum class Queue : std::uint8_t {
  port,
  vc,       // of the VC that the packet would take
  waiting,  // of that VC, without those of flits that left by it within the last round trip
};

/// What is counted of a MIN and of a VLB path, flits.
struct Queues {
  int min;
  int vlb;
};

class UgalRule {
 public:
  /// `queue` is the name of a queue, of two for MIN and VLB with a stroke between, or hybrid.
  UgalRule(std::string_view queue, bool doubles, double factor, int threshold, int candidates)
      : min_(named(queue.substr(0, queue.find('/')))),
        vlb_(named(queue.substr(queue.find('/') + 1))),
        hybrid_(queue == "hybrid"),
        doubles_(doubles),
        factor_(factor),
        threshold_(threshold),
        candidates_(candidates) {}

  /// What is counted of MIN and of VLB; whether both leave by one port tells what a hybrid counts.
  struct Counted {
    Queue min;
    Queue vlb;
  };
  [[nodiscard]] Counted counted(bool one_port) const {
    if (hybrid_ && one_port) return {Queue::vc, Queue::vc};
    return {min_, vlb_};
  }
  /// VLB paths drawn for a decision.
  [[nodiscard]] int candidates() const { return candidates_; }

  /// By how much MIN's queue exceeds that of VLB, which is taken where that is above 0: queues times
  /// hops, or VLB's times two; of whole paths without either.
  [[nodiscard]] double excess(const Queues& queues, const Candidate& min, const Candidate& vlb) const {
    if (doubles_) return beyond(queues.min, 2 * queues.vlb);
    return beyond(queues.min * min.hops, queues.vlb * vlb.hops);
  }
  [[nodiscard]] double excess(const Queues& of_paths) const { return beyond(of_paths.min, of_paths.vlb); }

 private:
  static Queue named(std::string_view name) {
    return name == "vc" ? Queue::vc : name == "waiting" ? Queue::waiting : Queue::port;
  }
  [[nodiscard]] double beyond(int min, int vlb) const { return min - (factor_ * vlb + threshold_); }

  Queue min_;
  Queue vlb_;
  bool hybrid_;
  bool doubles_;
  double factor_;
  int threshold_;
  int candidates_;
};

}  // namespace tvlb::sim
