// MIN: always the MIN path.
#include "steering.hpp"

namespace tvlb::sim {
namespace {

struct Min {};

const Registration<Min, InputQueued, CutThrough, Misrouting> registration{"min", 0, {Detours::never, 2.4e-7}};

}  // namespace
}  // namespace tvlb::sim
