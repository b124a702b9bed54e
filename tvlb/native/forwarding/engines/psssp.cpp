#include "psssp.hpp"

namespace tvlb::forwarding {
namespace {

const Registration<Psssp> kPsssp("psssp", 0, "shortest ways with the least sum of loads");

}  // namespace
}  // namespace tvlb::forwarding
