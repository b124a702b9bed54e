// Ladder with reuse: any VC up to the number of links taken.
#include "policy.hpp"

namespace tvlb::vc {
namespace {

class Reuse {
public:
    Vcs next(Kind, int) { return {0, taken_++}; }
    bool operator==(const Reuse&) const = default;

private:
    int taken_ = 0;
};

const Registration<Reuse> registration{"reuse", 1, Choice::at_every_switch};

}  // namespace
}  // namespace tvlb::vc
