#include "topology.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tvlb {

Topology::Topology(Network network, std::vector<Half> halves)
    : Network(std::move(network)), halves_(std::move(halves)) {
    for (const auto& half : halves_) {
        half_links_ = std::max(half_links_, static_cast<int>(half.size()));
    }
    if (half_links_ > kMaxHalfLinks) {
        throw std::invalid_argument("a MIN path has " + std::to_string(half_links_) +
                                    " hops; at most " + std::to_string(kMaxHalfLinks) +
                                    " are supported");
    }
}

PathLinks Topology::links_of(const Path& path) const {
    PathLinks out;
    if (path.intermediate == kAbsent) {
        append_min(out, path.source, path.first_link, path.target);
    } else {
        append_min(out, path.source, path.first_link, path.intermediate);
        append_min(out, path.intermediate, path.second_link, path.target);
    }
    return out;
}

}  // namespace tvlb
