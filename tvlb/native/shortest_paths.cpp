#include "shortest_paths.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <iterator>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "interrupt.hpp"
#include "paths_by_min_rule.hpp"

namespace tvlb {

bool comes_before(const Half& one, const Half& other) {
    return one.size() != other.size() ? one.size() < other.size() : one < other;
}

namespace {

constexpr std::int32_t kMostSwitches = 10'000;
constexpr std::uint8_t kUnreached = std::numeric_limits<std::uint8_t>::max();
constexpr std::uint16_t kNoPort = std::numeric_limits<std::uint16_t>::max();

[[nodiscard]] std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }

// Links by the switch where they arrive.
[[nodiscard]] std::vector<std::vector<std::int32_t>> arriving(const Network& network) {
    std::vector<std::vector<std::int32_t>> out(index(network.num_switches()));
    for (std::int32_t id = 0; id < network.num_links(); ++id) {
        out[index(network.target(id))].push_back(id);
    }
    return out;
}

// Orders of link kinds, numbered as they are found until they are too many.
class Orders {
public:
    using Set = std::bitset<256>;
    static constexpr std::size_t kEmpty = 0;

    // Those of a set with one more kind in front.
    [[nodiscard]] Set longer(std::uint8_t kind, const Set& rest) {
        Set out;
        for (std::size_t order = 0; order < orders_.size(); ++order) {
            if (rest[order]) out.set(longer(kind, order));
        }
        return out;
    }

    [[nodiscard]] bool are_too_many() const { return are_too_many_; }

    // Those of a set but the empty one, shorter ones first.
    [[nodiscard]] std::vector<Half> sorted(const Set& wanted) const {
        std::vector<Half> out;
        for (std::size_t order = kEmpty + 1; order < orders_.size(); ++order) {
            if (wanted[order]) out.push_back(orders_[order]);
        }
        std::ranges::sort(out, comes_before);
        return out;
    }

private:
    std::size_t longer(std::uint8_t kind, std::size_t rest) {
        auto& known = longer_[rest][kind];
        if (known != 0) return known;
        if (orders_.size() == Set{}.size()) {
            are_too_many_ = true;
            return kEmpty;
        }
        known = orders_.size();
        const auto number = known;
        Half order{kind};
        order.insert(order.end(), orders_[rest].begin(), orders_[rest].end());
        orders_.push_back(std::move(order));
        longer_.emplace_back();
        return number;
    }

    bool are_too_many_ = false;
    std::vector<Half> orders_{Half{}};
    std::vector<std::array<std::size_t, kMaxKinds>> longer_ =
        std::vector<std::array<std::size_t, kMaxKinds>>(1);  // 0: not known yet
};

// Adds up the MIN paths of a pair without a list of them.
class ShortestKernel final : public PathKernelOf<PathsByMinRule<ShortestPaths>> {
public:
    explicit ShortestKernel(const ShortestPaths& network)
        : PathKernelOf<PathsByMinRule<ShortestPaths>>(network), network_(network) {}

    [[nodiscard]] MinUsage min_usage(Switches sources, Switches targets) const override {
        if (network_.rule().chosen != Chosen::all) return PathKernelOf::min_usage(sources, targets);
        const auto classes = network_.num_classes();
        MinUsage out;
        out.profile.count.resize(sources.size() * classes);
        out.profile.weight.resize(sources.size() * classes);
        for (std::size_t pair = 0; pair < sources.size(); ++pair) {
            const auto s = sources[pair];
            const auto d = targets[pair];
            if (network_.min_paths(s, d) == 0) continue;
            const auto cell = pair * classes + static_cast<std::size_t>(network_.min_hops(s, d));
            out.profile.count[cell] = network_.min_paths(s, d);
            out.profile.weight[cell] = 1.0;
            for (const auto link : links_between(s, d)) {
                out.usage.cls.push_back(static_cast<std::int64_t>(cell));
                out.usage.link.push_back(link);
                out.usage.value.push_back(network_.share(s, link, d));
            }
        }
        return out;
    }

private:
    // Links that some MIN path takes, by rising id.
    [[nodiscard]] std::vector<std::int32_t> links_between(std::int32_t s, std::int32_t d) const {
        std::vector<std::int32_t> out;
        std::vector<std::int32_t> level{s};
        for (int left = network_.min_hops(s, d) - 1; left >= 0; --left) {
            std::vector<std::int32_t> next;
            for (const auto here : level) {
                const auto end = network_.num_terminals(here) + network_.num_leaving(here);
                for (auto port = network_.num_terminals(here); port < end; ++port) {
                    const auto link = network_.output_link(here, port);
                    if (network_.min_hops(network_.target(link), d) != left) continue;
                    out.push_back(link);
                    next.push_back(network_.target(link));
                }
            }
            std::ranges::sort(next);
            next.erase(std::unique(next.begin(), next.end()), next.end());
            level = std::move(next);
        }
        std::ranges::sort(out);
        return out;
    }

    const ShortestPaths& network_;
};

}  // namespace

// From every target backwards, in the order of the distance.
ShortestPaths::Tables ShortestPaths::count_paths(const Network& network,
                                                 const ShortestRule& rule) {
    const auto switches = index(network.num_switches());
    if (network.num_switches() > kMostSwitches) {
        throw std::invalid_argument(std::to_string(switches) + " switches; at most " +
                                    std::to_string(kMostSwitches) +
                                    " are supported where all shortest paths are MIN");
    }
    const auto links = arriving(network);
    const auto is_end = [&](std::int32_t sw) {
        return !rule.between_nodes || network.num_terminals(sw) > 0;
    };
    Tables out{std::vector<Pair>(switches * switches, Pair{0, kNoPort, kUnreached}), 1};
    std::size_t linked = 0;
    for (const auto& here : links) linked += here.empty() ? 0 : 1;
    std::vector<std::int32_t> reached;
    for (std::int32_t to = 0; to < network.num_switches(); ++to) {
        check_interrupt();
        auto* const pairs = out.pairs.data() + index(to) * switches;
        // Of several next switches, whether one comes before the link chosen so far.
        const auto is_earlier = [&](std::int32_t from, std::int32_t port, std::int32_t next) {
            if (pairs[from].first == kNoPort) return true;
            const auto chosen = network.num_terminals(from) + pairs[from].first;
            const auto other = network.target(network.output_link(from, chosen));
            const bool by_switch = rule.chosen == Chosen::lowest_switch && other != next;
            return by_switch ? next < other : port < chosen;
        };
        pairs[to].hops = 0;
        pairs[to].count = 1;
        reached.assign(1, to);
        for (std::size_t i = 0; i < reached.size(); ++i) {
            const auto here = reached[i];
            const Pair& rest = pairs[here];
            for (const auto link : links[index(here)]) {
                const auto from = network.source(link);
                Pair& pair = pairs[from];
                if (pair.hops == kUnreached) {
                    pair.hops = static_cast<std::uint8_t>(rest.hops + 1);
                    reached.push_back(from);
                }
                if (pair.hops != rest.hops + 1) continue;
                const auto port = network.link(link).output_port;
                if (is_earlier(from, port, here)) {
                    pair.first = static_cast<std::uint16_t>(port - network.num_terminals(from));
                }
                if (rule.chosen != Chosen::all) {
                    pair.count = 1;
                    continue;
                }
                if (pair.count > std::numeric_limits<std::int32_t>::max() - rest.count) {
                    throw std::invalid_argument("two switches have more than 2^31 - 1 MIN paths");
                }
                pair.count += rest.count;
            }
            if (rest.hops > kMaxHalfLinks) {
                throw std::invalid_argument("a MIN path has more than " +
                                            std::to_string(kMaxHalfLinks) + " hops");
            }
            if (is_end(to) && is_end(here)) out.most_paths = std::max(out.most_paths, rest.count);
        }
        if (!links[index(to)].empty() && reached.size() != linked) {
            throw std::invalid_argument("no path leads from every switch to switch " +
                                        std::to_string(to));
        }
    }
    return out;
}

// The orders of link kinds along MIN paths: of every pair those of its next switches, one link
// longer. None where they are too many.
std::vector<Half> ShortestPaths::find_orders(const Network& network, const ShortestRule& rule,
                                             const Tables& tables) {
    const auto switches = index(network.num_switches());
    const auto links = arriving(network);
    const auto is_end = [&](std::int32_t sw) {
        return !rule.between_nodes || network.num_terminals(sw) > 0;
    };
    Orders orders;
    Orders::Set found;
    std::vector<Orders::Set> of_switch(switches);
    std::vector<std::int32_t> nearest_first(switches);
    for (std::int32_t to = 0; to < network.num_switches(); ++to) {
        if (!is_end(to)) continue;
        check_interrupt();
        const auto* const pairs = tables.pairs.data() + index(to) * switches;
        std::iota(nearest_first.begin(), nearest_first.end(), 0);
        std::ranges::stable_sort(nearest_first, {}, [&](std::int32_t sw) { return pairs[sw].hops; });
        std::ranges::fill(of_switch, Orders::Set{});
        of_switch[index(to)].set(Orders::kEmpty);
        for (const auto here : nearest_first) {
            for (const auto link : links[index(here)]) {
                const auto from = network.source(link);
                if (pairs[from].hops != pairs[here].hops + 1) continue;
                const auto leaving = network.link(link).output_port - network.num_terminals(from);
                if (rule.chosen != Chosen::all && leaving != pairs[from].first) continue;
                of_switch[index(from)] |=
                    orders.longer(network.link(link).kind, of_switch[index(here)]);
                if (orders.are_too_many()) return {};
            }
            if (is_end(here)) found |= of_switch[index(here)];
        }
    }
    return orders.sorted(found);
}

// The first MIN path of some pair of every distance.
std::vector<Half> ShortestPaths::find_lengths(const Network& network, const ShortestRule& rule,
                                              const Tables& tables) {
    const auto switches = network.num_switches();
    const auto is_end = [&](std::int32_t sw) {
        return !rule.between_nodes || network.num_terminals(sw) > 0;
    };
    std::vector<Half> by_hops(index(kMaxHalfLinks) + 1);
    for (std::int32_t to = 0; to < switches; ++to) {
        const auto* const pairs = tables.pairs.data() + index(to) * index(switches);
        for (std::int32_t from = 0; from < switches; ++from) {
            if (from == to || pairs[from].hops == kUnreached || !is_end(from) || !is_end(to)) continue;
            auto& half = by_hops.at(pairs[from].hops);
            if (!half.empty()) continue;
            for (auto here = from; here != to;) {
                const auto port = network.num_terminals(here) + pairs[here].first;
                const auto& link = network.link(network.output_link(here, port));
                half.push_back(link.kind);
                here = link.target;
            }
        }
    }
    std::erase_if(by_hops, [](const Half& half) { return half.empty(); });
    return by_hops;
}

ShortestPaths::ShortestPaths(Network network, ShortestRule rule)
    : ShortestPaths(network, rule, count_paths(network, rule)) {}

ShortestPaths::ShortestPaths(Network network, ShortestRule rule, Tables tables)
    : ShortestPaths(network, rule, std::move(tables), find_orders(network, rule, tables)) {}

ShortestPaths::ShortestPaths(Network network, ShortestRule rule, Tables&& tables,
                             std::vector<Half> orders)
    : Topology(network, orders.empty() ? find_lengths(network, rule, tables) : orders),
      rule_(rule),
      are_by_length_(orders.empty()),
      tables_(std::move(tables)),
      steps_(1) {
    if (rule_.by_link) check_names();
    if (are_by_length_) {
        steps_.resize(index(half_links()) + 1);
        for (std::size_t at = 0; at + 1 < steps_.size(); ++at) steps_[at].next.fill(at + 1);
        for (std::size_t code = 0; code < halves().size(); ++code) {
            steps_[halves()[code].size()].code = code;
        }
        return;
    }
    for (std::size_t code = 0; code < halves().size(); ++code) {
        std::size_t at = 0;
        for (const auto kind : halves()[code]) {
            if (steps_[at].next[kind] == 0) {
                steps_[at].next[kind] = steps_.size();
                steps_.emplace_back();
            }
            at = steps_[at].next[kind];
        }
        steps_[at].code = code;
    }
}

void ShortestPaths::check_names() const {
    for (std::int32_t from = 0; from < num_switches(); ++from) {
        for (std::int32_t to = 0; to < num_switches(); ++to) {
            if (min_paths(from, to) < 2) continue;
            auto port = num_terminals(from);
            for (const auto end = port + num_leaving(from); port < end; ++port) {
                const auto next = target(output_link(from, port));
                if (min_hops(next, to) + 1 == min_hops(from, to) && of(next, to).count > 1) {
                    throw std::invalid_argument("several MIN paths begin with one link");
                }
            }
        }
    }
}

std::int32_t ShortestPaths::min_position(std::int32_t from, std::int32_t to,
                                         std::int32_t name) const {
    const auto paths = min_paths(from, to);
    if (!rule_.by_link) return name >= 0 && name < paths ? name : kAbsent;
    for (std::int32_t position = 0; position < paths; ++position) {
        if (min_name(from, to, position) == name) return position;
    }
    return kAbsent;
}

std::size_t ShortestPaths::min_half(std::int32_t from, std::int32_t name, std::int32_t to) const {
    std::size_t at = 0;
    visit_min(from, name, to, [&](std::int32_t id) { at = steps_[at].next[link(id).kind]; });
    return steps_[at].code;
}

// The shortest paths to a switch, one link longer, are shortest paths to the switches behind it. By
// step of the tree of orders; one that no half begins with leads nowhere.
std::vector<std::vector<HalfCount>> ShortestPaths::half_counts(std::int32_t from) const {
    if (rule_.chosen != Chosen::all) return Topology::half_counts(from);
    std::vector<std::vector<HalfCount>> out(index(num_switches()));
    std::vector<int> hops(out.size());
    for (std::size_t to = 0; to < out.size(); ++to) {
        hops[to] = min_hops(from, static_cast<std::int32_t>(to));
    }
    std::vector<std::vector<std::pair<std::size_t, std::int32_t>>> counts(out.size());
    const auto add = [&](std::int32_t to, std::size_t step, std::int32_t count) {
        auto& here = counts[index(to)];
        const auto known = std::ranges::find(here, step, [](const auto& one) { return one.first; });
        if (known != here.end()) {
            known->second += count;
        } else {
            here.emplace_back(step, count);
        }
    };
    counts[index(from)].emplace_back(0, 1);
    std::vector<std::int32_t> reached{from};
    std::vector<bool> is_reached(out.size());
    for (std::size_t i = 0; i < reached.size(); ++i) {
        const auto here = reached[i];
        for (std::int32_t leaving = 0; leaving < num_leaving(here); ++leaving) {
            const auto& next = link(leaving_link(here, leaving));
            if (hops[index(next.target)] != hops[index(here)] + 1) continue;
            if (!is_reached[index(next.target)]) reached.push_back(next.target);
            is_reached[index(next.target)] = true;
            for (const auto& [step, count] : counts[index(here)]) {
                if (const auto then = steps_[step].next[next.kind]) add(next.target, then, count);
            }
        }
    }
    for (const auto to : reached) {
        if (to == from || !has_choice(from, to)) continue;
        for (const auto& [step, count] : counts[index(to)]) {
            out[index(to)].push_back({static_cast<std::uint16_t>(steps_[step].code), count});
        }
        std::ranges::sort(out[index(to)], {}, &HalfCount::code);
    }
    return out;
}

std::unique_ptr<PathKernel> ShortestPaths::kernel() const {
    return std::make_unique<ShortestKernel>(*this);
}

}  // namespace tvlb
