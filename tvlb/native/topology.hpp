// A network together with the rule that names its MIN paths: all that engines know of a family.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "network.hpp"

namespace tvlb {

class PathKernel;

// Longest MIN path and longest VLB path that are supported.
inline constexpr int kMaxHalfLinks = 32;
inline constexpr int kMaxPathLinks = 2 * kMaxHalfLinks;

// A MIN or VLB path between two switches: MIN to the intermediate and MIN on from there. Both
// halves are named as the family names its MIN paths; kAbsent names the only one where there is
// just one. A MIN path has no intermediate and no second half.
struct Path {
    std::int32_t source;
    std::int32_t target;
    std::int32_t intermediate;
    std::int32_t first_half;
    std::int32_t second_half;
};

// Directed links of a path in travel order.
struct PathLinks {
    int count = 0;  // first: beside the links of a short path
    std::array<std::int32_t, kMaxPathLinks> ids;

    PathLinks() = default;
    // Only what there is: most paths are short.
    PathLinks(const PathLinks& other) : count(other.count) { copy(other); }
    PathLinks& operator=(const PathLinks& other) {
        count = other.count;
        copy(other);
        return *this;
    }
    ~PathLinks() = default;

    void add(std::int32_t link) { ids[static_cast<std::size_t>(count++)] = link; }
    // Not of a temporary: a range-based for would outlive it.
    std::span<const std::int32_t> view() const&& = delete;
    [[nodiscard]] std::span<const std::int32_t> view() const& {
        return {ids.data(), static_cast<std::size_t>(count)};
    }

private:
    void copy(const PathLinks& other) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) ids[i] = other.ids[i];
    }
};

// Shortest MIN paths between two switches: their length and number.
struct Shortest {
    int hops;
    std::int32_t count;
};

// How many MIN paths of a pair are one half.
struct HalfCount {
    std::uint16_t code;
    std::int32_t count;
};

// Kinds of the links of a MIN path in travel order.
using Half = std::vector<std::uint8_t>;

class Topology : public Network {
public:
    // `halves` are the kinds of links that MIN paths take, in the order of their codes.
    Topology(Network network, std::vector<Half> halves);

    // Every MIN path of a pair has a position, 0 .. min_paths - 1, and a name that rises with it.
    // A switch has none to itself.
    [[nodiscard]] virtual std::int32_t min_paths(std::int32_t from, std::int32_t to) const = 0;
    [[nodiscard]] virtual std::int32_t min_name(std::int32_t from, std::int32_t to,
                                                std::int32_t position) const = 0;
    // Where a name stands; kAbsent if it names no MIN path of the pair.
    [[nodiscard]] virtual std::int32_t min_position(std::int32_t from, std::int32_t to,
                                                    std::int32_t name) const = 0;
    // The shortest MIN paths of two different switches.
    [[nodiscard]] virtual Shortest shortest_min(std::int32_t from, std::int32_t to) const;
    // Code of the half that a MIN path is; see `halves`.
    [[nodiscard]] virtual std::size_t min_half(std::int32_t from, std::int32_t name,
                                               std::int32_t to) const = 0;
    // The MIN paths that leave a switch by code, as halves: of targets with a choice, by target.
    [[nodiscard]] virtual std::vector<std::vector<HalfCount>> half_counts(std::int32_t from) const;
    // Adds the links of a MIN path; its name must be valid.
    virtual void append_min(PathLinks& out, std::int32_t from, std::int32_t name,
                            std::int32_t to) const = 0;
    // Names are kAbsent or below this.
    [[nodiscard]] virtual std::int32_t name_limit() const = 0;

    // The group of a switch, where the family has groups; its own number elsewhere.
    [[nodiscard]] virtual std::int32_t group(std::int32_t sw) const { return sw; }
    // Whether VLB paths of a pair may go by way of a switch.
    [[nodiscard]] virtual bool is_intermediate(std::int32_t source, std::int32_t via,
                                               std::int32_t target) const = 0;
    // Whether the VLB paths that are sets by length and shape choose from visit no switch twice.
    [[nodiscard]] virtual bool are_simple() const = 0;
    // Whether path sets choose among the detours of two different switches; where they do not,
    // every set but the empty one has them all.
    [[nodiscard]] virtual bool has_choice(std::int32_t source, std::int32_t target) const = 0;
    // Enumeration of its path sets.
    [[nodiscard]] virtual std::unique_ptr<PathKernel> kernel() const = 0;

    // What balancing keeps different among the first steps of a pair: the first link.
    [[nodiscard]] virtual std::int32_t first_choice(const Path& /*path*/, const PathLinks& links) const {
        return links.ids[0];
    }

    // Links of a path; its names must be valid.
    [[nodiscard]] virtual PathLinks links_of(const Path& path) const;

    [[nodiscard]] std::span<const Half> halves() const { return halves_; }
    // Links of the longest MIN path, and hop counts 0 .. of the longest VLB path.
    [[nodiscard]] int half_links() const { return half_links_; }
    [[nodiscard]] std::size_t num_classes() const {
        return 2 * static_cast<std::size_t>(half_links_) + 1;
    }

private:
    std::vector<Half> halves_;
    int half_links_ = 0;
};

}  // namespace tvlb
