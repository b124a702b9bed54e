// The Python module, and bindings of what is the same for all families: numpy arrays in and out.
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "balance.hpp"
#include "bindings.hpp"
#include "order.hpp"
#include "reweight.hpp"
#include "usage.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using binding::Array;
using binding::Rows;
using binding::check_column;
using binding::check_ids;
using binding::check_pairs;
using binding::hand_over;
using binding::hand_over_as;
using binding::unlocked;
using binding::usage_tuple;
using binding::view;

namespace {

Rows make_rows(const tvlb::Topology& topology, Array<std::int32_t> source, Array<std::int32_t> target,
               Array<std::int64_t> offset, Array<std::int32_t> intermediate,
               Array<std::int32_t> first_link, Array<std::int32_t> second_link,
               Array<std::int8_t> hops, Array<double> weight) {
    Rows rows{source, target, offset, intermediate, first_link, second_link, hops, weight};
    check_pairs(topology, view(source), view(target));
    check_column(offset.size(), source.size() + 1);
    for (const auto size : {intermediate.size(), first_link.size(), second_link.size(),
                            hops.size()}) {
        check_column(size, weight.size());
    }
    check_ids(view(intermediate), static_cast<std::size_t>(topology.num_switches()));
    const auto names = static_cast<std::size_t>(topology.name_limit());
    check_ids(view(first_link), names);
    check_ids(view(second_link), names);
    for (const auto h : view(hops)) {
        if (h < 0 || static_cast<std::size_t>(h) >= topology.num_classes()) throw std::invalid_argument("hops out of range in rows");
    }
    return rows;
}

nb::tuple class_usage(const tvlb::Topology& topology, const Rows& rows) {
    return usage_tuple(unlocked([&] { return tvlb::class_usage(topology, rows.as_view()); }));
}

auto total_usage(const tvlb::Topology& topology, const Rows& rows) {
    return hand_over(unlocked([&] { return tvlb::total_usage(topology, rows.as_view()); }));
}

// Links of every row in travel order, kAbsent beyond the last: a row of the longest path each.
auto path_links(const tvlb::Topology& topology, const Rows& rows) {
    const auto v = rows.as_view();
    const auto width = topology.num_classes() - 1;
    auto out = unlocked([&] {
        std::vector<std::int32_t> found(v.hops.size() * width, tvlb::kAbsent);
        for (std::size_t pair = 0; pair < v.pairs(); ++pair) {
            for (auto row = v.begin(pair); row < v.end(pair); ++row) {
                const auto links = topology.links_of(v.path(pair, row));
                std::copy(links.view().begin(), links.view().end(),
                          found.begin() + static_cast<std::ptrdiff_t>(row * width));
            }
        }
        return found;
    });
    return hand_over_as(std::move(out), v.hops.size(), width);
}

nb::tuple balance(const tvlb::Topology& topology, const Rows& rows,
                  const tvlb::BalanceOptions& options) {
    auto outcome = unlocked([&] { return tvlb::balance(topology, rows.as_view(), options); });
    return nb::make_tuple(hand_over(std::move(outcome.keep)),
                          hand_over(std::move(outcome.pair_stopped)), outcome.removed_locally,
                          outcome.removed_globally);
}

nb::tuple balance_pairs(const tvlb::Topology& topology, const Rows& rows,
                        const tvlb::BalanceOptions& options) {
    auto outcome = unlocked([&] { return tvlb::balance_pairs(topology, rows.as_view(), options); });
    return nb::make_tuple(hand_over(std::move(outcome.keep)),
                          hand_over(std::move(outcome.pair_stopped)), outcome.removed_locally);
}

auto balance_weights(const tvlb::Topology& topology, const Rows& rows,
                     const tvlb::WeightOptions& options) {
    return hand_over(
        unlocked([&] { return tvlb::balance_weights(topology, rows.as_view(), options); }));
}

auto reweighted(const tvlb::Topology& topology, const Rows& rows, const Array<double>& factor,
                double floor) {
    check_column(factor.size(), topology.num_links());
    return hand_over(unlocked(
        [&] { return tvlb::reweighted(topology, rows.as_view(), view(factor), floor); }));
}

auto pair_imbalance(const tvlb::Topology& topology, const Rows& rows) {
    return hand_over(unlocked([&] { return tvlb::pair_imbalance(topology, rows.as_view()); }));
}

std::uint64_t path_key(std::uint64_t seed, std::int32_t source, std::int32_t target,
                       std::int32_t intermediate, std::int32_t first, std::int32_t second) {
    return tvlb::path_key(tvlb::pair_key(seed, source, target), intermediate, first, second);
}

void bind_options(nb::module_& m) {
    nb::class_<tvlb::BalanceOptions>(m, "BalanceOptions")
        .def(nb::init<double, double, std::int64_t, double, std::uint64_t>(), "local_threshold"_a,
             "global_threshold"_a, "floor_paths"_a, "floor_share"_a, "seed"_a);
    nb::class_<tvlb::WeightOptions>(m, "WeightOptions")
        .def(nb::init<std::int64_t, double, double>(), "rounds"_a, "step"_a, "floor"_a);
}

void bind_rows(nb::module_& m) {
    nb::class_<Rows>(m, "Rows")
        .def(nb::new_(&make_rows), "topology"_a, "source"_a, "target"_a, "offset"_a,
             "intermediate"_a, "first_link"_a, "second_link"_a, "hops"_a, "weight"_a);
}

void bind_network(nb::module_& m) {
    nb::class_<tvlb::Network>(m, "Network")
        .def("__init__",
             [](tvlb::Network* self, std::int32_t num_switches,
                const Array<std::int32_t>& node_switch, const Array<std::int32_t>& link_source,
                const Array<std::int32_t>& link_target, const Array<std::uint8_t>& link_kind) {
                 new (self) tvlb::Network(num_switches, view(node_switch), view(link_source),
                                          view(link_target), view(link_kind));
             },
             "num_switches"_a, "node_switch"_a, "link_source"_a, "link_target"_a, "link_kind"_a,
             binding::Unlocked())
        .def_prop_ro("num_nodes", &tvlb::Network::num_nodes)
        .def_prop_ro("num_links", &tvlb::Network::num_links)
        .def_prop_ro("max_ports", &tvlb::Network::max_ports)
        .def("output_link", &tvlb::Network::output_link, "sw"_a, "port"_a);
}

}  // namespace

NB_MODULE(kernels, m) {
    m.doc() = "Networks, path enumeration, link usage and balancing kernels of tvlb.";
    bind_network(m);
    binding::bind_paths(m);
    binding::bind_dragonfly(m);
    bind_options(m);
    bind_rows(m);
    m.def("class_usage", &class_usage, "topology"_a, "rows"_a);
    m.def("total_usage", &total_usage, "topology"_a, "rows"_a);
    m.def("path_links", &path_links, "topology"_a, "rows"_a);
    m.def("balance", &balance, "topology"_a, "rows"_a, "options"_a);
    m.def("balance_pairs", &balance_pairs, "topology"_a, "rows"_a, "options"_a);
    m.def("balance_weights", &balance_weights, "topology"_a, "rows"_a, "options"_a);
    m.def("reweighted", &reweighted, "topology"_a, "rows"_a, "factor"_a, "floor"_a);
    m.def("pair_imbalance", &pair_imbalance, "topology"_a, "rows"_a);
    m.def("path_key", &path_key, "seed"_a, "source"_a, "target"_a, "intermediate"_a, "first"_a,
          "second"_a);
    binding::bind_regret(m);
    binding::bind_virtual_channels(m);
    binding::bind_forwarding(m);
}
