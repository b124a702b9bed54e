// The seeded order of all paths of one length, cut where a list of percentages cuts it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dragonfly.hpp"
#include "path_kernel.hpp"

namespace tvlb {

// How often links are used by the paths of many inter-group pairs that have a given length, in slices
// of the keyed order: slice i holds what percentage i adds to percentage i - 1. Paths are visited
// once and then forgotten.
class DrawnPaths {
public:
    // `percents` rise, each 1..99.
    DrawnPaths(const Dragonfly& dragonfly, Switches sources, Switches targets, int hops,
               std::uint64_t seed, std::vector<int> percents);

    [[nodiscard]] int hops() const { return hops_; }
    [[nodiscard]] std::size_t pairs() const { return pairs_; }
    // Number of slices that a percentage of the constructor's list is made of.
    [[nodiscard]] std::size_t slices(int percent) const;

    // Calls visit(link, number of paths over it) for the links of the first `slices` slices of a
    // pair; a link may come once per slice.
    template <class Visit>
    void for_each_link(std::size_t pair, std::size_t slices, Visit visit) const {
        for (std::size_t i = 0; i < slices; ++i) {
            const Slice& slice = slices_[pair * percents_.size() + i];
            for (std::size_t local = 0; local < slice.dense.size(); ++local) {
                if (slice.dense[local] != 0) visit(static_cast<std::int32_t>(local), slice.dense[local]);
            }
            for (std::size_t entry = 0; entry < slice.link.size(); ++entry) {
                visit(slice.link[entry], slice.count[entry]);
            }
        }
    }

private:
    // Counts by link: by local link where most are used, else and for global links as a list.
    struct Slice {
        std::vector<std::uint16_t> dense;
        std::vector<std::int32_t> link;
        std::vector<std::uint16_t> count;
    };
    class Counter;

    int hops_;
    std::size_t pairs_;
    std::vector<int> percents_;
    std::vector<Slice> slices_;  // [pair * percentages + slice]
};

}  // namespace tvlb
