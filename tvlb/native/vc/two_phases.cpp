// Two phases: half of the VCs on the way to the intermediate switch, the other half from there on.
// Where MIN paths alone would close cycles, local links behind the global one of a phase have half
// of these for themselves.
#include "policy.hpp"

namespace tvlb::vc {
namespace {

class TwoPhases {
public:
    explicit TwoPhases(const Limits& limits)
        : split_kind_(limits.split_kind), part_(limits.count / (split_kind_ < 0 ? 2 : 4)) {}

    Vcs next(Kind kind, int phase) {
        is_behind_ = is_behind_ && phase == phase_;
        phase_ = phase;
        const int parts = split_kind_ < 0 ? phase : 2 * phase + (is_behind_ && kind != split_kind_);
        is_behind_ |= kind == split_kind_;
        return {parts * part_, (parts + 1) * part_ - 1};
    }
    bool operator==(const TwoPhases&) const = default;

private:
    int split_kind_, part_;
    int phase_ = 0;
    bool is_behind_ = false;
};

const Registration<TwoPhases> registration{"2phases", 2, Choice::at_every_switch,
                                           Claim::parts_phases};

}  // namespace
}  // namespace tvlb::vc
