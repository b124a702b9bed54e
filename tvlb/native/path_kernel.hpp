// Enumeration of VLB path sets, pair by pair.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rows.hpp"
#include "shape_rule.hpp"
#include "usage.hpp"

namespace tvlb {

using Switches = std::span<const std::int32_t>;

// Number of paths and sum of weights by pair and hop count, [pair * num_classes + hops].
struct ClassProfile {
    std::vector<std::int64_t> count;
    std::vector<double> weight;
    std::vector<double> unit;  // by pair: draw weight of a path whose rule weight is 1
};

// The MIN paths of some pairs by hop count, each with its share of a pair, and the links they take.
struct MinUsage {
    ClassProfile profile;
    ClassUsage usage;
};

// What path sets ask of a network. Pairs are two arrays of switches of equal length.
class PathKernel {
public:
    explicit PathKernel(const Topology& topology) : topology_(topology) {}
    PathKernel(const PathKernel&) = delete;
    PathKernel& operator=(const PathKernel&) = delete;
    PathKernel(PathKernel&&) = delete;
    PathKernel& operator=(PathKernel&&) = delete;
    virtual ~PathKernel() = default;

    [[nodiscard]] virtual PathRows enumerate(const ShapeRule& rule, Switches sources,
                                             Switches targets) const = 0;
    [[nodiscard]] virtual PathRows enumerate(const ShortRule& rule, Switches sources,
                                             Switches targets) const = 0;
    // All MIN paths, equally likely.
    [[nodiscard]] virtual PathRows enumerate_min(Switches sources, Switches targets) const = 0;

    [[nodiscard]] virtual MinUsage min_usage(Switches sources, Switches targets) const = 0;

    // The same counts and weights without listing a path; of a rule by shape that is compact.
    [[nodiscard]] virtual ClassProfile profile(const ShapeRule& rule, Switches sources,
                                               Switches targets) const = 0;
    [[nodiscard]] virtual ClassProfile profile(const ShortRule& rule, Switches sources,
                                               Switches targets) const = 0;

    // By pair, whether no path weighs anything, so that those of the nearest shape are taken: 0 or 1.
    [[nodiscard]] virtual std::vector<std::uint8_t> takes_nearest(const ShapeRule& rule,
                                                                  Switches sources,
                                                                  Switches targets) const = 0;

    // Shape of each row; the number of shapes for MIN paths and where a pair has no choice.
    [[nodiscard]] virtual std::vector<std::uint16_t> shapes(const RowsView& rows) const = 0;

    // VLB paths of each pair by shape, [pair * num_shapes + shape]; 0 where a pair has no choice.
    [[nodiscard]] virtual std::vector<std::int64_t> count_shapes(Switches sources,
                                                                 Switches targets) const = 0;

    // For each pair with a choice the VLB paths by the hops of their halves, then the intermediate
    // switches by the hops of their shortest halves: 2 * half_links * half_links numbers.
    [[nodiscard]] virtual std::vector<std::int64_t> compositions(Switches sources,
                                                                 Switches targets) const = 0;

    [[nodiscard]] const Topology& topology() const { return topology_; }

private:
    const Topology& topology_;
};

// By the MIN rule of any network alone; families may have faster ones.
[[nodiscard]] std::unique_ptr<PathKernel> kernel_by_min_rule(const Topology& topology);

}  // namespace tvlb
