// Bindings of forwarding tables: ports by destination and switch, in and out.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../bindings.hpp"
#include "engine.hpp"
#include "even_flow.hpp"
#include "layers.hpp"
#include "measure.hpp"
#include "ordered.hpp"
#include "repair.hpp"

namespace binding {
namespace {

using namespace nb::literals;
using tvlb::forwarding::Bisections;
using tvlb::forwarding::EngineKind;
using tvlb::forwarding::EngineKinds;
using tvlb::forwarding::Graph;
using tvlb::forwarding::Layer;
using tvlb::forwarding::Layers;
using tvlb::forwarding::Port;
using tvlb::forwarding::PortRoutes;
using tvlb::forwarding::Repair;
using tvlb::forwarding::SharedRoutes;
using tvlb::forwarding::Table;

using Ports = nb::ndarray<const Port, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::span<const Port> ports_of(const Graph& graph, const Ports& ports) {
    if (ports.shape(0) != graph.nodes() || ports.shape(1) != graph.switches()) {
        throw std::invalid_argument("ports have another shape than (nodes, switches)");
    }
    return {ports.data(), ports.size()};
}

void check_nodes(const Graph& graph, std::span<const std::int32_t> nodes) {
    for (const auto node : nodes) {
        if (node < 0 || static_cast<std::size_t>(node) >= graph.nodes()) {
            throw std::invalid_argument("no such node");
        }
    }
}

Table table_of(const Graph& graph, const Ports& ports) {
    return {ports_of(graph, ports), graph.switches()};
}

auto hand_over_table(const Graph& graph, const Table& table) {
    return hand_over_as(std::vector<Port>(table.ports()), graph.nodes(), graph.switches());
}

// An engine with the table that it is making.
class Routing {
public:
    Routing(const Graph& graph, const EngineKind& kind, const std::vector<std::int32_t>& roots,
            std::optional<std::uint64_t> ties)
        : graph_(graph), table_(graph.nodes(), graph.switches()) {
        for (const auto root : roots) {
            if (root < 0 || static_cast<std::size_t>(root) >= graph.switches()) {
                throw std::invalid_argument("no such switch");
            }
        }
        const tvlb::forwarding::EngineSettings settings{
            roots, ties ? tvlb::forwarding::Ties(*ties) : tvlb::forwarding::Ties()};
        engine_ = unlocked([&] { return kind.make(graph, settings); });
    }

    void route(const Array<std::int32_t>& order) {
        check_nodes(graph_, view(order));
        engine_->route(view(order), table_);
    }
    void route_again(const Array<std::int32_t>& order, int power) {
        check_nodes(graph_, view(order));
        engine_->route_again(view(order), power, table_);
    }
    std::size_t improve(const Array<std::int32_t>& order, int power) {
        check_nodes(graph_, view(order));
        return engine_->improve(view(order), power, table_);
    }
    [[nodiscard]] auto ports() const {
        return hand_over_table(graph_, table_);
    }
    [[nodiscard]] auto loads() const {
        return hand_over(std::vector<std::uint64_t>(engine_->loads().begin(), engine_->loads().end()));
    }

private:
    const Graph& graph_;
    std::unique_ptr<tvlb::forwarding::Engine> engine_;
    Table table_;
};

nb::dict loads_of(const Graph& graph, const Ports& ports) {
    auto found = unlocked([&] { return tvlb::forwarding::loads_of(graph, ports_of(graph, ports)); });
    nb::dict out;
    out["of_link"] = hand_over(std::move(found.of_link));
    out["pairs"] = found.pairs;
    out["shortest_pairs"] = found.shortest_pairs;
    out["hops"] = found.hops;
    out["lost_pairs"] = found.lost_pairs;
    out["holes"] = found.holes;
    return out;
}

nb::tuple rates_tuple(tvlb::forwarding::Rates&& rates) {
    return nb::make_tuple(hand_over(std::move(rates.mean)), hand_over(std::move(rates.worst)));
}

// Keeps the array alive that the routes read.
struct BoundPorts {
    Ports array;
    PortRoutes routes;
};

const PortRoutes& routes_of(const BoundPorts& bound) { return bound.routes; }
const SharedRoutes& routes_of(const SharedRoutes& routes) { return routes; }

// What is measured of any routes.
template <class Bound>
void bind_rates(nb::class_<Bound>& bound) {
    bound
        .def("rates",
             [](const Bound& self, const Bisections& of) {
                 const auto& routes = routes_of(self);
                 if (of.nodes < 2 || of.nodes > routes.graph().nodes()) {
                     throw std::invalid_argument("no such bisections");
                 }
                 return rates_tuple(unlocked([&] { return tvlb::forwarding::rates_of(routes, of); }));
             },
             "bisections"_a)
        .def("shift_rates",
             [](const Bound& self, std::size_t first, std::size_t count) {
                 return rates_tuple(unlocked(
                     [&] { return tvlb::forwarding::shift_rates(routes_of(self), first, count); }));
             },
             "first"_a, "count"_a)
        .def("stream_rates",
             [](const Bound& self, const Array<std::int32_t>& sources,
                const Array<std::int32_t>& targets) {
                 const auto& routes = routes_of(self);
                 check_column(sources.size(), targets.size());
                 check_nodes(routes.graph(), view(sources));
                 check_nodes(routes.graph(), view(targets));
                 return hand_over(unlocked([&] {
                     return tvlb::forwarding::stream_rates(routes, view(sources), view(targets));
                 }));
             },
             "sources"_a, "targets"_a);
}

SharedRoutes shared_routes(const Graph& graph, const Array<std::int64_t>& offset,
                           const Array<std::int32_t>& link, const Array<double>& share) {
    check_column(offset.size(), graph.switches() * graph.switches() + 1);
    check_column(link.size(), share.size());
    check_ids(view(link), graph.links());
    if (!std::ranges::is_sorted(view(offset)) || view(offset).front() != 0 ||
        view(offset).back() != static_cast<std::int64_t>(link.size())) {
        throw std::invalid_argument("offsets of pairs do not fit the links");
    }
    return {graph, copy(offset), copy(link), copy(share)};
}

auto link_order(const Graph& graph, const tvlb::vc::DependencyGraph& dependencies) {
    if (dependencies.channels() != graph.links()) throw std::invalid_argument("no channels of links");
    return hand_over(unlocked([&] { return tvlb::forwarding::link_order(graph, dependencies); }));
}

Repair repair(const Graph& graph, const Ports& kept, bool is_shortest,
              const Array<std::int32_t>& place, const tvlb::vc::DependencyGraph* dependencies) {
    if (place.size() != 0) check_column(place.size(), graph.links());
    if (dependencies != nullptr) check_column(dependencies->channels(), graph.links());
    return unlocked([&] {
        return Repair(graph, table_of(graph, kept), is_shortest, copy(place), dependencies);
    });
}

void reroute(Repair& repair, const Array<std::int32_t>& order, const Array<std::int32_t>& place, int passes) {
    check_nodes(repair.graph(), view(order));
    check_column(place.size(), repair.graph().links());
    unlocked([&] { return repair.reroute(view(order), copy(place), passes), 0; });
}

void replace(Repair& repair, const Ports& ports) {
    unlocked([&] { return repair.replace(table_of(repair.graph(), ports)), 0; });
}

nb::tuple update_order(const Graph& graph, const Ports& before, const Ports& after) {
    const auto changes = unlocked([&] {
        return tvlb::forwarding::update_order(graph, table_of(graph, before), table_of(graph, after));
    });
    std::vector<std::int32_t> nodes, switches;
    for (const auto& [node, sw] : changes) {
        nodes.push_back(node);
        switches.push_back(sw);
    }
    return nb::make_tuple(hand_over(std::move(nodes)), hand_over(std::move(switches)));
}

nb::tuple block_order(const Graph& graph, const Ports& after, const Array<std::int32_t>& nodes,
                      const Array<std::int32_t>& switches, const Array<std::int32_t>& block_of_node) {
    check_column(nodes.size(), switches.size());
    check_column(block_of_node.size(), graph.nodes());
    check_nodes(graph, view(nodes));
    check_ids(view(switches), graph.switches());
    std::vector<tvlb::forwarding::Change> changes;
    for (std::size_t i = 0; i < nodes.size(); ++i) changes.push_back({view(nodes)[i], view(switches)[i]});
    auto found = unlocked([&] {
        return tvlb::forwarding::block_order(graph, table_of(graph, after), changes, view(block_of_node));
    });
    return nb::make_tuple(hand_over(std::move(found.sw)), hand_over(std::move(found.block)),
                          hand_over(std::move(found.of_change)));
}

// From every switch to one, kUnreached where there is no way; cables are links both ways.
auto shortest_hops(const Graph& graph, std::int32_t sw) {
    if (sw < 0 || static_cast<std::size_t>(sw) >= graph.switches()) {
        throw std::invalid_argument("no such switch");
    }
    tvlb::forwarding::ShortestWays ways(graph);
    ways.find(sw);
    return hand_over(std::vector<std::int32_t>(ways.hops().begin(), ways.hops().end()));
}

double price_bound(const Graph& graph, const Array<double>& prices) {
    check_column(prices.size(), graph.links());
    return unlocked([&] { return tvlb::forwarding::price_bound(graph, view(prices)); });
}

nb::tuple even_loads(const Graph& graph, int rounds) {
    auto found = unlocked([&] { return tvlb::forwarding::even_loads(graph, rounds); });
    return nb::make_tuple(hand_over(std::move(found.load)), found.bound);
}

auto links_of(const Graph& graph) {
    std::vector<std::int32_t> links(graph.switches() * tvlb::forwarding::kMostPorts, tvlb::kAbsent);
    for (std::size_t sw = 0; sw < graph.switches(); ++sw) {
        for (const auto& hop : graph.leaving(static_cast<std::int32_t>(sw))) {
            links[sw * tvlb::forwarding::kMostPorts + hop.port] = hop.link;
        }
    }
    return hand_over_as(std::move(links), graph.switches(), tvlb::forwarding::kMostPorts);
}

std::span<const Layer> layers_of(const Graph& graph, const Ports& layers) {
    return ports_of(graph, layers);
}

// Layers, and how many are in use.
nb::tuple part(const Graph& graph, const Ports& ports, std::size_t most) {
    if (most < 1 || most >= tvlb::forwarding::kMostLayers) throw std::invalid_argument("no such layers");
    auto [of, count] = unlocked([&] {
        return tvlb::forwarding::layers_of(graph, ports_of(graph, ports), most);
    });
    return nb::make_tuple(hand_over_as(std::move(of), graph.nodes(), graph.switches()), count);
}

// Ports and layers.
nb::tuple fit(const Graph& graph, const Ports& ports, const Ports& layers, std::size_t count,
              std::size_t most) {
    if (count < 1 || most < 1 || count > most + 1 || most >= tvlb::forwarding::kMostLayers) {
        throw std::invalid_argument("no such layers");
    }
    const auto given = layers_of(graph, layers);
    Layers fitting{{given.begin(), given.end()}, count};
    Table table = table_of(graph, ports);
    unlocked([&] { tvlb::forwarding::fit(graph, table, fitting, most); });
    return nb::make_tuple(
        hand_over_as(std::vector<Port>(table.ports()), graph.nodes(), graph.switches()),
        hand_over_as(std::move(fitting.of), graph.nodes(), graph.switches()));
}

// Channels are link * layers + layer.
tvlb::vc::DependencyGraph dependencies_of(const Graph& graph, const std::vector<Ports>& ports,
                                          const std::vector<Ports>& layers, std::size_t count) {
    check_column(ports.size(), layers.size());
    std::vector<tvlb::forwarding::Entries> tables;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        tables.push_back({ports_of(graph, ports[i]), layers_of(graph, layers[i])});
        if (std::ranges::any_of(tables.back().layers, [&](auto layer) { return layer >= count; })) {
            throw std::invalid_argument("a layer is beyond the last one");
        }
    }
    return unlocked([&] { return tvlb::forwarding::dependencies_of(graph, tables, count); });
}

}  // namespace

void bind_forwarding(nb::module_& m) {
    nb::class_<Graph>(m, "ForwardingGraph")
        .def(nb::init<const tvlb::Network&>(), "network"_a, Unlocked())
        .def("links", &links_of);
    nb::class_<EngineKind>(m, "ForwardingEngine")
        .def_prop_ro("name", [](const EngineKind& self) { return std::string(self.name); })
        .def_prop_ro("text", [](const EngineKind& self) { return std::string(self.text); })
        .def_prop_ro("is_shortest", [](const EngineKind& self) { return self.traits.is_shortest; })
        .def_prop_ro("takes_roots", [](const EngineKind& self) { return self.traits.takes_roots; })
        .def_prop_ro("needs_dimensions",
                     [](const EngineKind& self) { return self.traits.needs_dimensions; });
    m.def("forwarding_engines", [] {
        const auto all = EngineKinds::all();
        return std::vector<EngineKind>(all.begin(), all.end());
    });
    nb::class_<Routing>(m, "ForwardingRoute")
        .def(nb::init<const Graph&, const EngineKind&, const std::vector<std::int32_t>&,
                      std::optional<std::uint64_t>>(),
             "graph"_a, "engine"_a, "roots"_a, "ties"_a.none(), nb::keep_alive<1, 2>())
        .def("route", &Routing::route, "order"_a, Unlocked())
        .def("route_again", &Routing::route_again, "order"_a, "power"_a, Unlocked())
        .def("improve", &Routing::improve, "order"_a, "power"_a, Unlocked())
        .def("ports", &Routing::ports)
        .def("loads", &Routing::loads);
    nb::class_<Bisections>(m, "Bisections")
        .def(nb::init<std::uint64_t, std::uint64_t, std::size_t, std::size_t, bool>(), "seed"_a,
             "first"_a, "count"_a, "nodes"_a, "both"_a);
    m.def("forwarding_loads", &loads_of, "graph"_a, "ports"_a);
    nb::class_<BoundPorts> ports(m, "PortRoutes");
    ports.def(nb::new_([](const Graph& graph, const Ports& given) {
                  return BoundPorts{given, {graph, ports_of(graph, given)}};
              }),
              "graph"_a, "ports"_a, nb::keep_alive<0, 1>());
    bind_rates(ports);
    nb::class_<SharedRoutes> shared(m, "SharedRoutes");
    shared.def(nb::new_(&shared_routes), "graph"_a, "offset"_a, "link"_a, "share"_a,
               nb::keep_alive<0, 1>());
    bind_rates(shared);
    m.def("link_order", &link_order, "graph"_a, "dependencies"_a);
    nb::class_<Repair>(m, "ForwardingRepair")
        .def(nb::new_(&repair), "graph"_a, "kept"_a, "is_shortest"_a, "place"_a,
             "dependencies"_a = nb::none(), nb::keep_alive<0, 1>())
        .def("fill", [](Repair& self, const Array<std::int32_t>& order) { return self.fill(view(order)); },
             "order"_a, Unlocked())
        .def("fill_again",
             [](Repair& self, const Array<std::int32_t>& order, int power) {
                 self.fill_again(view(order), power);
             },
             "order"_a, "power"_a, Unlocked())
        .def("reroute", &reroute, "order"_a, "place"_a, "passes"_a)
        .def("replace", &replace, "ports"_a)
        .def("missing", &Repair::num_missing, Unlocked())
        .def("rebalance", &Repair::rebalance, "most"_a, Unlocked())
        .def("ports",
             [](const Repair& self) { return hand_over_table(self.graph(), self.table()); })
        .def("loads", [](const Repair& self) {
            return hand_over(std::vector<std::uint64_t>(self.loads().begin(), self.loads().end()));
        });
    m.def("update_order", &update_order, "graph"_a, "before"_a, "after"_a);
    m.def("block_order", &block_order, "graph"_a, "after"_a, "nodes"_a, "switches"_a,
          "block_of_node"_a);
    m.def("shortest_hops", &shortest_hops, "graph"_a, "switch"_a);
    m.def("price_bound", &price_bound, "graph"_a, "prices"_a);
    m.def("even_loads", &even_loads, "graph"_a, "rounds"_a);
    m.def("forwarding_layers", &part, "graph"_a, "ports"_a, "most"_a);
    m.def("forwarding_fit", &fit, "graph"_a, "ports"_a, "layers"_a, "count"_a, "most"_a);
    m.def("forwarding_dependencies", &dependencies_of, "graph"_a, "ports"_a, "layers"_a, "count"_a);
}

}  // namespace binding
