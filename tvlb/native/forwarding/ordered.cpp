#include "ordered.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace tvlb::forwarding {

using Channel = vc::DependencyGraph::Channel;

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

void Ordered::choose(std::size_t node, std::span<Port> ports) {
    node_ = node;
    target_ = graph().switch_of(node);
    in_order_ = !place_.empty();
    kept_.assign(ports.begin(), ports.end());
    std::ranges::fill(ports, kNone);
    std::ranges::fill(depth_, kOpen);
    settled_.clear();
    followed_ = 0;
    settle(target_, 0, 0);
    follow_kept(ports);
    open_.clear();
    for (std::int32_t sw = 0; sw < static_cast<std::int32_t>(ports.size()); ++sw) {
        if (depth_[static_cast<std::size_t>(sw)] == kOpen) open_.push_back(sw);
    }
    while (settle_best(Choice::mixing, ports) || settle_best(Choice::open, ports) ||
           (has_open_sources() && settle_best(Choice::kept, ports))) {
        follow_kept(ports);
    }
    if (has_open_sources()) return;
    in_order_ = false;
    followed_ = 0;
    do follow_kept(ports);
    while (settle_best(Choice::open, ports) || settle_best(Choice::kept, ports));
}

bool Ordered::has_open_sources() const {
    return std::ranges::any_of(open_, [&](auto sw) {
        return graph().nodes_at(sw) > 0 && depth_[static_cast<std::size_t>(sw)] == kOpen;
    });
}

bool Ordered::mixes(std::size_t node, const Hop& hop) const {
    if (place_.empty()) return true;
    const auto ports = before_.to(node);
    const auto onward = ports[static_cast<std::size_t>(hop.target)];
    if (onward != kNone && place_[static_cast<std::size_t>(hop.link)] >=
                               place_[static_cast<std::size_t>(graph().hop(hop.target, onward).link)]) {
        return false;
    }
    return std::ranges::all_of(graph().arriving(hop.source), [&](const Hop& one) {
        return ports[static_cast<std::size_t>(one.source)] != one.port ||
               place_[static_cast<std::size_t>(one.link)] < place_[static_cast<std::size_t>(hop.link)];
    });
}

void Ordered::settle(std::int32_t sw, std::int32_t depth, double cost) {
    depth_[static_cast<std::size_t>(sw)] = depth;
    cost_[static_cast<std::size_t>(sw)] = cost;
    settled_.push_back(sw);
}

void Ordered::follow_kept(std::span<Port> ports) {
    for (; followed_ < settled_.size(); ++followed_) {
        const auto at = static_cast<std::size_t>(settled_[followed_]);
        for (const Hop& hop : graph().arriving(settled_[followed_])) {
            const auto source = static_cast<std::size_t>(hop.source);
            if (depth_[source] != kOpen || kept_[source] != hop.port || !leads_on(hop, ports)) continue;
            ports[source] = hop.port;
            settle(hop.source, depth_[at] + 1, cost_[at] + price(hop));
        }
    }
}

bool Ordered::leads_on(const Hop& hop, std::span<const Port> ports) const {
    if (hop.target == target_) return true;
    const auto next = ports[static_cast<std::size_t>(hop.target)];
    if (next == kNone) return false;
    if (!in_order_) return true;
    const auto onward = static_cast<std::size_t>(graph().hop(hop.target, next).link);
    return place_[static_cast<std::size_t>(hop.link)] < place_[onward];
}

bool Ordered::settle_best(Choice choice, std::span<Port> ports) {
    std::erase_if(open_, [&](auto sw) { return depth_[static_cast<std::size_t>(sw)] != kOpen; });
    std::tuple best{std::numeric_limits<std::int32_t>::max(), std::numeric_limits<double>::infinity()};
    const Hop* chosen = nullptr;
    for (const auto sw : open_) {
        if ((kept_[static_cast<std::size_t>(sw)] != kNone) != (choice == Choice::kept)) continue;
        for (const Hop& hop : graph().leaving(sw)) {
            const auto next = static_cast<std::size_t>(hop.target);
            if (depth_[next] == kOpen || !leads_on(hop, ports)) continue;
            const std::tuple way{depth_[next] + 1, cost_[next] + price(hop)};
            if (way >= best || (choice == Choice::mixing && !mixes(node_, hop))) continue;
            best = way;
            chosen = &hop;
        }
    }
    if (chosen == nullptr) return false;
    ports[static_cast<std::size_t>(chosen->source)] = chosen->port;
    settle(chosen->source, std::get<0>(best), std::get<1>(best));
    return true;
}

}  // namespace tvlb::forwarding
