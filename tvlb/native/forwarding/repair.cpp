#include "repair.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "../interrupt.hpp"
#include "ordered.hpp"
#include "shortest_trees.hpp"

namespace tvlb::forwarding {

Repair::Repair(const Graph& graph, Table kept, bool is_shortest, std::vector<std::int32_t> place,
               const vc::DependencyGraph* dependencies)
    : graph_(graph), is_shortest_(is_shortest), kept_(std::move(kept)),
      table_(kept_), is_open_(graph.nodes(), false), waiting_(graph.switches()),
      carried_(graph.switches()) {
    if (is_shortest_) {
        engine_ = std::make_unique<Psssp>(graph);
        drop_longer();
    } else {
        auto ordered = std::make_unique<Ordered>(graph, std::move(place), kept_, dependencies);
        ordered_ = ordered.get();
        engine_ = std::move(ordered);
    }
    for (std::size_t node = 0; node < graph.nodes(); ++node) is_open_[node] = missing(node, kept_) > 0;
}

void Repair::drop_longer() {
    ShortestWays ways(graph_);
    for (std::size_t node = 0; node < graph_.nodes(); ++node) {
        check_interrupt();
        ways.find(graph_.switch_of(node));
        const auto ports = kept_.to(node);
        for (std::int32_t sw = 0; sw < static_cast<std::int32_t>(ports.size()); ++sw) {
            auto& port = ports[static_cast<std::size_t>(sw)];
            if (port == kNone) continue;
            const auto next = static_cast<std::size_t>(graph_.hop(sw, port).target);
            if (ways.hops()[next] + 1 != ways.hops()[static_cast<std::size_t>(sw)]) port = kNone;
        }
    }
    table_ = kept_;
}

bool Repair::is_missing(std::int32_t sw, std::int32_t target, Port port) const {
    return port == kNone && sw != target && !graph_.leaving(sw).empty();
}

std::uint64_t Repair::missing(std::size_t node, const Table& table) const {
    std::uint64_t found = 0;
    const auto ports = table.to(node);
    for (std::int32_t sw = 0; sw < static_cast<std::int32_t>(ports.size()); ++sw) {
        found += is_missing(sw, graph_.switch_of(node), ports[static_cast<std::size_t>(sw)]);
    }
    return found;
}

std::uint64_t Repair::num_missing() const {
    std::uint64_t found = 0;
    for (std::size_t node = 0; node < graph_.nodes(); ++node) found += missing(node, kept_);
    return found;
}

std::uint64_t Repair::fill(std::span<const std::int32_t> order) {
    std::uint64_t left = 0;
    // Those that are complete first: what is there decides on the rest.
    for (const bool open : {false, true}) {
        for (const auto number : order) {
            const auto node = static_cast<std::size_t>(number);
            if (is_open_[node] != open) continue;
            check_interrupt();
            if (const auto lost = add(node); lost > 0) {
                left += lost;
                lost_.push_back(number);
            }
        }
    }
    return left > 0 && ordered_ != nullptr && ordered_->is_flexible() ? make_way() : left;
}

// Returns how many entries no way completes. Some that were there may lead to others that changed, and on
// no allowed way then.
std::uint64_t Repair::add(std::size_t node) {
    engine_->add(node, table_.to(node));
    const auto lost = missing(node, table_);
    if (lost > 0 && ordered_ != nullptr && ordered_->is_flexible()) return lost;
    const auto kept = kept_.to(node);
    for (std::size_t sw = 0; sw < kept.size(); ++sw) {
        if (kept[sw] != table_.to(node)[sw]) kept[sw] = kNone;
    }
    return lost;
}

void Repair::take_out(std::size_t node) {
    engine_->remove(node, table_.to(node));
    std::ranges::copy(kept_.to(node), table_.to(node).begin());
}

// Takes routes out that leave others no way, and routes them behind those. Returns the number of entries
// that no way completes all the same.
std::uint64_t Repair::make_way() {
    auto cleared = graph_.nodes();
    for (const auto node : lost_) take_out(static_cast<std::size_t>(node));
    for (std::size_t i = 0; i < lost_.size();) {
        check_interrupt();
        const auto node = static_cast<std::size_t>(lost_[i]);
        const auto lost = add(node);
        if (lost == 0) {
            ++i;
            continue;
        }
        const auto turn = ordered_->obstacle(table_.to(node));
        if (!turn || cleared-- == 0) return lost;
        take_out(node);
        ordered_->clear(*turn);
        const std::vector<std::int32_t> out(lost_.begin() + static_cast<std::ptrdiff_t>(i), lost_.end());
        for (std::int32_t other = 0; static_cast<std::size_t>(other) < graph_.nodes(); ++other) {
            const auto ports = table_.to(static_cast<std::size_t>(other));
            const auto takes = [&](const Hop* hop) {
                return ports[static_cast<std::size_t>(hop->source)] == hop->port;
            };
            if (!takes(turn->held) || !takes(turn->wanted)) continue;
            if (graph_.switch_of(static_cast<std::size_t>(other)) == turn->held->target) continue;
            if (std::ranges::find(out, other) == out.end()) {
                take_out(static_cast<std::size_t>(other));
                lost_.push_back(other);
                is_open_[static_cast<std::size_t>(other)] = true;
            }
            const auto at = static_cast<std::size_t>(turn->held->source);
            ports[at] = kept_.to(static_cast<std::size_t>(other))[at] = kNone;
        }
    }
    return 0;
}

void Repair::fill_again(std::span<const std::int32_t> order, int power) {
    std::vector<std::int32_t> open;
    std::ranges::copy_if(order, std::back_inserter(open),
                         [&](auto node) { return is_open_[static_cast<std::size_t>(node)]; });
    route_again(open, power);
}

void Repair::reroute(std::span<const std::int32_t> order, std::vector<std::int32_t> place, int passes) {
    ordered_->fix(std::move(place));
    kept_ = Table(graph_.nodes(), graph_.switches());
    for (int pass = 0; pass < passes; ++pass) route_again(order, 1);
    keep_what_is_as_before();
}

void Repair::replace(Table table) {
    for (std::size_t node = 0; node < graph_.nodes(); ++node) {
        engine_->remove(node, table_.to(node));
        engine_->keep(table.to(node));
    }
    table_ = std::move(table);
    keep_what_is_as_before();
}

void Repair::keep_what_is_as_before() {
    for (std::size_t node = 0; node < graph_.nodes(); ++node) {
        std::ranges::transform(ordered_->before().to(node), table_.to(node), kept_.to(node).begin(),
                               [](Port old, Port now) { return old == now ? now : kNone; });
    }
}

void Repair::route_again(std::span<const std::int32_t> nodes, int power) {
    const Table before = table_;
    engine_->route_again(nodes, power, table_, &kept_);
    for (const auto number : nodes) {
        const auto node = static_cast<std::size_t>(number);
        if (completes_kept(node)) continue;
        // By other loads, ways in an order may leave a switch none, or move what could stay.
        engine_->remove(node, table_.to(node));
        std::ranges::copy(before.to(node), table_.to(node).begin());
        engine_->keep(table_.to(node));
    }
}

bool Repair::completes_kept(std::size_t node) const {
    const auto is_kept = [](Port kept, Port port) { return kept == kNone || kept == port; };
    return missing(node, table_) == 0 &&
           std::ranges::equal(kept_.to(node), table_.to(node), is_kept);
}

void Repair::rebalance(std::uint64_t most) {
    hops_.resize(graph_.switches());
    budget_ = most;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        check_interrupt();
        std::uint64_t load = 0, second = 0;
        std::size_t highest = 0;
        for (std::size_t link = 0; link < loads().size(); ++link) {
            if (loads()[link] > load) {
                second = std::exchange(load, loads()[link]);
                highest = link;
            } else if (loads()[link] > second) {
                second = loads()[link];
            }
        }
        if (load == 0) return;
        const Hop& hop = graph_.of_link(highest);
        auto destinations = over(hop);
        while (loads()[highest] >= std::min(second, load - 1) && unload(hop, destinations)) {
            has_changed = true;
        }
    }
}

std::vector<Repair::Destination> Repair::over(const Hop& hop) {
    std::vector<Destination> found;
    for (std::int32_t node = 0; static_cast<std::size_t>(node) < graph_.nodes(); ++node) {
        const auto ports = table_.to(static_cast<std::size_t>(node));
        if (ports[static_cast<std::size_t>(hop.source)] != hop.port) continue;
        if (auto entries = entries_over(node, hop); !entries.empty()) {
            found.push_back({node, std::move(entries)});
        }
    }
    return found;
}

std::vector<Repair::Taken> Repair::entries_over(std::int32_t node, const Hop& hop) {
    const auto ports = table_.to(static_cast<std::size_t>(node));
    const auto leads_on = [&](const Hop& one) {
        return ports[static_cast<std::size_t>(one.source)] == one.port;
    };
    std::vector<Taken> found;
    if (!leads_on(hop)) return found;
    // As `Tree::each` goes, by what arrives here alone.
    above_.assign(1, hop.source);
    ends_.clear();
    for (std::size_t i = 0; i < above_.size(); ++i) {
        const auto at = static_cast<std::size_t>(above_[i]);
        const auto known = above_.size();
        for (const Hop& one : graph_.arriving(above_[i])) {
            if (leads_on(one)) above_.push_back(one.source);
        }
        waiting_[at] = above_.size() - known;
        carried_[at] = graph_.nodes_at(above_[i]);
        if (waiting_[at] == 0) ends_.push_back(above_[i]);
    }
    std::ranges::sort(ends_);
    for (auto at : ends_) {
        while (true) {
            const auto here = static_cast<std::size_t>(at);
            if (carried_[here] > 0) found.push_back({&graph_.hop(at, ports[here]), carried_[here]});
            if (at == hop.source) break;
            at = graph_.hop(at, ports[here]).target;
            carried_[static_cast<std::size_t>(at)] += carried_[here];
            if (--waiting_[static_cast<std::size_t>(at)] > 0) break;
        }
    }
    std::ranges::reverse(found);
    return found;
}

// Changes one entry by which routes come to a link, that after which the load of the busiest link on the
// new way is the lowest.
bool Repair::unload(const Hop& hop, std::vector<Destination>& over) {
    const auto load = loads()[static_cast<std::size_t>(hop.link)];
    auto least = load;
    const Hop* to = nullptr;
    Taken moved{};
    Destination* of = nullptr;
    for (auto& destination : over) {
        for (const auto& taken : destination.entries) {
            if (budget_ == 0 && !is_free(destination.node, taken.hop->source)) continue;
            for (const Hop& other : graph_.leaving(taken.hop->source)) {
                const auto routes = static_cast<std::uint64_t>(taken.routes);
                // The load of the link itself is enough to rule most out.
                if (other.port == taken.hop->port ||
                    loads()[static_cast<std::size_t>(other.link)] + routes >= least) {
                    continue;
                }
                const auto highest = highest_behind(destination.node, other, hop, least - routes);
                if (highest == kNoWay || !may_change(destination.node, other)) continue;
                least = highest + routes;
                to = &other;
                moved = taken;
                of = &destination;
            }
        }
    }
    if (to == nullptr) return false;
    if (!is_free(of->node, to->source)) {
        --budget_;
        // It may change again.
        kept_.to(static_cast<std::size_t>(of->node))[static_cast<std::size_t>(to->source)] = kNone;
    }
    shift(of->node, *moved.hop, -moved.routes);
    table_.to(static_cast<std::size_t>(of->node))[static_cast<std::size_t>(to->source)] = to->port;
    shift(of->node, *to, moved.routes);
    of->entries = entries_over(of->node, hop);
    return true;
}

bool Repair::is_free(std::int32_t node, std::int32_t sw) const {
    return kept_.to(static_cast<std::size_t>(node))[static_cast<std::size_t>(sw)] == kNone;
}

// Whether an entry is allowed from which a way goes on, see `highest_behind`.
bool Repair::may_change(std::int32_t node, const Hop& to) {
    if (is_shortest_) {
        const auto& hops = hops_to(graph_.switch_of(static_cast<std::size_t>(node)));
        return hops[static_cast<std::size_t>(to.target)] + 1 == hops[static_cast<std::size_t>(to.source)];
    }
    const auto place = ordered_->places();
    if (place.empty()) return true;
    if (!ordered_->mixes(static_cast<std::size_t>(node), to)) return false;
    const auto ports = table_.to(static_cast<std::size_t>(node));
    return std::ranges::all_of(graph_.arriving(to.source), [&](const Hop& hop) {
        return ports[static_cast<std::size_t>(hop.source)] != hop.port ||
               place[static_cast<std::size_t>(hop.link)] < place[static_cast<std::size_t>(to.link)];
    });
}

// The highest load of a link and of those behind it; kNoWay if that is not below a bound, the way takes
// another link, as those do that come back, or it does not keep to the order.
std::uint64_t Repair::highest_behind(std::int32_t node, const Hop& first, const Hop& without,
                                     std::uint64_t bound) const {
    const auto ports = table_.to(static_cast<std::size_t>(node));
    const auto target = graph_.switch_of(static_cast<std::size_t>(node));
    const auto place = is_shortest_ ? std::span<const std::int32_t>() : ordered_->places();
    std::uint64_t highest = 0;
    for (const Hop* hop = &first;;) {
        highest = std::max(highest, loads()[static_cast<std::size_t>(hop->link)]);
        if (highest >= bound || hop->link == without.link) return kNoWay;
        if (hop->target == target) return highest;
        const Hop& next = graph_.hop(hop->target, ports[static_cast<std::size_t>(hop->target)]);
        // Entries by which no route came yet are in no order.
        if (!place.empty() && place[static_cast<std::size_t>(hop->link)] >=
                                  place[static_cast<std::size_t>(next.link)]) {
            return kNoWay;
        }
        hop = &next;
    }
}

// Adds routes to a link and to those behind it.
void Repair::shift(std::int32_t node, const Hop& first, std::int64_t routes) {
    const auto ports = table_.to(static_cast<std::size_t>(node));
    const auto target = graph_.switch_of(static_cast<std::size_t>(node));
    engine_->move(first, routes);
    for (auto at = first.target; at != target;) {
        const Hop& next = graph_.hop(at, ports[static_cast<std::size_t>(at)]);
        engine_->move(next, routes);
        at = next.target;
    }
}

const std::vector<std::uint16_t>& Repair::hops_to(std::int32_t target) {
    auto& hops = hops_[static_cast<std::size_t>(target)];
    if (hops.empty()) {
        ShortestWays ways(graph_);
        ways.find(target);
        hops.assign(ways.hops().begin(), ways.hops().end());
    }
    return hops;
}

std::vector<Change> update_order(const Graph& graph, const Table& before, const Table& after) {
    struct Placed {
        std::int32_t depth;
        Change change;
    };
    std::vector<Placed> found;
    std::vector<std::int32_t> depth(graph.switches());
    std::vector<Hop> taken;
    Tree tree(graph);
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        const auto old = before.to(node);
        const auto now = after.to(node);
        if (std::ranges::equal(old, now)) continue;
        check_interrupt();
        taken.clear();
        tree.each(now, [&](const Hop& hop, std::int64_t) { taken.push_back(hop); });
        depth[static_cast<std::size_t>(graph.switch_of(node))] = 0;
        for (auto hop = taken.rbegin(); hop != taken.rend(); ++hop) {
            const auto sw = static_cast<std::size_t>(hop->source);
            depth[sw] = depth[static_cast<std::size_t>(hop->target)] + 1;
            if (old[sw] == now[sw]) continue;
            found.push_back({depth[sw], {static_cast<std::int32_t>(node), hop->source}});
        }
    }
    std::ranges::stable_sort(found, {}, &Placed::depth);
    std::vector<Change> changes;
    for (const auto& one : found) changes.push_back(one.change);
    return changes;
}

namespace {

// Blocks that wait to be written, with entries that wait for others.
class Blocks {
public:
    Blocks(const Graph& graph, const Table& after, std::span<const Change> changes,
           std::span<const std::int32_t> block_of_node)
        : changes_(changes), behind_(changes.size()), waits_(changes.size(), false) {
        std::unordered_map<std::int64_t, std::size_t> known;
        for (const auto& [node, sw] : changes) {
            const auto number = block_of_node[static_cast<std::size_t>(node)];
            const auto key = (std::int64_t{sw} << 32) + number;
            const auto block = known.try_emplace(key, blocks_.size()).first->second;
            if (block == blocks_.size()) blocks_.push_back({sw, number, {}, 0});
            blocks_[block].entries.push_back(block_of_.size());
            block_of_.push_back(block);
        }
        link_entries(graph, after);
        for (std::size_t i = 0; i < blocks_.size(); ++i) queue_.insert(key_of(i));
    }

    BlockWrites write() {
        BlockWrites writes;
        writes.of_change.resize(changes_.size());
        while (!queue_.empty()) {
            check_interrupt();
            const auto block = std::get<2>(*queue_.begin());
            queue_.erase(queue_.begin());
            const auto number = static_cast<std::int32_t>(writes.sw.size());
            writes.sw.push_back(blocks_[block].sw);
            writes.block.push_back(blocks_[block].block);
            for (const auto entry : write(block)) writes.of_change[entry] = number;
            if (!blocks_[block].entries.empty()) queue_.insert(key_of(block));
        }
        return writes;
    }

private:
    struct Block {
        std::int32_t sw, block;
        std::vector<std::size_t> entries;  // not written yet
        std::size_t waiting;               // of them
    };
    // Those of which nothing waits come first, then those of which most can be written.
    using Key = std::tuple<bool, std::int64_t, std::size_t>;

    [[nodiscard]] Key key_of(std::size_t block) const {
        const auto& [sw, number, entries, waiting] = blocks_[block];
        return {waiting > 0, -static_cast<std::int64_t>(entries.size() - waiting), block};
    }

    // An entry waits for the first one that changes on the new way behind it.
    void link_entries(const Graph& graph, const Table& after) {
        std::vector<std::size_t> by_node(changes_.size());
        std::iota(by_node.begin(), by_node.end(), std::size_t{0});
        std::ranges::stable_sort(by_node, {}, [&](auto i) { return changes_[i].node; });
        std::vector<std::size_t> entry(graph.switches(), kNoEntry);  // of the node, by switch
        const auto entry_at = [&](auto sw) -> auto& { return entry[static_cast<std::size_t>(sw)]; };
        for (auto begin = by_node.begin(); begin != by_node.end();) {
            const auto node = changes_[*begin].node;
            const auto is_other = [&](auto i) { return changes_[i].node != node; };
            const auto end = std::find_if(begin, by_node.end(), is_other);
            const std::span of_node(begin, end);
            for (const auto i : of_node) entry_at(changes_[i].sw) = i;
            const auto ports = after.to(static_cast<std::size_t>(node));
            const auto target = graph.switch_of(static_cast<std::size_t>(node));
            const auto ahead = [&](std::int32_t sw) {
                return graph.hop(sw, ports[static_cast<std::size_t>(sw)]).target;
            };
            for (const auto i : of_node) {
                auto at = ahead(changes_[i].sw);
                while (at != target && entry_at(at) == kNoEntry) at = ahead(at);
                if (const auto next = entry_at(at); next != kNoEntry) {
                    behind_[next].push_back(i);
                    waits_[i] = true;
                    ++blocks_[block_of_[i]].waiting;
                }
            }
            for (const auto i : of_node) entry_at(changes_[i].sw) = kNoEntry;
            begin = end;
        }
    }

    // Returns the entries that change.
    std::vector<std::size_t> write(std::size_t block) {
        auto& entries = blocks_[block].entries;
        const auto first = std::ranges::stable_partition(entries, [&](auto i) { return waits_[i]; }).begin();
        std::vector<std::size_t> written(first, entries.end());
        entries.erase(first, entries.end());
        for (const auto one : written) {
            for (const auto next : behind_[one]) {
                const auto other = block_of_[next];
                const bool is_queued = other != block;
                if (is_queued) queue_.erase(key_of(other));
                waits_[next] = false;
                --blocks_[other].waiting;
                if (is_queued) queue_.insert(key_of(other));
            }
        }
        return written;
    }

    static constexpr auto kNoEntry = std::numeric_limits<std::size_t>::max();

    std::span<const Change> changes_;
    std::vector<std::vector<std::size_t>> behind_;  // by entry, those that wait for it
    std::vector<bool> waits_;                       // by entry
    std::vector<std::size_t> block_of_;             // by entry
    std::vector<Block> blocks_;
    std::set<Key> queue_;
};

}  // namespace

BlockWrites block_order(const Graph& graph, const Table& after, std::span<const Change> changes,
                        std::span<const std::int32_t> block_of_node) {
    return Blocks(graph, after, changes, block_of_node).write();
}

}  // namespace tvlb::forwarding
