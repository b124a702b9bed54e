#include "lane.hpp"

#include <algorithm>
#include <limits>

namespace tvlb::forwarding {
namespace {

// What a link costs beside its load, which counts as a share of the mean to a power: ways are longer
// only around links with much traffic. Other figures near these give much the same tables.
constexpr double kLink = 4;
constexpr int kPower = 4;
// Of links and of channels behind a turn so many are looked at: more takes long and gains little.
constexpr std::size_t kMostTried = 4;
constexpr std::size_t kMostSearched = 40;
constexpr std::int32_t kUnreached = -1;
constexpr double kNoWay = std::numeric_limits<double>::infinity();
constexpr double kLeastGain = 1e-9;

}  // namespace

Lane::Lane(const Graph& graph, Table& table, std::int32_t root, double mean_load)
    : graph_(graph),
      table_(table),
      turns_(graph.links()),
      load_(graph.links(), 0),
      pricing_{mean_load, kPower},
      up_(graph.switches(), nullptr),
      down_(graph.switches(), nullptr),
      carried_(graph.switches()),
      children_(graph.switches()),
      hops_(graph.switches()),
      cost_(graph.switches()) {
    span_from(root);
}

void Lane::span_from(std::int32_t root) {
    std::vector<std::int32_t> reached{root};
    std::vector<std::vector<const Hop*>> arriving(graph_.switches()), leaving(graph_.switches());
    for (std::size_t i = 0; i < reached.size(); ++i) {
        for (const Hop& hop : graph_.leaving(reached[i])) {
            if (hop.target == root || down_[index(hop.target)] != nullptr) continue;
            const auto back = std::ranges::find(graph_.leaving(hop.target), hop.source, &Hop::target);
            up_[index(hop.target)] = &*back;
            down_[index(hop.target)] = &hop;
            for (const Hop* one : {&*back, &hop}) {
                leaving[index(one->source)].push_back(one);
                arriving[index(one->target)].push_back(one);
            }
            reached.push_back(hop.target);
        }
    }
    for (const auto sw : reached) {
        for (const auto* held : arriving[index(sw)]) {
            for (const auto* wanted : leaving[index(sw)]) {
                if (held->source == wanted->target) continue;
                restore({held, wanted});
                reserved_.push_back({held, wanted});
            }
        }
    }
}

bool Lane::reserve(const Turn& turn) {
    if (!add(turn, kMostSearched)) return false;
    reserved_.push_back(turn);
    return true;
}

void Lane::release() {
    for (const auto& turn : reserved_) remove(turn);
    reserved_.clear();
}

// It closed no circle before.
void Lane::restore(const Turn& turn) { [[maybe_unused]] const bool is_back = add(turn); }

bool Lane::add_for_now(const Turn& turn) {
    if (!add(turn, kMostSearched)) return false;
    added_.push_back(turn);
    return true;
}

void Lane::take_back() {
    for (const auto& turn : added_) remove(turn);
}

double Lane::price(const Hop& hop, std::int64_t routes) const {
    const auto load = load_[index(hop.link)] + static_cast<std::uint64_t>(routes) / 2;
    return kLink + pricing_.price(load);
}

void Lane::open(std::size_t node) {
    ports_ = table_.to(node);
    target_ = graph_.switch_of(node);
    for (std::int32_t sw = 0; sw < static_cast<std::int32_t>(graph_.switches()); ++sw) {
        carried_[index(sw)] = graph_.nodes_at(sw);
        children_[index(sw)].clear();
    }
    tree_.each(ports_, [&](const Hop& hop, std::int64_t routes) {
        carried_[index(hop.source)] = routes;
        children_[index(hop.target)].push_back(hop.source);
    });
}

void Lane::keep(std::size_t node) {
    tree_.each(table_.to(node), [&](const Hop& hop, std::int64_t routes) {
        load_[index(hop.link)] += static_cast<std::uint64_t>(routes);
    });
}

void Lane::grow(std::size_t node) {
    ports_ = table_.to(node);
    target_ = graph_.switch_of(node);
    std::ranges::fill(ports_, kNone);
    added_.clear();
    if (!spread()) {
        take_back();
        take_spanning_tree();
    }
    open(node);
    for (const auto sw : graph_.joined()) {
        if (sw == target_) continue;
        const Hop& hop = next(sw);
        // Nothing waits for what no route takes.
        if (carried_[index(sw)] == 0 && hop.target != target_) remove({&hop, &next(hop.target)});
        load_[index(hop.link)] += static_cast<std::uint64_t>(carried_[index(sw)]);
    }
}

// Whether it reaches all switches.
bool Lane::spread() {
    std::ranges::fill(hops_, kUnreached);
    hops_[index(target_)] = 0;
    cost_[index(target_)] = 0;
    std::vector<std::int32_t> reached{target_}, near;
    for (std::size_t begin = 0; begin < reached.size();) {
        near.clear();
        for (; begin < reached.size(); ++begin) {
            for (const Hop& hop : graph_.arriving(reached[begin])) {
                if (hops_[index(hop.source)] == kUnreached) near.push_back(hop.source);
            }
        }
        std::ranges::sort(near);
        near.erase(std::ranges::unique(near).begin(), near.end());
        const auto far = hops_[index(reached.back())];
        for (const auto sw : near) {
            found_.clear();
            for (const Hop& hop : graph_.leaving(sw)) {
                if (hops_[index(hop.target)] != far) continue;
                found_.emplace_back(price(hop, 0) + cost_[index(hop.target)], hop.port);
            }
            if (attach(sw)) reached.push_back(sw);
        }
    }
    return reached.size() == graph_.joined().size();
}

// By the cheapest link found that closes no circle.
bool Lane::attach(std::int32_t sw) {
    std::ranges::sort(found_);
    for (const auto& [cost, port] : found_) {
        const Hop& hop = graph_.hop(sw, port);
        if (hop.target != target_ && !add_for_now({&hop, &next(hop.target)})) continue;
        ports_[index(sw)] = port;
        hops_[index(sw)] = hops_[index(hop.target)] + 1;
        cost_[index(sw)] = cost;
        return true;
    }
    return false;
}

void Lane::take_spanning_tree() {
    for (std::size_t sw = 0; sw < graph_.switches(); ++sw) {
        ports_[sw] = up_[sw] == nullptr ? kNone : up_[sw]->port;
    }
    for (auto at = target_; down_[index(at)] != nullptr; at = down_[index(at)]->source) {
        ports_[index(down_[index(at)]->source)] = down_[index(at)]->port;
    }
    ports_[index(target_)] = kNone;
    for (const auto sw : graph_.joined()) {
        if (sw == target_ || next(sw).target == target_) continue;
        restore({&next(sw), &next(next(sw).target)});
    }
}

std::size_t Lane::improve(std::size_t node) {
    open(node);
    std::size_t changed = 0;
    for (std::int32_t sw = 0; sw < static_cast<std::int32_t>(graph_.switches()); ++sw) {
        const auto routes = carried_[index(sw)];
        if (sw == target_ || routes == 0) continue;
        carry(sw, -routes);
        find_cheaper(sw);
        changed += !found_.empty() && replace(sw);
        carry(sw, routes);
    }
    return changed;
}

// Adds routes to all links from a switch on.
void Lane::carry(std::int32_t sw, std::int64_t routes) {
    while (sw != target_) {
        const Hop& hop = next(sw);
        load_[index(hop.link)] += static_cast<std::uint64_t>(routes);
        carried_[index(hop.target)] += routes;
        sw = hop.target;
    }
}

// Of the way that begins with a link: kNoWay if it comes back to where that starts.
double Lane::cost(const Hop& first, std::int64_t routes) const {
    double sum = price(first, routes);
    for (auto at = first.target; at != target_; at = next(at).target) {
        if (at == first.source) return kNoWay;
        sum += price(next(at), routes);
    }
    return sum;
}

void Lane::find_cheaper(std::int32_t sw) {
    const auto routes = carried_[index(sw)];
    const auto present = cost(next(sw), routes) - kLeastGain;
    found_.clear();
    for (const Hop& hop : graph_.leaving(sw)) {
        const double other = cost(hop, routes);
        if (other < present) found_.emplace_back(other, hop.port);
    }
    std::ranges::sort(found_);
    found_.resize(std::min(found_.size(), kMostTried));
}

// By one of those found. The routes of the switch are taken out of the way behind it.
bool Lane::replace(std::int32_t sw) {
    const Hop& before = next(sw);
    each_own_turn(sw, [&](const Turn& turn) { return remove(turn), true; });
    for (const auto& [_, port] : found_) {
        ports_[index(sw)] = port;
        added_.clear();
        if (each_own_turn(sw, [&](const Turn& turn) { return add_for_now(turn); })) {
            std::erase(children_[index(before.target)], sw);
            children_[index(next(sw).target)].push_back(sw);
            return true;
        }
        take_back();
    }
    ports_[index(sw)] = before.port;
    each_own_turn(sw, [&](const Turn& turn) { return restore(turn), true; });
    return false;
}

// Calls `visit` for the turns that no routes but those of a switch take, as long as it returns true.
bool Lane::each_own_turn(std::int32_t sw, auto&& visit) const {
    const Hop* held = &next(sw);
    for (const auto child : children_[index(sw)]) {
        if (carried_[index(child)] > 0 && !visit(Turn{&next(child), held})) return false;
    }
    while (held->target != target_) {
        if (held->source != sw && carried_[index(held->source)] > 0) return true;
        const Hop* wanted = &next(held->target);
        if (!visit(Turn{held, wanted})) return false;
        held = wanted;
    }
    return true;
}

}  // namespace tvlb::forwarding
