// Any network whose MIN paths are all shortest paths. They are counted and found by their
// position, never listed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "packed_numbers.hpp"
#include "topology.hpp"

namespace tvlb {

// Shorter ones first, equally long ones by their kinds.
[[nodiscard]] bool comes_before(const Half& one, const Half& other);

// Which of the shortest paths of a pair are MIN paths.
enum class Chosen : std::uint8_t {
    all,
    lowest_switch,  // the one that takes the next switch of the lowest id at every switch
    first_link,     // the one that takes the first link at every switch
};

// Which shortest paths are MIN paths, and what names one.
struct ShortestRule {
    Chosen chosen = Chosen::all;
    bool by_link = false;  // its first link, which no other of the pair has; if not, its position
    // Only switches with nodes have paths and are intermediates; the others are passed.
    bool between_nodes = false;
    // Of more kinds of pairs the first links of MIN paths are not kept, but looked for.
    std::size_t most_kinds = std::size_t{1} << 21;
};

// The MIN paths of a pair are ordered by their links, from the first on. Every third switch is an
// intermediate, unless the rule says otherwise; the paths that sets by length and shape choose from
// visit no switch twice. A switch without links, such as one that is down, has no paths. Memory: 1
// to 3 bytes per ordered pair of switches, and 20 or so for each kind of pairs, as many as the rule says.
class ShortestPaths final : public Topology {
public:
    // Throws std::invalid_argument where a switch with links does not reach all others with links,
    // a pair has more paths than are numbered, or first links shall name paths and do not.
    explicit ShortestPaths(Network network, ShortestRule rule = {});

    [[nodiscard]] const ShortestRule& rule() const { return rule_; }
    // Whether halves are told apart by their length alone, since link kinds follow each other in
    // more than 255 orders; each half is then that of some path of its length.
    [[nodiscard]] bool are_by_length() const { return are_by_length_; }

    [[nodiscard]] int min_hops(std::int32_t from, std::int32_t to) const {
        return of(from, to).hops;
    }
    [[nodiscard]] std::int32_t min_paths(std::int32_t from, std::int32_t to) const override {
        return has_paths(from, to) ? of(from, to).count : 0;
    }
    [[nodiscard]] Shortest shortest_min(std::int32_t from, std::int32_t to) const override {
        return {min_hops(from, to), min_paths(from, to)};
    }
    // Share of a pair's MIN paths, all equally likely, that take a link.
    [[nodiscard]] double share(std::int32_t from, std::int32_t link, std::int32_t to) const {
        const auto before = counted(from, source(link));
        return before * counted(target(link), to) / counted(from, to);
    }
    [[nodiscard]] std::int32_t min_name(std::int32_t from, std::int32_t to,
                                        std::int32_t position) const override {
        if (!rule_.by_link) return position;
        auto rest = position;
        return step_at(from, rest, to).link;
    }
    [[nodiscard]] std::int32_t min_position(std::int32_t from, std::int32_t to,
                                            std::int32_t name) const override;
    [[nodiscard]] std::size_t min_half(std::int32_t from, std::int32_t name,
                                       std::int32_t to) const override;
    // Without a look at every path where there are several.
    [[nodiscard]] std::vector<std::vector<HalfCount>> half_counts(std::int32_t from) const override;
    void append_min(PathLinks& out, std::int32_t from, std::int32_t name,
                    std::int32_t to) const override {
        visit_min(from, name, to, [&](std::int32_t link) { out.add(link); });
    }
    [[nodiscard]] std::int32_t most_min_paths() const { return tables_.most_paths; }
    [[nodiscard]] std::int32_t name_limit() const override {
        return rule_.by_link ? num_links() : most_min_paths();
    }

    [[nodiscard]] bool is_intermediate(std::int32_t source, std::int32_t via,
                                       std::int32_t target) const override {
        return via != source && via != target && is_end(via);
    }
    [[nodiscard]] bool are_simple() const override { return true; }
    [[nodiscard]] bool has_choice(std::int32_t source, std::int32_t target) const override {
        return has_paths(source, target);
    }
    [[nodiscard]] std::unique_ptr<PathKernel> kernel() const override;

    // Calls visit(link) along a MIN path, or visit(link and where it leads).
    template <class Visit>
    void visit_min(std::int32_t from, std::int32_t name, std::int32_t to, Visit visit) const {
        visit_steps(from, name, to, [&](const Adjacent& step) { visit(step.link); });
    }
    template <class Visit>
    void visit_steps(std::int32_t from, std::int32_t name, std::int32_t to, Visit visit) const {
        if (rule_.by_link && from != to) {
            from = target(name);
            visit(Adjacent{name, from});
            name = 0;  // the position of what is left of it, which is the only one
        }
        while (from != to) {
            const auto& step = step_at(from, name, to);
            visit(step);
            from = step.sw;
        }
    }

    [[nodiscard]] std::int32_t first_link(std::int32_t from, std::int32_t name,
                                          std::int32_t to) const {
        return rule_.by_link ? name : step_at(from, name, to).link;
    }

private:
    // The MIN paths of a pair: how many, how long, and by which of the links that leave the source.
    struct Paths {
        std::int32_t count;
        std::uint32_t begin;  // in `leaving`; the link itself where all paths begin with it
        std::uint16_t size;   // 0: not kept, all those that lead nearer
        std::uint8_t hops;
    };
    // Most pairs are of few kinds, which stay in the nearest caches: a route asks for random pairs.
    struct Tables {
        PackedNumbers kind;  // by source within target: a path reads one row
        std::vector<Paths> paths;         // by kind
        std::vector<std::uint16_t> leaving;
        std::int32_t most_paths = 1;
    };
    class Kinds;

    ShortestPaths(Network network, ShortestRule rule, Tables tables);
    // Tables are large; they are moved once the orders are found.
    ShortestPaths(Network network, ShortestRule rule, Tables&& tables, std::vector<Half> orders);
    static Tables count_paths(const Network& network, const ShortestRule& rule);
    void check_names() const;
    static std::vector<Half> find_orders(const Network& network, const ShortestRule& rule,
                                         const Tables& tables);
    static std::vector<Half> find_lengths(const Network& network, const ShortestRule& rule,
                                          const Tables& tables);

    // Whether paths begin and end at a switch.
    [[nodiscard]] bool is_end(std::int32_t sw) const {
        return !rule_.between_nodes || num_terminals(sw) > 0;
    }
    [[nodiscard]] bool has_paths(std::int32_t from, std::int32_t to) const {
        return from != to && is_end(from) && is_end(to);
    }

    // The first link of the MIN path of a position, which becomes that of the rest of it.
    [[nodiscard]] const Adjacent& step_at(std::int32_t from, std::int32_t& position,
                                          std::int32_t to) const {
        const auto& [paths, begin, size, hops] = of(from, to);
        if (size == 1) return leaving(from, static_cast<std::int32_t>(begin));
        const auto* const known = size == 0 ? nullptr : tables_.leaving.data() + begin;
        if (paths == size) {  // one by each link
            return leaving(from, known[std::exchange(position, 0)]);
        }
        for (std::int32_t i = 0;; ++i) {
            const auto& step = leaving(from, known == nullptr ? i : known[i]);
            const auto& rest = of(step.sw, to);
            if (known == nullptr && rest.hops + 1 != hops) continue;
            if (position < rest.count) return step;
            position -= rest.count;
        }
    }

    // The only path of a switch to itself has no links.
    [[nodiscard]] double counted(std::int32_t from, std::int32_t to) const {
        return static_cast<double>(of(from, to).count);
    }
    [[nodiscard]] const Paths& of(std::int32_t from, std::int32_t to) const {
        const auto row = static_cast<std::size_t>(to) * static_cast<std::size_t>(num_switches());
        return tables_.paths[tables_.kind[row + static_cast<std::size_t>(from)]];
    }

    // A tree of the orders of kinds: where a link of each kind leads, 0 if there is none such.
    struct Step {
        std::array<std::size_t, kMaxKinds> next{};
        std::size_t code = 0;
    };

    ShortestRule rule_;
    bool are_by_length_;
    Tables tables_;
    std::vector<Step> steps_;
};

}  // namespace tvlb
