// What a policy of virtual channels allows, state by state: what routers and proofs read of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../network.hpp"

namespace tvlb::vc {

inline constexpr std::size_t kPhases = 2;  // to an intermediate switch, and on from there

/// The states of a packet on its way, from 0 before its first link, and what each allows on the
/// next link.
struct Table {
    using State = std::uint16_t;
    struct Step {
        std::uint8_t first, last;  // of the VCs that the link may be taken by
        State then;                // behind the link
    };

    std::vector<Step> steps;  // by state, phase and kind of the link

    [[nodiscard]] const Step& step(State from, std::size_t kind, std::size_t phase) const {
        return steps[(from * kPhases + phase) * kMaxKinds + kind];
    }
};

}  // namespace tvlb::vc
