#include "layers.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "../interrupt.hpp"

namespace tvlb::forwarding {
namespace {

using vc::CycleSearch;
using vc::DependencyGraph;
using Channel = DependencyGraph::Channel;

Channel channel(const Hop& hop) { return static_cast<Channel>(hop.link); }

// Routes in their layers, of which one after the other is made free of circles.
class Layering {
public:
    Layering(const Graph& graph, std::span<const Port> ports)
        : graph_(graph),
          ports_(ports),
          layers_(ports.size(), 0),
          present_(graph.links()),
          later_(graph.links()),
          by_switch_(ports.size()) {
        for (std::size_t node = 0; node < graph.nodes(); ++node) {
            const auto to = ports_to(node);
            for (std::size_t sw = 0; sw < to.size(); ++sw) by_switch_[sw * graph.nodes() + node] = to[sw];
        }
    }

    Layers run(std::size_t most) {
        fill();
        for (layer_ = 0; layer_ < most; ++layer_) {
            moved_ = false;
            CycleSearch search(present_);
            for (auto circle = search.next(); !circle.empty(); circle = search.next()) {
                check_interrupt();
                const auto [held, wanted] = weakest_of(circle);
                move_routes(held, wanted, layer_ + 1 < most);
            }
            if (!moved_) return {std::move(layers_), layer_ + 1};
            present_ = std::exchange(later_, DependencyGraph(graph_.links()));
        }
        return {std::move(layers_), most + 1};
    }

private:
    void fill() {
        for (std::size_t node = 0; node < graph_.nodes(); ++node) {
            check_interrupt();
            for (std::int32_t sw = 0; sw < static_cast<std::int32_t>(graph_.switches()); ++sw) {
                if (graph_.nodes_at(sw) == 0) continue;
                each_turn(graph_, sw, graph_.switch_of(node), ports_to(node),
                          [&](const Hop& held, const Hop& wanted) {
                              present_.add(channel(held), channel(wanted));
                              return true;
                          });
            }
        }
    }

    [[nodiscard]] std::pair<Hop, Hop> weakest_of(std::span<const Channel> circle) const {
        Channel before = circle.back();
        std::pair<Channel, Channel> weakest;
        auto fewest = std::numeric_limits<std::uint32_t>::max();
        for (const auto at : circle) {
            if (const auto routes = present_.routes(before, at); routes < fewest) {
                fewest = routes;
                weakest = {before, at};
            }
            before = at;
        }
        return {graph_.of_link(weakest.first), graph_.of_link(weakest.second)};
    }

    // All that take both links one behind the other to the next layer.
    void move_routes(const Hop& held, const Hop& wanted, bool are_counted) {
        moved_ = true;
        const auto first = column(held.source);
        const auto second = column(wanted.source);
        for (std::size_t node = 0; node < graph_.nodes(); ++node) {
            if (first[node] != held.port || second[node] != wanted.port) continue;
            reached_.assign(1, held.source);
            for (std::size_t i = 0; i < reached_.size(); ++i) {
                move(node, reached_[i], are_counted);
                for (const Hop& hop : graph_.arriving(reached_[i])) {
                    if (ports_to(node)[static_cast<std::size_t>(hop.source)] != hop.port) continue;
                    reached_.push_back(hop.source);
                }
            }
        }
    }

    void move(std::size_t node, std::int32_t source, bool is_counted) {
        auto& layer = layers_[node * graph_.switches() + static_cast<std::size_t>(source)];
        if (layer != layer_ || graph_.nodes_at(source) == 0) return;
        ++layer;
        each_turn(graph_, source, graph_.switch_of(node), ports_to(node),
                  [&](const Hop& held, const Hop& wanted) {
                      present_.remove_route(channel(held), channel(wanted));
                      if (is_counted) later_.add(channel(held), channel(wanted));
                      return true;
                  });
    }

    [[nodiscard]] std::span<const Port> ports_to(std::size_t node) const {
        return ports_.subspan(node * graph_.switches(), graph_.switches());
    }
    [[nodiscard]] std::span<const Port> column(std::int32_t sw) const {
        return std::span(by_switch_).subspan(static_cast<std::size_t>(sw) * graph_.nodes(), graph_.nodes());
    }

    const Graph& graph_;
    std::span<const Port> ports_;
    std::vector<Layer> layers_;     // by destination, then by source
    DependencyGraph present_, later_;  // routes of this layer and of the next one
    std::vector<Port> by_switch_;   // then by destination
    std::vector<std::int32_t> reached_;
    std::size_t layer_ = 0;
    bool moved_ = false;
};

// The entries that packets may meet while several tables are in use.
class Mixture {
public:
    Mixture(const Graph& graph, std::span<const Entries> tables, std::size_t count)
        : graph_(graph), tables_(tables), count_(count), found_(graph.links() * count),
          seen_(graph.links() * count, graph.nodes()) {}

    DependencyGraph dependencies() {
        for (std::size_t node = 0; node < graph_.nodes(); ++node) {
            check_interrupt();
            for (std::int32_t source = 0; static_cast<std::size_t>(source) < graph_.switches(); ++source) {
                if (graph_.nodes_at(source) > 0) follow(source, node);
            }
        }
        return std::move(found_);
    }

private:
    void follow(std::int32_t source, std::size_t node) {
        const auto begin = node * graph_.switches();
        for (const auto& table : tables_) {
            const std::size_t layer = table.layers[begin + static_cast<std::size_t>(source)];
            each_wanted(source, node, [&](const Hop& hop) { reach(hop, layer, node); });
            // Behind a link a layer's packets for a node are all alike.
            while (!held_.empty()) {
                const Hop& held = *held_.back();
                held_.pop_back();
                each_wanted(held.target, node, [&](const Hop& wanted) {
                    found_.add(channel(held, layer), channel(wanted, layer));
                    reach(wanted, layer, node);
                });
            }
        }
    }

    void reach(const Hop& hop, std::size_t layer, std::size_t node) {
        if (std::exchange(seen_[channel(hop, layer)], node) != node) held_.push_back(&hop);
    }

    // Links that packets at a switch may take, each once.
    void each_wanted(std::int32_t at, std::size_t node, auto&& visit) {
        if (at == graph_.switch_of(node)) return;
        const auto entry = node * graph_.switches() + static_cast<std::size_t>(at);
        for (std::size_t i = 0; i < tables_.size(); ++i) {
            const auto port = tables_[i].ports[entry];
            const auto before = tables_.first(i);
            const auto is_same = [&](const Entries& other) { return other.ports[entry] == port; };
            if (graph_.has(at, port) && std::ranges::none_of(before, is_same)) visit(graph_.hop(at, port));
        }
    }

    [[nodiscard]] Channel channel(const Hop& hop, std::size_t layer) const {
        return static_cast<Channel>(static_cast<std::size_t>(hop.link) * count_ + layer);
    }

    const Graph& graph_;
    std::span<const Entries> tables_;
    std::size_t count_;
    DependencyGraph found_;
    std::vector<std::size_t> seen_;  // by channel: the node for which packets were followed there last
    std::vector<const Hop*> held_;
};

}  // namespace

Layers layers_of(const Graph& graph, std::span<const Port> ports, std::size_t most) {
    return Layering(graph, ports).run(most);
}

DependencyGraph dependencies_of(const Graph& graph, std::span<const Entries> tables, std::size_t count) {
    return Mixture(graph, tables, count).dependencies();
}

}  // namespace tvlb::forwarding
