// The Dragonfly: equal groups, complete inside, joined by global links. A MIN path between groups
// is named by its global link; between switches of one group it is their local link.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "group_links.hpp"
#include "topology.hpp"

namespace tvlb {

class Dragonfly final : public Topology {
public:
    // Throws std::invalid_argument where the local links are not all pairs of the switches of
    // `groups` equal groups, and as `GroupLinks` does.
    Dragonfly(Network network, std::int32_t groups);

    [[nodiscard]] std::int32_t num_groups() const { return links_.num_groups(); }
    [[nodiscard]] std::int32_t group_size() const { return links_.group_size(); }
    [[nodiscard]] std::int32_t group(std::int32_t sw) const override { return links_.group(sw); }
    [[nodiscard]] bool is_global(std::int32_t id) const { return id >= num_local_links(); }
    [[nodiscard]] std::int32_t num_local_links() const { return links_.num_local_links(); }
    [[nodiscard]] std::int32_t local_link(std::int32_t from, std::int32_t to) const {
        return links_.local_link(from, to);
    }
    [[nodiscard]] std::span<const std::int32_t> global_links(std::int32_t from,
                                                             std::int32_t to) const {
        return links_.global_links(from, to);
    }

    // Hops of the MIN path through a global link.
    [[nodiscard]] int min_hops(std::int32_t from, std::int32_t global, std::int32_t to) const {
        return (from != source(global)) + 1 + (target(global) != to);
    }

    [[nodiscard]] std::int32_t min_paths(std::int32_t from, std::int32_t to) const override {
        if (group(from) == group(to)) return from != to;
        return static_cast<std::int32_t>(global_links(group(from), group(to)).size());
    }

    [[nodiscard]] std::int32_t min_name(std::int32_t from, std::int32_t to,
                                        std::int32_t position) const override {
        if (group(from) == group(to)) return kAbsent;
        return global_links(group(from), group(to))[static_cast<std::size_t>(position)];
    }

    [[nodiscard]] std::int32_t min_position(std::int32_t from, std::int32_t to,
                                            std::int32_t name) const override {
        if (group(from) == group(to)) return from != to && name == kAbsent ? 0 : kAbsent;
        const auto links = global_links(group(from), group(to));
        const auto found = std::ranges::lower_bound(links, name);
        if (found == links.end() || *found != name) return kAbsent;
        return static_cast<std::int32_t>(found - links.begin());
    }

    // A local link is none of `halves`.
    [[nodiscard]] Shortest shortest_min(std::int32_t from, std::int32_t to) const override {
        return group(from) == group(to) ? Shortest{1, 1} : Topology::shortest_min(from, to);
    }

    // Of switches in different groups: the bits of a local hop before and after the global one.
    [[nodiscard]] std::size_t min_half(std::int32_t from, std::int32_t global,
                                       std::int32_t to) const override {
        return (source(global) != from ? 2U : 0U) | (target(global) != to ? 1U : 0U);
    }

    void append_min(PathLinks& out, std::int32_t from, std::int32_t global,
                    std::int32_t to) const override {
        add_min(out, from, global, to);
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

    [[nodiscard]] std::int32_t name_limit() const override { return num_links(); }

    // In a third group.
    [[nodiscard]] bool is_intermediate(std::int32_t source, std::int32_t via,
                                       std::int32_t target) const override {
        return group(via) != group(source) && group(via) != group(target);
    }

    // Around the intermediate a path may come through one switch twice.
    [[nodiscard]] bool are_simple() const override { return false; }

    // Inside a group, every third switch is a detour of two hops.
    [[nodiscard]] bool has_choice(std::int32_t source, std::int32_t target) const override {
        return group(source) != group(target);
    }

    [[nodiscard]] std::unique_ptr<PathKernel> kernel() const override;

    // The first global link.
    [[nodiscard]] std::int32_t first_choice(const Path& path, const PathLinks&) const override {
        return path.first_half;
    }

    [[nodiscard]] PathLinks links_of(const Path& path) const override {
        PathLinks out;
        if (path.intermediate == kAbsent) {
            add_min(out, path.source, path.first_half, path.target);
        } else {
            add_min(out, path.source, path.first_half, path.intermediate);
            add_min(out, path.intermediate, path.second_half, path.target);
        }
        return out;
    }

private:
    void add_local(PathLinks& out, std::int32_t from, std::int32_t to) const {
        if (from != to) out.add(local_link(from, to));
    }

    GroupLinks links_;
};

// Hops of the shortest MIN path between every two switches.
class ShortestHops {
public:
    explicit ShortestHops(const Dragonfly& dragonfly);

    // More than a MIN path can have where no link joins the groups.
    [[nodiscard]] int of(std::int32_t from, std::int32_t to) const {
        return hops_[static_cast<std::size_t>(from) * switches_ + static_cast<std::size_t>(to)];
    }

private:
    std::size_t switches_;
    std::vector<std::uint8_t> hops_;
};

}  // namespace tvlb
