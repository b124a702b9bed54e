// Detours in every second cycle, group by group, or around links that are held up; drawn anew.
#include "steering/steering.hpp"

namespace tvlb::sim {
struct Swings {
  int turns, cycle = 0;
  explicit Swings(const Setup& setup) : turns(setup.arguments[0] == 0) {}
  void tick(const auto&, std::int32_t now) { cycle = now; }
  Choice start(const auto& view, const Head& head, Draws& draws) const {
    bool detours = turns * (cycle + view.group(head.sw)) % 2 != 0;
    for (int port = 0; port < 8; ++port)
      detours |= view.kind(head.sw, port) >= 0 && view.queue(head.sw, port) > 9 && !view.room(head.sw, port, 0);
    const Candidate vlb = view.vlb(head, draws);
    return choose(view.min(head, draws), vlb, [&] { return detours; });
  }
  Choice attempt(const auto& view, const Head& head, Draws& draws) { return start(view, head, draws); }
};
const Registration<Swings, InputQueued, CutThrough> registration{
    "swings", kLastPlace, {Detours::adaptive}, {{"when", {"turns", "queues"}}}};
}  // namespace tvlb::sim
