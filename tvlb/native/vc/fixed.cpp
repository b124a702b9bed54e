// One order for links of both kinds, L0 G0 L1 L2 G1 L3: a link takes the first later entry of its kind, so
// that local ports have four VCs and global ones two.
#include <array>
#include <cstddef>

#include "policy.hpp"

namespace tvlb::vc {
namespace {

class Fixed {
public:
    int next(Kind kind, int) {
        int vc = 0;
        for (std::size_t at = 0; at < kOrder.size(); ++at) {
            if (kOrder[at] != (kind == kGlobal ? kGlobal : kLocal)) continue;
            if (at >= taken_) {
                taken_ = at + 1;
                return vc;
            }
            ++vc;
        }
        // Routes beyond the order stay on the last one, which may deadlock.
        return vc - 1;
    }
    bool operator==(const Fixed&) const = default;

private:
    static constexpr std::array<Kind, 6> kOrder{kLocal, kGlobal, kLocal, kLocal, kGlobal, kLocal};
    std::size_t taken_ = 0;  // entries up to the last one that was taken
};

const Registration<Fixed> registration{"fixed", 4, Choice::at_every_switch, Claim::ordered};

}  // namespace
}  // namespace tvlb::vc
