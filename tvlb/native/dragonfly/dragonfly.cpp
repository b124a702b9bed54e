#include "dragonfly.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "paths.hpp"

namespace tvlb {
namespace {

[[nodiscard]] std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

}  // namespace

Dragonfly::Dragonfly(Network network, std::int32_t groups)
    : Topology(std::move(network), {{1}, {1, 0}, {0, 1}, {0, 1, 0}}), links_(*this, groups) {
    const auto size = std::int64_t{group_size()};
    if (num_local_links() != size * (size - 1) * groups) {
        throw std::invalid_argument("the local links must be complete");
    }
}

ShortestHops::ShortestHops(const Dragonfly& dragonfly) : switches_(index(dragonfly.num_switches())) {
    hops_.reserve(switches_ * switches_);
    std::vector<Shortest> found(index(dragonfly.group_size()));
    for (std::int32_t from = 0; from < dragonfly.num_switches(); ++from) {
        for (std::int32_t group = 0; group < dragonfly.num_groups(); ++group) {
            std::ranges::fill(found, Shortest{1, 1});
            if (group != dragonfly.group(from)) shortest_to_group(dragonfly, from, group, found);
            for (const auto& to : found) hops_.push_back(static_cast<std::uint8_t>(to.hops));
        }
        hops_[index(from) * switches_ + index(from)] = 0;
    }
}

std::unique_ptr<PathKernel> Dragonfly::kernel() const {
    return std::make_unique<PathKernelOf<DragonflyPaths>>(*this);
}

}  // namespace tvlb
