// The VC is the number of links already taken, of any kind and phase. Routes that are too long for the
// VCs stay on the last one, which may deadlock.
#include "policy.hpp"

namespace tvlb::vc {
namespace {

class PerHop {
public:
    int next(Kind, int) { return taken_++; }
    bool operator==(const PerHop&) const = default;

private:
    int taken_ = 0;
};

const Registration<PerHop> along_routes{"per-hop", 1, Choice::at_source};
const Registration<PerHop> ladder{"ladder", 0, Choice::at_every_switch};

}  // namespace
}  // namespace tvlb::vc
