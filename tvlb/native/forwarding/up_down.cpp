#include "up_down.hpp"

#include <algorithm>
#include <numeric>

#include "../interrupt.hpp"

namespace tvlb::forwarding {
namespace {

// Links to the nearest of some switches, by switch; -1 where there is no way.
std::vector<std::int32_t> hops_from(const Graph& graph, std::vector<std::int32_t> reached) {
    std::vector<std::int32_t> hops(graph.switches(), -1);
    for (const auto sw : reached) hops[static_cast<std::size_t>(sw)] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i) {
        for (const Hop& hop : graph.leaving(reached[i])) {
            auto& far = hops[static_cast<std::size_t>(hop.target)];
            if (far != -1) continue;
            far = hops[static_cast<std::size_t>(hop.source)] + 1;
            reached.push_back(hop.target);
        }
    }
    return hops;
}

// By switch: its place when these numbers rise, equal ones by switch.
std::vector<std::int32_t> places(std::span<const std::int32_t> numbers) {
    std::vector<std::int32_t> order(numbers.size()), place(numbers.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](auto sw) { return numbers[static_cast<std::size_t>(sw)]; });
    for (std::size_t at = 0; at < order.size(); ++at) {
        place[static_cast<std::size_t>(order[at])] = static_cast<std::int32_t>(at);
    }
    return place;
}

// As in trees: the switches furthest from nodes first.
std::vector<std::int32_t> above_nodes(const Graph& graph) {
    std::vector<std::int32_t> with_nodes;
    for (std::int32_t sw = 0; sw < static_cast<std::int32_t>(graph.switches()); ++sw) {
        if (graph.nodes_at(sw) > 0) with_nodes.push_back(sw);
    }
    auto hops = hops_from(graph, std::move(with_nodes));
    for (auto& far : hops) far = -far;
    return places(hops);
}

}  // namespace

std::vector<std::int32_t> below(const Graph& graph, std::span<const std::int32_t> roots) {
    return places(hops_from(graph, {roots.begin(), roots.end()}));
}

std::optional<double> UpDown::worth() {
    std::vector<double> load(graph_->links(), 0);
    std::vector<Port> ports(graph_->switches());
    Tree tree(*graph_);
    for (std::int32_t target = 0; target < static_cast<std::int32_t>(graph_->switches()); ++target) {
        check_interrupt();
        if (graph_->nodes_at(target) == 0) continue;
        std::ranges::fill(ports, kNone);
        const auto price = [&](const Hop& hop) { return load[index(hop.link)]; };
        if (!choose(target, ports, price)) return std::nullopt;
        tree.each(ports, [&](const Hop& hop, std::int64_t routes) {
            load[index(hop.link)] += static_cast<double>(routes * graph_->nodes_at(target));
        });
    }
    return std::inner_product(load.begin(), load.end(), load.begin(), 0.0);
}

std::vector<UpDown> good_orders(const Graph& graph) {
    constexpr std::size_t kMostRoots = 16;
    constexpr std::size_t kWork = 100'000'000;  // switches x links, for each
    std::vector<std::pair<double, UpDown>> found;
    const auto consider = [&](std::vector<std::int32_t> place) {
        UpDown order(graph, std::move(place));
        if (const auto worth = order.worth()) found.emplace_back(*worth, std::move(order));
    };
    const auto most = std::clamp<std::size_t>(kWork / (graph.switches() * graph.links() + 1), 1, kMostRoots);
    const auto tried = std::min(most, graph.joined().size());
    for (std::size_t i = 0; i < tried; ++i) {
        const std::int32_t roots[]{graph.joined()[i * graph.joined().size() / tried]};
        consider(below(graph, roots));
    }
    consider(above_nodes(graph));
    std::ranges::stable_sort(found, {}, &std::pair<double, UpDown>::first);
    std::vector<UpDown> orders;
    for (auto& [_, order] : found) orders.push_back(std::move(order));
    return orders;
}

}  // namespace tvlb::forwarding
