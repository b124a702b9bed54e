// A network together with the rule that names its MIN paths: all that engines know of a family.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "network.hpp"

namespace tvlb {

inline constexpr int kMaxPathLinks = 6;
inline constexpr int kClasses = kMaxPathLinks + 1;  // hop counts 0..6

// A MIN or VLB path between two switches: MIN to the intermediate and MIN on from there. Both
// halves are named as the family names its MIN paths; kAbsent names the only one where there is
// just one. A MIN path has no intermediate and no second half.
struct Path {
    std::int32_t source;
    std::int32_t target;
    std::int32_t intermediate;
    std::int32_t first_link;
    std::int32_t second_link;
};

// Directed links of a path in travel order.
struct PathLinks {
    std::array<std::int32_t, kMaxPathLinks> ids;
    int count = 0;

    void add(std::int32_t link) { ids[static_cast<std::size_t>(count++)] = link; }
    // Not of a temporary: a range-based for would outlive it.
    std::span<const std::int32_t> view() const&& = delete;
    [[nodiscard]] std::span<const std::int32_t> view() const& {
        return {ids.data(), static_cast<std::size_t>(count)};
    }
};

class Topology : public Network {
public:
    explicit Topology(Network network) : Network(std::move(network)) {}
    // Links of a path; its names must be valid.
    [[nodiscard]] virtual PathLinks links_of(const Path& path) const = 0;
    // Whether path sets choose among the detours of two different switches; where they do not,
    // every set but the empty one has them all.
    [[nodiscard]] virtual bool has_choice(std::int32_t source, std::int32_t target) const = 0;
};

}  // namespace tvlb
