// The wiring of a Dragonfly as flat arrays, and the links that a path takes on it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tvlb {

inline constexpr int kMaxPathLinks = 6;
inline constexpr int kClasses = kMaxPathLinks + 1;  // hop counts 0..6
inline constexpr std::int32_t kAbsent = -1;

// A MIN or VLB path between two switches. Absent parts are kAbsent: a MIN path has no
// intermediate and no second link; inside a group there are no global links at all.
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

struct Wiring {
    std::int32_t switches_per_group = 0;
    std::int32_t groups = 0;
    std::vector<std::int32_t> link_source;
    std::vector<std::int32_t> link_target;
    std::vector<std::uint8_t> link_kind;          // 0 local, 1 global
    std::vector<std::int32_t> local_link;         // [switch * a + index], kAbsent to itself
    std::vector<std::int32_t> group_link_offset;  // [A * g + B], g*g + 1 entries
    std::vector<std::int32_t> group_links;

    [[nodiscard]] std::int32_t switches() const { return switches_per_group * groups; }
    [[nodiscard]] std::size_t links() const { return link_source.size(); }
    [[nodiscard]] std::int32_t group(std::int32_t sw) const { return sw / switches_per_group; }
    [[nodiscard]] std::int32_t source(std::int32_t link) const {
        return link_source[static_cast<std::size_t>(link)];
    }
    [[nodiscard]] std::int32_t target(std::int32_t link) const {
        return link_target[static_cast<std::size_t>(link)];
    }

    [[nodiscard]] bool is_global(std::int32_t link) const {
        return link_kind[static_cast<std::size_t>(link)] != 0;
    }
    // Local links have the lowest ids.
    [[nodiscard]] std::size_t num_local_links() const {
        const auto a = static_cast<std::size_t>(switches_per_group);
        return a * (a - 1) * static_cast<std::size_t>(groups);
    }
    // Local link between two different switches of one group.
    [[nodiscard]] std::int32_t local(std::int32_t from, std::int32_t to) const {
        const auto row = static_cast<std::size_t>(from) * static_cast<std::size_t>(switches_per_group);
        return local_link[row + static_cast<std::size_t>(to % switches_per_group)];
    }

    // Global links from group `from` to group `to`, sorted by id.
    [[nodiscard]] std::span<const std::int32_t> between(std::int32_t from, std::int32_t to) const {
        const auto cell = static_cast<std::size_t>(from) * static_cast<std::size_t>(groups) +
                          static_cast<std::size_t>(to);
        const auto begin = static_cast<std::size_t>(group_link_offset[cell]);
        const auto end = static_cast<std::size_t>(group_link_offset[cell + 1]);
        return std::span(group_links).subspan(begin, end - begin);
    }

    // Hops of the MIN path from `from` to `to` through a global link.
    [[nodiscard]] int min_hops(std::int32_t from, std::int32_t link, std::int32_t to) const {
        return (from != source(link)) + 1 + (target(link) != to);
    }

    void add_local(PathLinks& out, std::int32_t from, std::int32_t to) const {
        if (from != to) out.add(local(from, to));
    }

    void add_min(PathLinks& out, std::int32_t from, std::int32_t link, std::int32_t to) const {
        if (link == kAbsent) {
            add_local(out, from, to);
            return;
        }
        add_local(out, from, source(link));
        out.add(link);
        add_local(out, target(link), to);
    }

    [[nodiscard]] PathLinks links_of(const Path& path) const {
        PathLinks out;
        if (path.intermediate == kAbsent) {
            add_min(out, path.source, path.first_link, path.target);
        } else {
            add_min(out, path.source, path.first_link, path.intermediate);
            add_min(out, path.intermediate, path.second_link, path.target);
        }
        return out;
    }
};

}  // namespace tvlb
