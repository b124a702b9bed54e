#include "ordered.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>

#include "../interrupt.hpp"

namespace tvlb::forwarding {
namespace {

// Which links routes take behind each other.
class Follows {
public:
    explicit Follows(const Graph& graph) : graph_(graph), target_(graph.links()), begin_(1, 0) {
        for (std::int32_t sw = 0; sw < static_cast<std::int32_t>(graph.switches()); ++sw) {
            for (const Hop& hop : graph.leaving(sw)) target_[static_cast<std::size_t>(hop.link)] = hop.target;
        }
        for (const auto target : target_) begin_.push_back(begin_.back() + graph.leaving(target).size());
        follows_.assign(begin_.back(), false);
        is_used_.assign(graph.links(), false);
    }

    void add(std::int32_t node_switch, std::span<const Port> ports, Tree& tree) {
        tree.each(ports, [&](const Hop& hop, std::int64_t routes) {
            if (routes == 0) return;
            is_used_[static_cast<std::size_t>(hop.link)] = true;
            const auto next = ports[static_cast<std::size_t>(hop.target)];
            if (hop.target != node_switch && next != kNone) {
                follows_[begin_[static_cast<std::size_t>(hop.link)] + next] = true;
            }
        });
    }

    [[nodiscard]] bool is_used(std::size_t link) const { return is_used_[link]; }
    [[nodiscard]] std::span<const Hop> from_target(std::size_t link) const {
        return graph_.leaving(target_[link]);
    }
    // Links that are taken behind one.
    void each(std::size_t link, auto&& visit) const {
        for (const Hop& hop : from_target(link)) {
            if (follows_[begin_[link] + hop.port]) visit(static_cast<std::size_t>(hop.link));
        }
    }

private:
    const Graph& graph_;
    std::vector<std::int32_t> target_;  // by link
    std::vector<std::size_t> begin_;    // by link, and one more
    std::vector<bool> follows_;         // by link and port at its target
    std::vector<bool> is_used_;
};

// Places 1, 3, 5, .. of the used links, 0 of others; empty if there is a circle.
std::vector<std::int32_t> sorted(const Follows& follows, std::size_t links) {
    std::vector<std::int32_t> before(links, 0);
    std::size_t left = 0;
    for (std::size_t link = 0; link < links; ++link) {
        left += follows.is_used(link);
        follows.each(link, [&](std::size_t next) { ++before[next]; });
    }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t link = 0; link < links; ++link) {
        if (follows.is_used(link) && before[link] == 0) ready.push(link);
    }
    std::vector<std::int32_t> place(links, 0);
    for (std::int32_t at = 1; !ready.empty(); at += 2, --left) {
        const auto link = ready.top();
        ready.pop();
        place[link] = at;
        follows.each(link, [&](std::size_t next) {
            if (--before[next] == 0) ready.push(next);
        });
    }
    return left == 0 ? place : std::vector<std::int32_t>{};
}

}  // namespace

std::vector<std::int32_t> link_order(const Graph& graph, std::span<const std::span<const Port>> tables) {
    Follows follows(graph);
    Tree tree(graph);
    for (const auto ports : tables) {
        for (std::size_t node = 0; node < graph.nodes(); ++node) {
            check_interrupt();
            const auto to = ports.subspan(node * graph.switches(), graph.switches());
            follows.add(graph.switch_of(node), to, tree);
        }
    }
    auto place = sorted(follows, graph.links());
    for (std::size_t link = 0; link < place.size(); ++link) {
        if (follows.is_used(link)) continue;
        auto first = 2 * static_cast<std::int32_t>(place.size()) + 1;
        for (const Hop& hop : follows.from_target(link)) {
            const auto next = static_cast<std::size_t>(hop.link);
            if (follows.is_used(next)) first = std::min(first, place[next]);
        }
        place[link] = first - 1;
    }
    return place;
}

void Ordered::choose(std::size_t node, std::span<Port> ports) {
    target_ = graph().switch_of(node);
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
    while (settle_best(false, ports) || settle_best(true, ports)) follow_kept(ports);
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
    const auto onward = static_cast<std::size_t>(graph().hop(hop.target, next).link);
    return place_[static_cast<std::size_t>(hop.link)] < place_[onward];
}

bool Ordered::settle_best(bool has_kept, std::span<Port> ports) {
    std::erase_if(open_, [&](auto sw) { return depth_[static_cast<std::size_t>(sw)] != kOpen; });
    std::tuple best{std::numeric_limits<std::int32_t>::max(), std::numeric_limits<double>::infinity()};
    const Hop* chosen = nullptr;
    for (const auto sw : open_) {
        if ((kept_[static_cast<std::size_t>(sw)] != kNone) != has_kept) continue;
        for (const Hop& hop : graph().leaving(sw)) {
            const auto next = static_cast<std::size_t>(hop.target);
            if (depth_[next] == kOpen || !leads_on(hop, ports)) continue;
            const std::tuple way{depth_[next] + 1, cost_[next] + price(hop)};
            if (way >= best) continue;
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
