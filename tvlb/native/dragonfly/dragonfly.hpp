// The Dragonfly: equal groups, complete inside, joined by global links. A MIN path between groups
// is named by its global link; between switches of one group it is their local link.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology.hpp"

namespace tvlb {

class Dragonfly final : public Topology {
public:
    // Kind 0 is local, all others are global. Throws std::invalid_argument where the local links
    // are not all pairs of the switches of `groups` equal groups, with the lowest ids.
    Dragonfly(Network network, std::int32_t groups);

    [[nodiscard]] std::int32_t num_groups() const { return groups_; }
    [[nodiscard]] std::int32_t group_size() const { return group_size_; }
    [[nodiscard]] std::int32_t group(std::int32_t sw) const {
        return group_[static_cast<std::size_t>(sw)];
    }
    [[nodiscard]] bool is_global(std::int32_t id) const { return id >= num_local_links_; }
    [[nodiscard]] std::int32_t num_local_links() const { return num_local_links_; }

    // Local link between two switches of one group; kAbsent where they are the same.
    [[nodiscard]] std::int32_t local_link(std::int32_t from, std::int32_t to) const {
        const auto row = static_cast<std::size_t>(from) * static_cast<std::size_t>(group_size_);
        return local_link_[row + static_cast<std::size_t>(to % group_size_)];
    }

    // Global links from group `from` to group `to`, by rising id.
    [[nodiscard]] std::span<const std::int32_t> global_links(std::int32_t from,
                                                             std::int32_t to) const {
        const auto pair = static_cast<std::size_t>(from) * static_cast<std::size_t>(groups_) +
                          static_cast<std::size_t>(to);
        const auto begin = static_cast<std::size_t>(offset_[pair]);
        return std::span(global_links_)
            .subspan(begin, static_cast<std::size_t>(offset_[pair + 1]) - begin);
    }

    // Hops of the MIN path through a global link.
    [[nodiscard]] int min_hops(std::int32_t from, std::int32_t global, std::int32_t to) const {
        return (from != source(global)) + 1 + (target(global) != to);
    }

    void add_min(PathLinks& out, std::int32_t from, std::int32_t global, std::int32_t to) const {
        if (global == kAbsent) {
            add_local(out, from, to);
            return;
        }
        add_local(out, from, source(global));
        out.add(global);
        add_local(out, target(global), to);
    }

    // Inside a group, every third switch is a detour of two hops.
    [[nodiscard]] bool has_choice(std::int32_t source, std::int32_t target) const override {
        return group(source) != group(target);
    }

    [[nodiscard]] PathLinks links_of(const Path& path) const override {
        PathLinks out;
        if (path.intermediate == kAbsent) {
            add_min(out, path.source, path.first_link, path.target);
        } else {
            add_min(out, path.source, path.first_link, path.intermediate);
            add_min(out, path.intermediate, path.second_link, path.target);
        }
        return out;
    }

private:
    void add_local(PathLinks& out, std::int32_t from, std::int32_t to) const {
        if (from != to) out.add(local_link(from, to));
    }
    void index_local_links();
    void index_global_links();

    std::int32_t groups_;
    std::int32_t group_size_;
    std::int32_t num_local_links_;
    std::vector<std::int32_t> group_;         // by switch; a division takes longer
    std::vector<std::int32_t> local_link_;    // by switch and position in its group
    std::vector<std::int32_t> offset_;        // by pair of groups, and one more
    std::vector<std::int32_t> global_links_;  // by pair of groups, then by id
};

// Shortest MIN paths between two switches of different groups: their length and number.
struct Shortest {
    int hops;
    int count;
};

[[nodiscard]] inline Shortest shortest(const Dragonfly& dragonfly, std::int32_t from,
                                       std::int32_t to) {
    Shortest best{kClasses, 0};
    for (const auto link : dragonfly.global_links(dragonfly.group(from), dragonfly.group(to))) {
        const int hops = dragonfly.min_hops(from, link, to);
        if (hops < best.hops) best = {hops, 0};
        best.count += hops == best.hops;
    }
    return best;
}

// Hops of the shortest MIN path between every two switches.
class ShortestHops {
public:
    explicit ShortestHops(const Dragonfly& dragonfly);

    // kClasses where no link joins the groups.
    [[nodiscard]] int of(std::int32_t from, std::int32_t to) const {
        return hops_[static_cast<std::size_t>(from) * switches_ + static_cast<std::size_t>(to)];
    }

private:
    std::size_t switches_;
    std::vector<std::uint8_t> hops_;
};

}  // namespace tvlb
