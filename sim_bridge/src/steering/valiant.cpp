// Valiant's routing, by way of a switch drawn from all that have nodes. If that is the first or the last
// one, a packet takes the MIN path in the phase that the argument says. Valiant, A scheme for fast
// parallel communication, 1982.
#include "steering.hpp"

namespace tvlb::sim {
namespace {

class Valiant {
 public:
  explicit Valiant(const Setup& setup)
      : at_first_(setup.arguments[0] == 1), at_last_(setup.arguments[0] != 0) {}

  Choice start(const auto& view, const Head& head, Draws& draws) const {
    const Candidate vlb = view.vlb(head, draws);
    return {vlb, true, false, vlb.intermediate == head.sw ? at_first_ : at_last_};
  }

 private:
  std::uint8_t at_first_, at_last_;
};

const Registration<Valiant, CutThrough> registration{
    "valiant", 5, {Detours::always}, {{"phase", {"minfirst", "minlast", "minboth"}}}};

}  // namespace
}  // namespace tvlb::sim
