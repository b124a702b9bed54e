// Won et al., Overcoming far-end congestion in large-scale networks, HPCA'15.
#include "scheme.hpp"

namespace tvlb::vc {
namespace {

// The VC rises on entering a group, be it from a node or by a global link, and before every other
// local link.
class Won {
   public:
    int next(Kind kind) {
        vc_ += static_cast<int>(entered_ || kind == kLocal);
        entered_ = kind == kGlobal;
        return vc_;
    }

   private:
    int vc_ = -1;
    bool entered_ = true;
};

const Registration<Won> registration{"won", 0};

}  // namespace
}  // namespace tvlb::vc
