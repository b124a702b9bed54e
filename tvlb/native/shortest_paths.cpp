#include "shortest_paths.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
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

// Kinds of pairs, each once; links are left out beyond so many.
class ShortestPaths::Kinds {
public:
    static constexpr std::uint32_t kUnlinked = 0;
    static constexpr std::uint32_t kItself = 1;

    Kinds(Tables& tables, std::size_t most) : tables_(tables), most_(most) {
        tables_.paths = {{0, 0, 0, kUnreached}, {1, 0, 0, 0}};
    }

    // `leaving` are the links at the source, in no order.
    std::uint32_t find(std::int32_t count, std::uint8_t hops, std::span<std::uint16_t> leaving) {
        std::ranges::sort(leaving);
        const auto low = static_cast<std::uint32_t>(count);
        key_.assign({static_cast<char16_t>(low), static_cast<char16_t>(low >> 16U), hops});
        key_.append(leaving.begin(), leaving.end());
        if (const auto found = known_.find(key_); found != known_.end()) return found->second;
        if (tables_.paths.size() >= most_ && leaving.size() > 1) {
            key_.resize(3);
            if (const auto found = known_.find(key_); found != known_.end()) return found->second;
            leaving = {};
        }
        const auto kind = static_cast<std::uint32_t>(tables_.paths.size());
        known_.emplace(key_, kind);
        auto begin = static_cast<std::uint32_t>(tables_.leaving.size());
        if (leaving.size() == 1) begin = leaving.front();
        else tables_.leaving.insert(tables_.leaving.end(), leaving.begin(), leaving.end());
        tables_.paths.push_back({count, begin, static_cast<std::uint16_t>(leaving.size()), hops});
        return kind;
    }

private:
    Tables& tables_;
    std::size_t most_;
    std::u16string key_;
    std::unordered_map<std::u16string, std::uint32_t> known_;
};

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
    Tables out;
    Kinds kinds(out, rule.most_kinds);
    std::vector<std::uint32_t> kind(switches * switches, Kinds::kUnlinked);
    std::size_t linked = 0;
    for (const auto& here : links) linked += here.empty() ? 0 : 1;
    std::vector<std::size_t> begin(1, 0);  // of the links that leave a switch
    for (std::int32_t sw = 0; sw < network.num_switches(); ++sw) {
        begin.push_back(begin.back() + index(network.num_leaving(sw)));
    }
    std::vector<std::uint16_t> leaving(begin.back());
    std::vector<std::size_t> chosen(switches);  // of them
    std::vector<std::int32_t> count(switches);
    std::vector<std::uint8_t> hops(switches);
    std::vector<std::int32_t> reached;
    for (std::int32_t to = 0; to < network.num_switches(); ++to) {
        check_interrupt();
        std::ranges::fill(chosen, 0);
        std::ranges::fill(count, 0);
        std::ranges::fill(hops, kUnreached);
        // Of several next switches, whether one comes before the link chosen so far.
        const auto is_earlier = [&](std::int32_t from, std::int32_t position, std::int32_t next) {
            if (chosen[index(from)] == 0) return true;
            const auto before = leaving[begin[index(from)]];
            const auto other = network.leaving(from, before).sw;
            const bool by_switch = rule.chosen == Chosen::lowest_switch && other != next;
            return by_switch ? next < other : position < before;
        };
        hops[index(to)] = 0;
        count[index(to)] = 1;
        reached.assign(1, to);
        for (std::size_t i = 0; i < reached.size(); ++i) {
            const auto here = reached[i];
            const auto nearer = hops[index(here)];
            for (const auto link : links[index(here)]) {
                const auto from = network.source(link);
                const auto at = index(from);
                if (hops[at] == kUnreached) {
                    hops[at] = static_cast<std::uint8_t>(nearer + 1);
                    reached.push_back(from);
                }
                if (hops[at] != nearer + 1) continue;
                const auto position = network.link(link).output_port - network.num_terminals(from);
                if (rule.chosen != Chosen::all) {
                    if (is_earlier(from, position, here)) {
                        leaving[begin[at]] = static_cast<std::uint16_t>(position);
                    }
                    chosen[at] = 1;
                    count[at] = 1;
                    continue;
                }
                leaving[begin[at] + chosen[at]++] = static_cast<std::uint16_t>(position);
                if (count[at] > std::numeric_limits<std::int32_t>::max() - count[index(here)]) {
                    throw std::invalid_argument("two switches have more than 2^31 - 1 MIN paths");
                }
                count[at] += count[index(here)];
            }
            if (nearer > kMaxHalfLinks) {
                throw std::invalid_argument("a MIN path has more than " +
                                            std::to_string(kMaxHalfLinks) + " hops");
            }
            if (is_end(to) && is_end(here)) out.most_paths = std::max(out.most_paths, count[index(here)]);
        }
        if (!links[index(to)].empty() && reached.size() != linked) {
            throw std::invalid_argument("no path leads from every switch to switch " +
                                        std::to_string(to));
        }
        auto* const row = kind.data() + index(to) * switches;
        row[to] = Kinds::kItself;
        for (const auto from : std::span(reached).subspan(1)) {
            const auto at = index(from);
            row[from] = kinds.find(count[at], hops[at], std::span(leaving).subspan(begin[at], chosen[at]));
        }
    }
    out.kind = PackedNumbers(kind);
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
        const auto of = [&](std::int32_t from) -> const Paths& {
            return tables.paths[tables.kind[index(to) * switches + index(from)]];
        };
        std::iota(nearest_first.begin(), nearest_first.end(), 0);
        std::ranges::stable_sort(nearest_first, {}, [&](std::int32_t sw) { return of(sw).hops; });
        std::ranges::fill(of_switch, Orders::Set{});
        of_switch[index(to)].set(Orders::kEmpty);
        for (const auto here : nearest_first) {
            for (const auto link : links[index(here)]) {
                const auto from = network.source(link);
                if (of(from).hops != of(here).hops + 1) continue;
                const auto leaving = network.link(link).output_port - network.num_terminals(from);
                if (rule.chosen != Chosen::all && leaving != static_cast<std::int32_t>(of(from).begin)) continue;
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
        const auto of = [&](std::int32_t from) -> const Paths& {
            return tables.paths[tables.kind[index(to) * index(switches) + index(from)]];
        };
        for (std::int32_t from = 0; from < switches; ++from) {
            if (from == to || of(from).hops == kUnreached || !is_end(from) || !is_end(to)) continue;
            auto& half = by_hops.at(of(from).hops);
            if (!half.empty()) continue;
            for (auto here = from; here != to;) {
                const auto& paths = of(here);
                auto first = paths.size == 1 ? static_cast<std::int32_t>(paths.begin)
                             : paths.size == 0 ? 0 : tables.leaving[paths.begin];
                // Where it is not known, that of the lowest position that leads nearer.
                while (of(network.leaving(here, first).sw).hops + 1 != paths.hops) ++first;
                const auto& link = network.link(network.leaving(here, first).link);
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
            const auto& next = link(this->leaving(here, leaving).link);
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
