// Bindings of forwarding tables: ports by destination and switch, in and out.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "../bindings.hpp"
#include "engine.hpp"
#include "layers.hpp"
#include "measure.hpp"

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

// An engine with the table that it is making.
class Routing {
public:
    Routing(const Graph& graph, const EngineKind& kind, const std::vector<std::int32_t>& roots)
        : graph_(graph), table_(graph.nodes(), graph.switches()) {
        for (const auto root : roots) {
            if (root < 0 || static_cast<std::size_t>(root) >= graph.switches()) {
                throw std::invalid_argument("no such switch");
            }
        }
        engine_ = unlocked([&] { return kind.make(graph, {roots}); });
    }

    void route(const Array<std::int32_t>& order) {
        check_nodes(graph_, view(order));
        engine_->route(view(order), table_);
    }
    void route_again(const Array<std::int32_t>& order, int power) {
        check_nodes(graph_, view(order));
        engine_->route_again(view(order), power, table_);
    }
    [[nodiscard]] auto ports() const {
        return hand_over_as(std::vector<Port>(table_.ports()), graph_.nodes(), graph_.switches());
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

nb::tuple rates_of(const Graph& graph, const Ports& ports, const Bisections& of) {
    if (of.nodes < 2 || of.nodes > graph.nodes()) throw std::invalid_argument("no such bisections");
    auto found = unlocked([&] { return tvlb::forwarding::rates_of(graph, ports_of(graph, ports), of); });
    return nb::make_tuple(hand_over(std::move(found.mean)), hand_over(std::move(found.worst)));
}

auto stream_rates(const Graph& graph, const Ports& ports, const Array<std::int32_t>& sources,
                  const Array<std::int32_t>& targets) {
    check_column(sources.size(), targets.size());
    check_nodes(graph, view(sources));
    check_nodes(graph, view(targets));
    return hand_over(unlocked([&] {
        return tvlb::forwarding::stream_rates(graph, ports_of(graph, ports), view(sources), view(targets));
    }));
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
nb::tuple fit(const Graph& graph, const Ports& ports, const Ports& layers, std::size_t count) {
    if (count < 2 || count > tvlb::forwarding::kMostLayers) {
        throw std::invalid_argument("no such layers");
    }
    const auto given = layers_of(graph, layers);
    Layers fitting{{given.begin(), given.end()}, count};
    Table table(graph.switches(), ports_of(graph, ports));
    unlocked([&] { tvlb::forwarding::fit(graph, table, fitting); });
    return nb::make_tuple(
        hand_over_as(std::vector<Port>(table.ports()), graph.nodes(), graph.switches()),
        hand_over_as(std::move(fitting.of), graph.nodes(), graph.switches()));
}

// Channels are link * layers + layer.
tvlb::vc::DependencyGraph dependencies_of(const Graph& graph, const Ports& ports, const Ports& layers,
                                          std::size_t count) {
    const auto of = layers_of(graph, layers);
    if (std::ranges::any_of(of, [&](auto layer) { return layer >= count; })) {
        throw std::invalid_argument("a layer is beyond the last one");
    }
    return unlocked([&] {
        return tvlb::forwarding::dependencies_of(graph, ports_of(graph, ports), of, count);
    });
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
        .def(nb::init<const Graph&, const EngineKind&, const std::vector<std::int32_t>&>(), "graph"_a,
             "engine"_a, "roots"_a, nb::keep_alive<1, 2>())
        .def("route", &Routing::route, "order"_a, Unlocked())
        .def("route_again", &Routing::route_again, "order"_a, "power"_a, Unlocked())
        .def("ports", &Routing::ports)
        .def("loads", &Routing::loads);
    nb::class_<Bisections>(m, "Bisections")
        .def(nb::init<std::uint64_t, std::uint64_t, std::size_t, std::size_t, bool>(), "seed"_a,
             "first"_a, "count"_a, "nodes"_a, "both"_a);
    m.def("forwarding_loads", &loads_of, "graph"_a, "ports"_a);
    m.def("forwarding_layers", &part, "graph"_a, "ports"_a, "most"_a);
    m.def("forwarding_fit", &fit, "graph"_a, "ports"_a, "layers"_a, "count"_a);
    m.def("forwarding_dependencies", &dependencies_of, "graph"_a, "ports"_a, "layers"_a, "count"_a);
    m.def("bisection_rates", &rates_of, "graph"_a, "ports"_a, "bisections"_a);
    m.def("stream_rates", &stream_rates, "graph"_a, "ports"_a, "sources"_a, "targets"_a);
}

}  // namespace binding
