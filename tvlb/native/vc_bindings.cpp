// Bindings of the policies of VCs and of the dependency graph: kinds of links in, VCs out.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "vc/dependency_graph.hpp"
#include "vc/policy.hpp"

namespace tvlb {

template <>
std::vector<vc::Policy>& Registry<vc::Policy>::members() {
    static std::vector<vc::Policy> all;
    return all;
}

}  // namespace tvlb

namespace binding {
namespace {

using namespace nb::literals;
using tvlb::vc::DependencyGraph;
using tvlb::vc::Limits;
using tvlb::vc::Policy;
using tvlb::vc::Table;

// A row per route, -1 beyond its last link.
template <class T>
using Routes = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> route(const Routes<T>& routes, std::size_t row) {
    const std::span<const T> all{routes.data() + row * routes.shape(1), routes.shape(1)};
    return {all.begin(), std::ranges::find(all, T{-1})};
}

// Beyond the last link of a route the result is 0.
nb::ndarray<nb::numpy, std::uint16_t, nb::ndim<2>> vcs_of_routes(const Table& table,
                                                              const Routes<std::int8_t>& kinds) {
    const std::size_t count = kinds.shape(0);
    const std::size_t width = kinds.shape(1);
    std::vector<std::uint16_t> vcs(count * width, 0);
    for (std::size_t row = 0; row < count; ++row) {
        Table::State state = 0;
        std::size_t at = row * width;
        for (const auto kind : route(kinds, row)) {
            const auto position = static_cast<std::size_t>(kind);
            if (position >= tvlb::kMaxKinds) throw std::invalid_argument("no such kind of links");
            const auto& step = table.step(state, position, 0);
            vcs[at++] = step.first;
            state = step.then;
        }
    }
    return hand_over_as(std::move(vcs), count, width);
}

// Of every step, by state, phase and kind of the link: first and last VC, and the state behind it.
nb::ndarray<nb::numpy, std::uint16_t, nb::ndim<4>> steps_of(const Table& table) {
    std::vector<std::uint16_t> out;
    for (const auto& [first, last, then] : table.steps) out.insert(out.end(), {first, last, then});
    constexpr std::size_t kOfState = tvlb::vc::kPhases * tvlb::kMaxKinds;
    return hand_over_as(std::move(out), table.steps.size() / kOfState, tvlb::vc::kPhases,
                        tvlb::kMaxKinds, std::size_t{3});
}

void add_routes(DependencyGraph& graph, const Routes<std::int32_t>& channels) {
    for (std::size_t row = 0; row < channels.shape(0); ++row) {
        const auto taken = route(channels, row);
        check_ids(taken, graph.channels());
        for (std::size_t i = 1; i < taken.size(); ++i) {
            graph.add(static_cast<DependencyGraph::Channel>(taken[i - 1]),
                      static_cast<DependencyGraph::Channel>(taken[i]));
        }
    }
}

}  // namespace

void bind_virtual_channels(nb::module_& m) {
    nb::class_<Table>(m, "VcTable")
        .def("vcs", &vcs_of_routes, "kinds"_a)
        .def("steps", &steps_of);
    nb::enum_<tvlb::vc::Claim>(m, "VcClaim")
        .value("RISES", tvlb::vc::Claim::rises)
        .value("PARTS_PHASES", tvlb::vc::Claim::parts_phases)
        .value("FOLLOWS_ROUTES", tvlb::vc::Claim::follows_routes)
        .value("ORDERED", tvlb::vc::Claim::ordered);
    nb::class_<Policy>(m, "VcPolicy")
        .def_prop_ro("name", [](const Policy& self) { return std::string(self.name); })
        .def_prop_ro("is_of_source",
                     [](const Policy& self) { return self.choice == tvlb::vc::Choice::at_source; })
        .def_ro("claim", &Policy::claim)
        .def("table", [](const Policy& self, int vc_count, int split_kind) {
            return self.table({vc_count, split_kind});
        }, "vc_count"_a, "split_kind"_a = -1);
    m.def("vc_policies", [] {
        const auto all = tvlb::vc::Policies::all();
        return std::vector<Policy>(all.begin(), all.end());
    });
    nb::class_<DependencyGraph>(m, "DependencyGraph")
        .def(nb::init<std::size_t>(), "channels"_a)
        .def("add", &add_routes, "channels"_a, binding::Unlocked())
        .def("remove", &DependencyGraph::remove, "held"_a, "wanted"_a)
        .def("routes", &DependencyGraph::routes, "held"_a, "wanted"_a)
        .def("order", &DependencyGraph::order, binding::Unlocked())
        .def("find_cycle", &DependencyGraph::find_cycle, binding::Unlocked());
}

}  // namespace binding
