#include "measure.hpp"

#include <algorithm>
#include <numeric>

#include "../interrupt.hpp"
#include "../order.hpp"
#include "engine.hpp"

namespace tvlb::forwarding {
namespace {

// SplitMix64 with a key of its own for every bisection.
class Draws {
public:
    Draws(std::uint64_t seed, std::uint64_t index) : state_(mix64(mix64(seed + kStep) ^ mix64(~index))) {}

    // Uniform, by rejection.
    std::size_t below(std::size_t bound) {
        const auto limit = -std::uint64_t{bound} % bound;
        for (;;) {
            state_ += kStep;
            if (const auto value = mix64(state_); value >= limit) return value % bound;
        }
    }

private:
    static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15ULL;
    std::uint64_t state_;
};

// Rates of streams that share links: one over the largest sum of shares on a link of the route.
template <class Routes>
class Streams {
public:
    explicit Streams(const Routes& routes) : routes_(routes), on_link_(routes.graph().links(), 0) {}

    void add(std::int32_t source, std::int32_t node) {
        routes_.follow(source, node, [&](std::int32_t link, double share) {
            taken_.push_back(link);
            on_link_[static_cast<std::size_t>(link)] += share;
        });
        ends_.push_back(taken_.size());
    }

    // Calls `visit` with the rate of every stream, and forgets them.
    void finish(auto&& visit) {
        std::size_t begin = 0;
        for (const auto end : ends_) {
            double most = 1;
            for (; begin < end; ++begin) {
                most = std::max(most, on_link_[static_cast<std::size_t>(taken_[begin])]);
            }
            visit(1 / most);
        }
        for (const auto link : taken_) on_link_[static_cast<std::size_t>(link)] = 0;
        taken_.clear();
        ends_.clear();
    }

    // Adds mean and worst rate, and forgets the streams.
    void finish(Rates& rates) {
        const auto count = static_cast<double>(ends_.size());
        double sum = 0;
        double worst = 1;
        finish([&](double rate) {
            sum += rate;
            worst = std::min(worst, rate);
        });
        rates.mean.push_back(sum / count);
        rates.worst.push_back(worst);
    }

private:
    const Routes& routes_;
    std::vector<double> on_link_;
    std::vector<std::int32_t> taken_;  // links of all streams, one stream behind the other
    std::vector<std::size_t> ends_;
};

// Adds the routes to one destination.
class LoadCount {
public:
    explicit LoadCount(const Graph& graph)
        : graph_(graph), ways_(graph), tree_(graph), entries_(graph.switches()), hops_(graph.switches()) {}

    void add(std::size_t node, std::span<const Port> ports, Loads& found) {
        ways_.find(graph_.switch_of(node));
        found.holes += take_entries(ports);
        taken_.clear();
        tree_.each(entries_, [&](const Hop& hop, std::int64_t routes) { taken_.push_back({hop, routes}); });
        std::ranges::fill(hops_, ShortestWays::kUnreached);
        hops_[static_cast<std::size_t>(ways_.target())] = 0;
        std::uint64_t arriving = 0;
        for (auto one = taken_.rbegin(); one != taken_.rend(); ++one) {
            const auto left = hops_[static_cast<std::size_t>(one->hop.target)];
            if (left == ShortestWays::kUnreached) continue;
            const auto source = static_cast<std::size_t>(one->hop.source);
            hops_[source] = left + 1;
            const auto routes = static_cast<std::uint64_t>(one->routes);
            const auto nodes = static_cast<std::uint64_t>(graph_.nodes_at(one->hop.source));
            found.of_link[static_cast<std::size_t>(one->hop.link)] += routes;
            found.hops += routes;
            arriving += nodes;
            if (hops_[source] == ways_.hops()[source]) found.shortest_pairs += nodes;
        }
        const auto own = static_cast<std::uint64_t>(graph_.nodes_at(ways_.target()));
        found.pairs += arriving;
        found.lost_pairs += graph_.nodes() - own - arriving;
    }

private:
    // Keeps what names a link, and counts what is missing.
    std::uint64_t take_entries(std::span<const Port> ports) {
        std::uint64_t missing = 0;
        for (std::int32_t sw = 0; sw < static_cast<std::int32_t>(ports.size()); ++sw) {
            const auto here = static_cast<std::size_t>(sw);
            const bool is_there = sw != ways_.target() && graph_.has(sw, ports[here]);
            entries_[here] = is_there ? ports[here] : kNone;
            missing += !is_there && sw != ways_.target() && !graph_.leaving(sw).empty();
        }
        return missing;
    }

    struct Taken {
        Hop hop;
        std::int64_t routes;
    };

    const Graph& graph_;
    ShortestWays ways_;
    Tree tree_;
    std::vector<Port> entries_;        // by switch
    std::vector<std::int32_t> hops_;   // of its route, by switch
    std::vector<Taken> taken_;
};

}  // namespace

Loads loads_of(const Graph& graph, std::span<const Port> ports) {
    Loads found;
    found.of_link.assign(graph.links(), 0);
    LoadCount count(graph);
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        check_interrupt();
        count.add(node, ports.subspan(node * graph.switches(), graph.switches()), found);
    }
    return found;
}

template <class Routes>
Rates rates_of(const Routes& routes, const Bisections& of) {
    Rates rates;
    Streams streams(routes);
    std::vector<std::int32_t> nodes(routes.graph().nodes());
    for (std::size_t i = 0; i < of.count; ++i) {
        check_interrupt();
        Draws draws(of.seed, of.first + i);
        std::iota(nodes.begin(), nodes.end(), 0);
        // The beginning of a shuffle, as far as it is needed.
        for (std::size_t at = 0; at < of.nodes; ++at) {
            std::swap(nodes[at], nodes[at + draws.below(nodes.size() - at)]);
        }
        const auto half = of.nodes / 2;
        for (std::size_t at = 0; at < half; ++at) {
            streams.add(nodes[at], nodes[half + at]);
            if (of.both) streams.add(nodes[half + at], nodes[at]);
        }
        streams.finish(rates);
    }
    return rates;
}

template <class Routes>
Rates shift_rates(const Routes& routes, std::size_t first, std::size_t count) {
    Rates rates;
    Streams streams(routes);
    const auto nodes = routes.graph().nodes();
    for (auto shift = first; shift < first + count; ++shift) {
        check_interrupt();
        for (std::size_t node = 0; node < nodes; ++node) {
            streams.add(static_cast<std::int32_t>(node), static_cast<std::int32_t>((node + shift) % nodes));
        }
        streams.finish(rates);
    }
    return rates;
}

template <class Routes>
std::vector<double> stream_rates(const Routes& routes, std::span<const std::int32_t> sources,
                                 std::span<const std::int32_t> targets) {
    Streams streams(routes);
    for (std::size_t i = 0; i < sources.size(); ++i) streams.add(sources[i], targets[i]);
    std::vector<double> rates;
    streams.finish([&](double rate) { rates.push_back(rate); });
    return rates;
}

template Rates rates_of(const PortRoutes&, const Bisections&);
template Rates rates_of(const SharedRoutes&, const Bisections&);
template Rates shift_rates(const PortRoutes&, std::size_t, std::size_t);
template Rates shift_rates(const SharedRoutes&, std::size_t, std::size_t);
template std::vector<double> stream_rates(const PortRoutes&, std::span<const std::int32_t>,
                                          std::span<const std::int32_t>);
template std::vector<double> stream_rates(const SharedRoutes&, std::span<const std::int32_t>,
                                          std::span<const std::int32_t>);

}  // namespace tvlb::forwarding
