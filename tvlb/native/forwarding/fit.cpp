// Makes the routes of a layer that takes all the rest free of circles, by new entries: trees below
// several roots and in several orders of destinations are tried, and the best under random bisections
// is kept.
#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include "../interrupt.hpp"
#include "lane.hpp"
#include "layers.hpp"
#include "measure.hpp"
#include "up_down.hpp"

namespace tvlb::forwarding {
namespace {

// Budgets, so that results depend on no clock. Work is nodes x links, which a tree for every node takes.
constexpr std::size_t kMostGrown = 8;
constexpr std::size_t kWorkOfGrown = 3'000'000;
constexpr std::size_t kWorkOfChoice = 3'000'000;  // beyond that a table that fits stays as it is
constexpr std::size_t kLarge = 100'000'000;  // beyond that none is grown, and there is one pass
constexpr std::size_t kWorkOfAgain = 4'000'000;  // behind each number of other layers
constexpr std::size_t kWorkOfOrders = 30'000'000;
constexpr int kImprovements = 3;
constexpr int kPasses = 5;  // by each price
constexpr int kPowers[]{1, 8};
constexpr std::uint64_t kSeed = 0xE669740000000000ULL;  // of bisections; no request has such a high one
constexpr std::size_t kStreams = 400'000;

std::size_t tries(std::size_t budget, std::size_t work, std::size_t most) {
    return std::clamp<std::size_t>(budget / std::max<std::size_t>(work, 1), 1, most);
}

// The nodes by number, and the first of every switch, then every second one, and so on.
std::vector<std::vector<std::int32_t>> orders_of_nodes(const Graph& graph) {
    std::vector<std::int32_t> nodes(graph.nodes());
    std::iota(nodes.begin(), nodes.end(), 0);
    auto interleaved = nodes;
    std::ranges::stable_sort(interleaved, {}, [&](std::int32_t node) {
        return node - graph.first_node(graph.switch_of(static_cast<std::size_t>(node)));
    });
    return {std::move(nodes), std::move(interleaved)};
}

// Sum of the mean rates under bisections of its own.
double rate_of(const Graph& graph, const Table& table) {
    const auto count = std::clamp<std::size_t>(kStreams / graph.nodes(), 64, 4096);
    const Bisections drawn{kSeed, 0, count, graph.nodes(), false};
    const auto rates = rates_of(PortRoutes(graph, table.ports()), drawn);
    return std::accumulate(rates.mean.begin(), rates.mean.end(), 0.0);
}

struct Made {
    Table table;
    Layers layers;
    double rate;
};

// A way to make tables: up*/down* in an order of switches, or grown, with a spanning tree of this root.
struct Attempt {
    std::span<const std::int32_t> nodes;  // in the order in which they are routed
    const UpDown* order = nullptr;
    std::int32_t root = 0;
    double rate = 0;  // that it led to
};

class Fitting {
public:
    // Layers from `first` on become one.
    Fitting(const Graph& graph, const Table& table, const Layers& layers, std::size_t first)
        : graph_(graph), table_(table), layers_(layers), first_(first), rest_(graph.links()) {
        for (std::size_t node = 0; node < graph.nodes(); ++node) {
            each_rest(node, [&](const Turn& turn) {
                rest_.add(static_cast<std::uint32_t>(turn.held->link),
                          static_cast<std::uint32_t>(turn.wanted->link));
                return true;
            });
        }
    }

    // Returns the highest rate of the tables of an attempt.
    double make(const Attempt& attempt, double mean_load) {
        rate_ = 0;
        if (attempt.order != nullptr) try_order(*attempt.order, attempt.nodes);
        else try_growth(attempt.root, attempt.nodes, mean_load);
        return rate_;
    }

    // The best table of all attempts.
    [[nodiscard]] Made& best() { return best_; }

private:
    // Trees that are up*/down* in an order, and routed again by prices.
    void try_order(const UpDown& order, std::span<const std::int32_t> nodes) {
        Made made{table_, layers_, 0};
        UpDownEngine engine(graph_, order);
        // All are routed anew where that changes no layers.
        const auto allows = [&](const Turn& turn) {
            return first_ > 0 && order.allows(*turn.held, *turn.wanted);
        };
        const auto keep = [&](std::size_t node) { engine.keep(made.table.to(node)); };
        const auto moved = divide(made, nodes, allows, keep);
        engine.route(moved, made.table);
        offer(Made(made));
        auto best = made.table;
        auto highest = std::ranges::max(engine.loads());
        const int passes = moved.empty() ? 0 : graph_.nodes() * graph_.links() > kLarge ? 1 : kPasses;
        for (const int power : kPowers) {
            for (int pass = 0; pass < passes; ++pass) {
                engine.route_again(moved, power, made.table);
                if (std::ranges::max(engine.loads()) >= highest) continue;
                highest = std::ranges::max(engine.loads());
                best = made.table;
            }
        }
        made.table = std::move(best);
        offer(std::move(made));
    }

    // Trees that are grown where the turns of most routes, as they are, are allowed, and improved.
    void try_growth(std::int32_t root, std::span<const std::int32_t> nodes, double mean_load) {
        Made made{table_, layers_, 0};
        Lane lane(graph_, made.table, root, mean_load);
        for (const auto& turn : by_weight()) lane.reserve(turn);
        const auto allows = [&](const Turn& turn) { return lane.has(turn); };
        const auto keep = [&](std::size_t node) {
            lane.keep(node);
            each_rest(node, [&](const Turn& turn) { return lane.hold(turn), true; });
        };
        const auto moved = divide(made, nodes, allows, keep);
        for (const auto node : moved) {
            check_interrupt();
            lane.grow(static_cast<std::size_t>(node));
        }
        lane.release();
        for (int pass = 0; pass < kImprovements; ++pass) {
            std::size_t changed = 0;
            for (const auto node : moved) {
                check_interrupt();
                changed += lane.improve(static_cast<std::size_t>(node));
            }
            if (changed == 0) break;
        }
        offer(std::move(made));
    }

    void offer(Made&& made) {
        made.rate = rate_of(graph_, made.table);
        rate_ = std::max(rate_, made.rate);
        if (made.rate > best_.rate) best_ = std::move(made);
    }


private:
    // Nodes, in this order, of which a route that has no layer yet is not allowed. The others are kept.
    std::vector<std::int32_t> divide(Made& made, std::span<const std::int32_t> nodes, auto&& allows,
                                     auto&& keep) {
        std::vector<std::int32_t> moved;
        for (const auto number : nodes) {
            check_interrupt();
            const auto node = static_cast<std::size_t>(number);
            const auto begin = node * graph_.switches();
            const auto of = std::span(made.layers.of).subspan(begin, graph_.switches());
            const auto last = static_cast<Layer>(first_);
            bool is_kept = true;
            each_rest(node, [&](const Turn& turn) { return is_kept = is_kept && allows(turn); });
            if (is_kept) {
                keep(node);
                for (auto& layer : of) layer = std::min(layer, last);
            } else {
                moved.push_back(number);
                std::ranges::fill(made.table.to(node), kNone);
                std::ranges::fill(of, last);
            }
        }
        made.layers.count = first_ + 1;
        return moved;
    }

    // The turns of the routes to a node that are in the layers that become one.
    void each_rest(std::size_t node, auto&& visit) const {
        for (std::int32_t sw = 0; sw < static_cast<std::int32_t>(graph_.switches()); ++sw) {
            const auto layer = layers_.of[node * graph_.switches() + static_cast<std::size_t>(sw)];
            if (layer < first_ || graph_.nodes_at(sw) == 0) continue;
            each_turn(graph_, sw, graph_.switch_of(node), table_.to(node),
                      [&](const Hop& held, const Hop& wanted) { return visit(Turn{&held, &wanted}); });
        }
    }

    // Those of most routes first.
    [[nodiscard]] std::vector<Turn> by_weight() const {
        std::vector<std::tuple<std::int64_t, std::uint32_t, std::uint32_t>> found;
        rest_.each([&](auto held, auto wanted, auto routes) {
            found.emplace_back(-static_cast<std::int64_t>(routes), held, wanted);
        });
        std::ranges::sort(found);
        std::vector<Turn> turns;
        for (const auto& [_, held, wanted] : found) {
            turns.push_back({&graph_.of_link(held), &graph_.of_link(wanted)});
        }
        return turns;
    }

    const Graph& graph_;
    const Table& table_;
    const Layers& layers_;
    std::size_t first_;
    vc::DependencyGraph rest_;
    Made best_{Table(0, 0), {}, -1};
    double rate_ = 0;  // the highest of an attempt
};

std::vector<Attempt> attempts_on(const Graph& graph, std::span<const UpDown> orders,
                                 std::span<const std::vector<std::int32_t>> nodes) {
    const auto work = graph.nodes() * graph.links();
    std::vector<Attempt> attempts;
    for (const auto& order : orders.first(tries(kWorkOfOrders, work, orders.size()))) {
        for (const auto& of : nodes) attempts.push_back({of, &order});
    }
    const auto roots = std::min(kMostGrown, graph.joined().size());
    const auto grown = work > kLarge ? 0 : tries(kWorkOfGrown, work, roots);
    for (std::size_t i = 0; i < grown; ++i) {
        attempts.push_back({nodes.back(), nullptr, graph.joined()[i * graph.joined().size() / grown]});
    }
    return attempts;
}

}  // namespace

void fit(const Graph& graph, Table& table, Layers& layers, std::size_t most) {
    const auto work = graph.nodes() * graph.links();
    const bool fits = layers.count <= most;
    if (fits && (layers.count == 1 || work > kWorkOfChoice)) return;
    const auto nodes = orders_of_nodes(graph);
    const auto orders = good_orders(graph);
    auto attempts = attempts_on(graph, orders, nodes);
    const auto mean_load = static_cast<double>(loads_of(graph, table.ports()).hops) /
                           static_cast<double>(graph.links());
    Made best{table, layers, fits ? rate_of(graph, table) : -1};
    // All layers become one, and those behind the first, behind the second, and so on.
    const auto last = layers.count - 2;
    for (std::size_t first = last > 0 && work > kLarge ? last : 0; first <= last; ++first) {
        if (first > 0 && first < last && work > kWorkOfChoice) continue;
        Fitting fitting(graph, table, layers, first);
        for (auto& attempt : attempts) attempt.rate = fitting.make(attempt, mean_load);
        if (fitting.best().rate > best.rate) best = std::move(fitting.best());
        // What was good in one lane is so behind others.
        std::ranges::stable_sort(attempts, std::greater(), &Attempt::rate);
        attempts.resize(tries(kWorkOfAgain, work, attempts.size()));
    }
    table = std::move(best.table);
    layers = std::move(best.layers);
}

}  // namespace tvlb::forwarding
