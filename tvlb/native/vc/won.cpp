// Won et al., Overcoming far-end congestion in large-scale networks, HPCA'15.
#include "scheme.hpp"

namespace tvlb::vc {
namespace {

// The VC rises on entering a group, which a global link does, and before every other local link.
class Won {
   public:
    int next(Kind kind) {
        if (!first_ && (after_global_ || kind == kLocal)) ++vc_;
        first_ = false;
        after_global_ = kind == kGlobal;
        return vc_;
    }

   private:
    int vc_ = 0;
    bool first_ = true;
    bool after_global_ = false;
};

const Registration<Won> registration{"won", 0};

}  // namespace
}  // namespace tvlb::vc
