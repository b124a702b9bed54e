#include "ordered.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace tvlb::forwarding {

std::vector<std::int32_t> link_order(const Graph& graph, const vc::DependencyGraph& dependencies) {
    const auto order = dependencies.order();
    std::vector<std::int32_t> place(order.size(), 0);
    for (std::size_t at = 0; at < order.size(); ++at) {
        place[order[at]] = 2 * static_cast<std::int32_t>(at) + 1;
    }
    if (place.empty()) return place;
    std::vector<bool> is_free(place.size(), true);
    std::vector<std::int32_t> target(place.size());
    for (std::int32_t sw = 0; sw < static_cast<std::int32_t>(graph.switches()); ++sw) {
        for (const Hop& hop : graph.leaving(sw)) {
            const auto held = static_cast<std::size_t>(hop.link);
            target[held] = hop.target;
            for (const Hop& next : graph.leaving(hop.target)) {
                const auto wanted = static_cast<std::size_t>(next.link);
                using Channel = vc::DependencyGraph::Channel;
                if (dependencies.routes(static_cast<Channel>(held), static_cast<Channel>(wanted)) == 0) {
                    continue;
                }
                is_free[held] = is_free[wanted] = false;
            }
        }
    }
    const auto last = 2 * static_cast<std::int32_t>(place.size()) + 1;
    for (std::size_t link = 0; link < place.size(); ++link) {
        if (!is_free[link]) continue;
        auto first = last;
        for (const Hop& next : graph.leaving(target[link])) {
            const auto onward = static_cast<std::size_t>(next.link);
            if (!is_free[onward]) first = std::min(first, place[onward]);
        }
        place[link] = first - 1;
    }
    return place;
}

Ordered::Ordered(const Graph& graph, std::vector<std::int32_t> place, Table before,
                 const vc::DependencyGraph* dependencies)
    : TreeEngine(graph), place_(std::move(place)), before_(std::move(before)), sources_(0),
      first_kept_(graph.switches()), next_kept_(graph.switches()), latest_(graph.switches()),
      mixed_(graph.nodes()), depth_(graph.switches()), cost_(graph.switches()),
      best_(graph.switches()) {
    for (std::int32_t sw = 0; sw < static_cast<std::int32_t>(graph.switches()); ++sw) {
        sources_ += graph.nodes_at(sw) > 0;
    }
    if (dependencies == nullptr || place_.empty()) return;
    std::vector<Channel> links(place_.size());
    std::iota(links.begin(), links.end(), Channel{0});
    std::ranges::stable_sort(links, {}, [&](auto link) { return place_[link]; });
    waits_.emplace(*dependencies, std::move(links));
    mixes_ = false;
}

void Ordered::fix(std::vector<std::int32_t> place) {
    place_ = std::move(place);
    waits_.reset();
}

void Ordered::choose(std::size_t node, std::span<Port> ports) {
    target_ = graph().switch_of(node);
    kept_.assign(ports.begin(), ports.end());
    if (!reach(node, ports) && waits_) {
        // What is kept is in the way.
        std::ranges::fill(kept_, kNone);
        reach(node, ports);
    }
    if (open_sources_ > 0 || settled_.size() == graph().joined().size()) return;
    in_order_ = false;
    followed_ = 0;
    complete(node, ports);
}

// Whether all switches that packets start at have a way.
bool Ordered::reach(std::size_t node, std::span<Port> ports) {
    in_order_ = !place_.empty();
    list_kept();
    std::ranges::fill(ports, kNone);
    std::ranges::fill(depth_, kNothing);
    open_sources_ = sources_;
    settled_.clear();
    followed_ = 0;
    held_.clear();
    settle(target_, 0, 0, ports);
    do complete(node, ports);
    while (waits_ && open_sources_ > 0 && settle_in_another_order(ports));
    if (open_sources_ == 0) return true;
    for (const auto& [held, wanted] : held_) waits_->remove_route(held, wanted);
    return false;
}

// Settles a switch by a way that is none in the order, but closes no circle.
bool Ordered::settle_in_another_order(std::span<Port> ports) {
    ways_.clear();
    for (const auto sw : graph().joined()) {
        if (!is_open(sw)) continue;
        const auto kept = kept_[static_cast<std::size_t>(sw)];
        for (const Hop& hop : graph().leaving(sw)) {
            const auto next = static_cast<std::size_t>(hop.target);
            if (is_open(hop.target)) continue;
            const auto choice = hop.port == kept ? Choice::mixing : kept == kNone ? Choice::open : Choice::kept;
            ways_.push_back({choice, depth_[next] + 1, cost_[next] + price(hop), sw, hop.port});
        }
    }
    std::ranges::sort(ways_);
    for (const auto& way : ways_) {
        const Hop& hop = graph().hop(way.sw, way.port);
        const Hop& wanted = next(hop.target, ports);
        if (!circle(hop, wanted).empty()) continue;
        hold(hop, wanted);
        waits_->remove_route(held_.back().first, held_.back().second);  // it is held with the rest
        held_.pop_back();
        for (std::size_t link = 0; link < place_.size(); ++link) {
            place_[link] = static_cast<std::int32_t>(waits_->place(static_cast<Channel>(link)));
        }
        take(way, ports);
        return true;
    }
    return false;
}

// Links of which each waits for the next one, from the wanted to the held one: none if a turn closes no circle.
const std::vector<Ordered::Channel>& Ordered::circle(const Hop& held, const Hop& wanted) {
    const auto first = static_cast<Channel>(wanted.link), last = static_cast<Channel>(held.link);
    auto& way = circles_[{last, first}];
    bool stands = !way.empty();
    for (std::size_t i = 1; stands && i < way.size(); ++i) stands = waits_->has(way[i - 1], way[i]);
    if (!stands) way = waits_->way(first, last);
    return way;
}

std::optional<Turn> Ordered::obstacle(std::span<const Port> ports) {
    std::optional<Turn> found;
    auto least = std::numeric_limits<double>::infinity();
    for (const auto sw : graph().joined()) {
        if (!is_open(sw)) continue;
        for (const Hop& hop : graph().leaving(sw)) {
            if (is_open(hop.target)) continue;
            const auto& way = circle(hop, next(hop.target, ports));
            for (std::size_t i = 1; i < way.size(); ++i) {
                // What was cleared before comes back by routes that have no other way.
                const auto times = cleared_.find({way[i - 1], way[i]});
                const double weight = std::ldexp(waits_->routes(way[i - 1], way[i]),
                                                 times == cleared_.end() ? 0 : times->second);
                if (weight >= least) continue;
                least = weight;
                found = {&graph().of_link(way[i - 1]), &graph().of_link(way[i])};
            }
        }
    }
    return found;
}

void Ordered::clear(const Turn& turn) {
    const std::pair cleared{static_cast<Channel>(turn.held->link), static_cast<Channel>(turn.wanted->link)};
    waits_->remove(cleared.first, cleared.second);
    ++cleared_[cleared];
}

void Ordered::hold(const Hop& held, const Hop& wanted) {
    held_.emplace_back(static_cast<Channel>(held.link), static_cast<Channel>(wanted.link));
    [[maybe_unused]] const bool is_held = waits_->add(held_.back().first, held_.back().second);
}

void Ordered::take(const Way& way, std::span<Port> ports) {
    ports[static_cast<std::size_t>(way.sw)] = way.port;
    settle(way.sw, way.depth, way.cost, ports);
}

// Settles switches as long as there are ways: by the entries that they have, else by `Way`. Those that have
// one which leads on no such way lose it only where packets could not start else.
void Ordered::complete(std::size_t node, std::span<Port> ports) {
    follow_kept(ports);
    for (const auto worst : {Choice::open, Choice::kept}) {
        if (worst == Choice::kept && in_order_ && open_sources_ == 0) return;
        worst_ = worst;
        offer_all(node, ports);
        while (!ways_.empty()) {
            std::ranges::pop_heap(ways_, std::greater());
            const auto way = ways_.back();
            ways_.pop_back();
            if (!is_open(way.sw)) continue;
            if (way.choice == Choice::kept && in_order_ && open_sources_ == 0) return;
            auto offered = settled_.size();
            take(way, ports);
            follow_kept(ports);
            for (; offered < settled_.size(); ++offered) {
                for (const Hop& hop : graph().arriving(settled_[offered])) {
                    if (!is_open(hop.source) || !improves(node, hop, ports)) continue;
                    ways_.push_back(best_[static_cast<std::size_t>(hop.source)]);
                    std::ranges::push_heap(ways_, std::greater());
                }
            }
        }
    }
}

void Ordered::offer_all(std::size_t node, std::span<const Port> ports) {
    ways_.clear();
    for (const auto sw : graph().joined()) {
        if (!is_open(sw)) continue;
        auto& best = best_[static_cast<std::size_t>(sw)];
        best = kNoWay;
        for (const Hop& hop : graph().leaving(sw)) improves(node, hop, ports);
        if (best.choice != Choice::none) ways_.push_back(best);
    }
    std::ranges::make_heap(ways_, std::greater());
}

// Whether the way by a link is the best so far of its source, which it then is.
bool Ordered::improves(std::size_t node, const Hop& hop, std::span<const Port> ports) {
    const auto next = static_cast<std::size_t>(hop.target);
    auto choice = kept_[static_cast<std::size_t>(hop.source)] == kNone ? Choice::mixing : Choice::kept;
    if (is_open(hop.target) || choice > worst_) return false;
    auto& best = best_[static_cast<std::size_t>(hop.source)];
    Way way{choice, depth_[next] + 1, cost_[next] + price(hop), hop.source, hop.port};
    // What costs least to know rules most out.
    if (way >= best || !leads_on(hop, ports)) return false;
    if (choice == Choice::mixing && in_order_ && !mixes(node, hop)) way.choice = Choice::open;
    if (way >= best) return false;
    best = way;
    return true;
}

bool Ordered::mixes(std::size_t node, const Hop& hop) {
    if (place_.empty() || !mixes_) return true;
    if (node != mixed_) list_latest(node);
    const auto here = place_[static_cast<std::size_t>(hop.link)];
    const auto ports = before_.to(node);
    return latest_[static_cast<std::size_t>(hop.source)] < here &&
           (ports[static_cast<std::size_t>(hop.target)] == kNone ||
            here < place_[static_cast<std::size_t>(next(hop.target, ports).link)]);
}

void Ordered::list_latest(std::size_t node) {
    mixed_ = node;
    std::ranges::fill(latest_, kNothing);
    const auto ports = before_.to(node);
    for (const auto sw : graph().joined()) {
        const auto port = ports[static_cast<std::size_t>(sw)];
        if (port == kNone) continue;
        const Hop& hop = graph().hop(sw, port);
        auto& latest = latest_[static_cast<std::size_t>(hop.target)];
        latest = std::max(latest, place_[static_cast<std::size_t>(hop.link)]);
    }
}

void Ordered::list_kept() {
    std::ranges::fill(first_kept_, kNothing);
    for (const auto sw : graph().joined()) {
        const auto here = static_cast<std::size_t>(sw);
        if (kept_[here] == kNone) continue;
        auto& first = first_kept_[static_cast<std::size_t>(graph().hop(sw, kept_[here]).target)];
        next_kept_[here] = std::exchange(first, sw);
    }
}

void Ordered::settle(std::int32_t sw, std::int32_t depth, double cost, std::span<const Port> ports) {
    depth_[static_cast<std::size_t>(sw)] = depth;
    cost_[static_cast<std::size_t>(sw)] = cost;
    settled_.push_back(sw);
    if (graph().nodes_at(sw) > 0) --open_sources_;
    if (!waits_ || !in_order_ || sw == target_) return;
    if (const Hop& hop = next(sw, ports); hop.target != target_) hold(hop, next(hop.target, ports));
}

void Ordered::follow_kept(std::span<Port> ports) {
    for (; followed_ < settled_.size(); ++followed_) {
        const auto at = static_cast<std::size_t>(settled_[followed_]);
        for (auto sw = first_kept_[at]; sw != kNothing; sw = next_kept_[static_cast<std::size_t>(sw)]) {
            const auto source = static_cast<std::size_t>(sw);
            const Hop& hop = graph().hop(sw, kept_[source]);
            if (!is_open(sw) || !leads_on(hop, ports)) continue;
            ports[source] = hop.port;
            settle(sw, depth_[at] + 1, cost_[at] + price(hop), ports);
        }
    }
}

bool Ordered::leads_on(const Hop& hop, std::span<const Port> ports) const {
    if (hop.target == target_) return true;
    if (ports[static_cast<std::size_t>(hop.target)] == kNone) return false;
    if (!in_order_) return true;
    return place_[static_cast<std::size_t>(hop.link)] <
           place_[static_cast<std::size_t>(next(hop.target, ports).link)];
}

}  // namespace tvlb::forwarding
