// The VLB paths of any network, as `PathKernelOf` enumerates them.
#pragma once

#include <cstdint>
#include <vector>

#include "path_kernel_of.hpp"

namespace tvlb {

// The paths of any network, by its MIN rule.
class PathsByMinRule {
public:
    explicit PathsByMinRule(const Topology& topology) : topology_(topology) {}

    template <class Value>
    [[nodiscard]] std::vector<Value> zeros() const {
        return std::vector<Value>(num_shapes(topology_));
    }

    [[nodiscard]] int min_hops(std::int32_t from, std::int32_t name, std::int32_t to) const {
        PathLinks links;
        topology_.append_min(links, from, name, to);
        return links.count;
    }

    template <class Visit>
    void for_each_triple(std::int32_t s, std::int32_t d, Visit visit) const {
        const auto halves = topology_.halves().size();
        for (std::int32_t via = 0; via < topology_.num_switches(); ++via) {
            if (!topology_.is_intermediate(s, via, d)) continue;
            const auto firsts = list_halves(s, via);
            const auto seconds = list_halves(via, d);
            for (const auto& first : firsts) {
                for (const auto& second : seconds) {
                    if (topology_.are_simple() && meet(first.links, second.links)) continue;
                    visit(via, first.name, second.name, first.code * halves + second.code);
                }
            }
        }
    }

    [[nodiscard]] std::vector<std::int64_t> count_shapes(std::int32_t s, std::int32_t d) const {
        auto count = zeros<std::int64_t>();
        for_each_triple(s, d, [&](auto, auto, auto, std::size_t shape) { ++count[shape]; });
        return count;
    }

    [[nodiscard]] std::vector<ShortVia> short_vias(const ShortRule& rule, std::int32_t s,
                                                   std::int32_t d) const {
        std::vector<ShortVia> out;
        for (std::int32_t via = 0; via < topology_.num_switches(); ++via) {
            if (!topology_.is_intermediate(s, via, d)) continue;
            const auto first = topology_.shortest_min(s, via);
            const auto second = topology_.shortest_min(via, d);
            if (first.count == 0 || second.count == 0) continue;
            if (rule.allows(first.hops, second.hops)) out.push_back({via, first, second});
        }
        return out;
    }

    template <class Visit>
    void for_each_shortest(std::int32_t from, std::int32_t to, int hops, Visit visit) const {
        const auto count = topology_.min_paths(from, to);
        const bool all = topology_.shortest_min(from, to).count == count;
        for (std::int32_t position = 0; position < count; ++position) {
            const auto name = topology_.min_name(from, to, position);
            if (all || hops_of(topology_.min_half(from, name, to)) == hops) visit(name);
        }
    }

    [[nodiscard]] std::size_t shape_of(const Path& path) const {
        return topology_.min_half(path.source, path.first_half, path.intermediate) *
                   topology_.halves().size() +
               topology_.min_half(path.intermediate, path.second_half, path.target);
    }

    [[nodiscard]] std::int64_t count_without_choice(std::int32_t s, std::int32_t d) const {
        std::int64_t count = 0;
        for_each_without_choice(s, d, [&](std::int32_t) { ++count; });
        return count;
    }

    // The switches that links without a name, local ones, join to both: a path that nobody chooses
    // has none.
    template <class Visit>
    void for_each_without_choice(std::int32_t s, std::int32_t d, Visit visit) const {
        for (std::int32_t via = 0; via < topology_.num_switches(); ++via) {
            if (via == s || via == d) continue;
            if (has_nameless(s, via) && has_nameless(via, d)) visit(via);
        }
    }

private:
    struct NamedHalf {
        std::int32_t name;
        std::size_t code;
        PathLinks links;
    };

    [[nodiscard]] int hops_of(std::size_t code) const {
        return static_cast<int>(topology_.halves()[code].size());
    }

    [[nodiscard]] bool has_nameless(std::int32_t from, std::int32_t to) const {
        return topology_.min_paths(from, to) > 0 && topology_.min_name(from, to, 0) == kAbsent;
    }

    [[nodiscard]] std::vector<NamedHalf> list_halves(std::int32_t from, std::int32_t to) const {
        std::vector<NamedHalf> out;
        const auto count = topology_.min_paths(from, to);
        for (std::int32_t position = 0; position < count; ++position) {
            const auto name = topology_.min_name(from, to, position);
            out.push_back({name, topology_.min_half(from, name, to), {}});
            topology_.append_min(out.back().links, from, name, to);
        }
        return out;
    }

    // Whether two halves share a switch besides the one where they join; MIN paths are simple.
    [[nodiscard]] bool meet(const PathLinks& first, const PathLinks& second) const {
        for (const auto out : first.view()) {
            for (const auto in : second.view()) {
                if (topology_.source(out) == topology_.target(in)) return true;
                const bool joins = out == first.view().back() && in == second.view().front();
                if (!joins && topology_.target(out) == topology_.source(in)) return true;
            }
        }
        return false;
    }

    const Topology& topology_;
};

}  // namespace tvlb
