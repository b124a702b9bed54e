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

Shortest Topology::shortest_min(std::int32_t from, std::int32_t to) const {
    Shortest best{kMaxPathLinks, 0};
    const auto count = min_paths(from, to);
    for (std::int32_t position = 0; position < count; ++position) {
        const auto code = min_half(from, min_name(from, to, position), to);
        const auto hops = static_cast<int>(halves()[code].size());
        if (hops < best.hops) best = {hops, 0};
        best.count += hops == best.hops;
    }
    return best;
}

std::vector<std::vector<HalfCount>> Topology::half_counts(std::int32_t from) const {
    std::vector<std::vector<HalfCount>> out(static_cast<std::size_t>(num_switches()));
    std::vector<std::int32_t> count(halves_.size());
    for (std::int32_t to = 0; to < num_switches(); ++to) {
        if (from == to || !has_choice(from, to)) continue;
        std::ranges::fill(count, 0);
        const auto paths = min_paths(from, to);
        for (std::int32_t position = 0; position < paths; ++position) {
            ++count[min_half(from, min_name(from, to, position), to)];
        }
        for (std::size_t code = 0; code < count.size(); ++code) {
            if (count[code] == 0) continue;
            out[static_cast<std::size_t>(to)].push_back(
                {static_cast<std::uint16_t>(code), count[code]});
        }
    }
    return out;
}

PathLinks Topology::links_of(const Path& path) const {
    PathLinks out;
    if (path.intermediate == kAbsent) {
        append_min(out, path.source, path.first_half, path.target);
    } else {
        append_min(out, path.source, path.first_half, path.intermediate);
        append_min(out, path.intermediate, path.second_half, path.target);
    }
    return out;
}

}  // namespace tvlb
