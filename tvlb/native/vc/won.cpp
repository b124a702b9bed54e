// Won et al., Overcoming far-end congestion in large-scale networks, HPCA'15.
#include "policy.hpp"

namespace tvlb::vc {
namespace {

// The VC rises on entering a group, be it from a node or by a global link, and before every other
// local link.
class Won {
public:
    int next(Kind kind, int) {
        vc_ += static_cast<int>(entered_ || kind == kLocal);
        entered_ = kind == kGlobal;
        return vc_;
    }
    bool operator==(const Won&) const = default;

private:
    int vc_ = -1;
    bool entered_ = true;
};

const Registration<Won> registration{"won", 0, Choice::at_source};

}  // namespace
}  // namespace tvlb::vc
