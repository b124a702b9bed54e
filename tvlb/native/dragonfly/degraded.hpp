// A Dragonfly of which some links or switches are down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "group_links.hpp"
#include "shortest_paths.hpp"
#include "topology.hpp"

namespace tvlb {

// A pair keeps the MIN paths of the Dragonfly of which all links are left: through a global link
// between its groups, or the local link inside a group. A pair that has none left takes all
// shortest paths. Names are positions; that of a local link is kAbsent.
class [[gnu::visibility("default")]] DegradedMinPaths {
public:
    // Throws std::invalid_argument as `GroupLinks` and `ShortestPaths` do.
    DegradedMinPaths(const Network& network, std::int32_t groups);

    [[nodiscard]] std::int32_t group(std::int32_t sw) const { return links_.group(sw); }
    [[nodiscard]] bool is_local(std::int32_t link) const { return link < links_.num_local_links(); }
    [[nodiscard]] bool is_local_pair(std::int32_t from, std::int32_t to) const {
        return group(from) == group(to) && links_.local_link(from, to) != kAbsent;
    }
    [[nodiscard]] std::int32_t count(std::int32_t from, std::int32_t to) const {
        const auto direct = count_direct(from, to);
        return direct > 0 ? direct : shortest_.min_paths(from, to);
    }
    [[nodiscard]] std::int32_t most() const { return most_; }
    // Orders of link kinds by code: those of the Dragonfly, then others.
    [[nodiscard]] const std::vector<Half>& halves() const { return halves_; }
    [[nodiscard]] std::size_t half(std::int32_t from, std::int32_t name, std::int32_t to) const;

    // Calls visit(link) along a path; its name must be valid.
    template <class Visit>
    void visit(std::int32_t from, std::int32_t name, std::int32_t to, Visit visit) const {
        if (is_local_pair(from, to)) {
            visit(links_.local_link(from, to));
        } else if (count_direct(from, to) == 0) {
            shortest_.visit_min(from, name, to, visit);
        } else {
            const auto global = direct_link(from, name, to);
            const auto exit = shortest_.source(global);
            const auto entry = shortest_.target(global);
            if (exit != from) visit(links_.local_link(from, exit));
            visit(global);
            if (entry != to) visit(links_.local_link(entry, to));
        }
    }

private:
    [[nodiscard]] std::span<const std::int32_t> links_between(std::int32_t from,
                                                              std::int32_t to) const {
        return links_.global_links(group(from), group(to));
    }
    [[nodiscard]] bool is_whole(std::int32_t from, std::int32_t to) const {
        return is_whole_[static_cast<std::size_t>(from)] && is_whole_[static_cast<std::size_t>(to)];
    }
    // Whether the path through a global link is left.
    [[nodiscard]] bool is_left(std::int32_t from, std::int32_t global, std::int32_t to) const;
    // Paths of the Dragonfly that are left.
    [[nodiscard]] std::int32_t count_direct(std::int32_t from, std::int32_t to) const;
    // The global link of one of them.
    [[nodiscard]] std::int32_t direct_link(std::int32_t from, std::int32_t position,
                                           std::int32_t to) const;
    void find_halves();

    GroupLinks links_;
    ShortestPaths shortest_;
    std::vector<bool> is_whole_;  // by switch, whether local links join it to all of its group
    std::vector<Half> halves_;
    std::int32_t most_ = 1;
};

class DegradedDragonfly final : public Topology {
public:
    // Throws std::invalid_argument as `DegradedMinPaths` does.
    DegradedDragonfly(const Network& network, std::int32_t groups)
        : DegradedDragonfly(network, DegradedMinPaths(network, groups)) {}

    [[nodiscard]] const DegradedMinPaths& paths() const { return paths_; }

    [[nodiscard]] std::int32_t min_paths(std::int32_t from, std::int32_t to) const override {
        return paths_.count(from, to);
    }
    [[nodiscard]] std::int32_t min_name(std::int32_t from, std::int32_t to,
                                        std::int32_t position) const override {
        return paths_.is_local_pair(from, to) ? kAbsent : position;
    }
    [[nodiscard]] std::int32_t min_position(std::int32_t from, std::int32_t to,
                                            std::int32_t name) const override {
        if (paths_.is_local_pair(from, to)) return name == kAbsent ? 0 : kAbsent;
        return name >= 0 && name < min_paths(from, to) ? name : kAbsent;
    }
    // A local link is none of `halves`.
    [[nodiscard]] Shortest shortest_min(std::int32_t from, std::int32_t to) const override {
        return paths_.is_local_pair(from, to) ? Shortest{1, 1} : Topology::shortest_min(from, to);
    }
    [[nodiscard]] std::size_t min_half(std::int32_t from, std::int32_t name,
                                       std::int32_t to) const override {
        return paths_.half(from, name, to);
    }
    void append_min(PathLinks& out, std::int32_t from, std::int32_t name,
                    std::int32_t to) const override {
        paths_.visit(from, name, to, [&](std::int32_t link) { out.add(link); });
    }
    [[nodiscard]] std::int32_t name_limit() const override { return paths_.most(); }

    [[nodiscard]] std::int32_t group(std::int32_t sw) const override { return paths_.group(sw); }
    // In a third group.
    [[nodiscard]] bool is_intermediate(std::int32_t source, std::int32_t via,
                                       std::int32_t target) const override {
        return paths_.group(via) != paths_.group(source) && paths_.group(via) != paths_.group(target);
    }
    // As on the Dragonfly.
    [[nodiscard]] bool are_simple() const override { return false; }
    [[nodiscard]] bool has_choice(std::int32_t source, std::int32_t target) const override {
        return paths_.group(source) != paths_.group(target);
    }
    [[nodiscard]] std::unique_ptr<PathKernel> kernel() const override;

private:
    DegradedDragonfly(const Network& network, DegradedMinPaths paths)
        : Topology(network, paths.halves()), paths_(std::move(paths)) {}

    DegradedMinPaths paths_;
};

}  // namespace tvlb
