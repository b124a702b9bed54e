// Bindings of the Dragonfly and of its kernels.
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "absolute.hpp"
#include "bindings.hpp"
#include "path_rows.hpp"
#include "structure_usage.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using binding::Array;
using binding::Rows;
using binding::check_column;
using binding::check_pairs;
using binding::hand_over;
using binding::usage_tuple;
using binding::view;

namespace {

nb::tuple rows_tuple(tvlb::PathRows&& rows) {
    return nb::make_tuple(hand_over(std::move(rows.offset)), hand_over(std::move(rows.intermediate)),
                          hand_over(std::move(rows.first_link)),
                          hand_over(std::move(rows.second_link)), hand_over(std::move(rows.hops)),
                          hand_over(std::move(rows.weight)));
}

template <class Rule>
nb::tuple enumerate(const tvlb::Dragonfly& dragonfly, const Rule& rule,
                    const Array<std::int32_t>& sources, const Array<std::int32_t>& targets) {
    check_pairs(dragonfly, view(sources), view(targets));
    tvlb::PathRows rows;
    {
        nb::gil_scoped_release release;
        rows = tvlb::enumerate(dragonfly, rule, view(sources), view(targets));
    }
    return rows_tuple(std::move(rows));
}

nb::tuple enumerate_min(const tvlb::Dragonfly& dragonfly, const Array<std::int32_t>& sources,
                        const Array<std::int32_t>& targets) {
    check_pairs(dragonfly, view(sources), view(targets));
    return rows_tuple(tvlb::enumerate_min(dragonfly, view(sources), view(targets)));
}

template <class Rule>
nb::tuple profile(const tvlb::Dragonfly& dragonfly, const Rule& rule, const Array<std::int32_t>& sources,
                  const Array<std::int32_t>& targets) {
    check_pairs(dragonfly, view(sources), view(targets));
    tvlb::ClassProfile out;
    {
        nb::gil_scoped_release release;
        out = tvlb::profile(dragonfly, rule, view(sources), view(targets));
    }
    return nb::make_tuple(hand_over(std::move(out.count)), hand_over(std::move(out.weight)),
                          hand_over(std::move(out.unit)));
}

auto pair_compositions(const tvlb::Dragonfly& dragonfly, const Array<std::int32_t>& sources,
                       const Array<std::int32_t>& targets) {
    check_pairs(dragonfly, view(sources), view(targets));
    std::vector<std::int64_t> out;
    {
        const nb::gil_scoped_release release;
        out = tvlb::pair_compositions(dragonfly, view(sources), view(targets));
    }
    return hand_over(std::move(out));
}

tvlb::DrawnPaths* make_drawn_paths(const tvlb::Dragonfly& dragonfly, const Array<std::int32_t>& sources,
                                   const Array<std::int32_t>& targets, int hops,
                                   std::uint64_t seed, const std::vector<int>& percents) {
    check_pairs(dragonfly, view(sources), view(targets));
    if (!std::is_sorted(percents.begin(), percents.end())) {
        throw std::invalid_argument("percentages do not rise");
    }
    const nb::gil_scoped_release release;
    return new tvlb::DrawnPaths(dragonfly, view(sources), view(targets), hops, seed, percents);
}

void check_drawn(const tvlb::ShapeRule& rule, const tvlb::DrawnPaths* drawn, std::size_t pairs) {
    if (!rule.is_compact()) throw std::invalid_argument("the drawn paths differ in weight");
    if ((rule.drawn_hops > 0) != (drawn != nullptr)) {
        throw std::invalid_argument("a percentage and its drawn paths belong together");
    }
    if (drawn != nullptr && (drawn->hops() != rule.drawn_hops || drawn->pairs() != pairs)) {
        throw std::invalid_argument("the drawn paths are of another length or other pairs");
    }
}

template <class... Rule>
nb::tuple structure_usage(const tvlb::Dragonfly& dragonfly, const Array<std::int32_t>& sources,
                          const Array<std::int32_t>& targets, const Array<std::uint8_t>& listed,
                          const Rule&... rule) {
    check_pairs(dragonfly, view(sources), view(targets));
    check_column(listed.size(), dragonfly.num_links());
    tvlb::ClassUsage usage;
    {
        const nb::gil_scoped_release release;
        usage = tvlb::structure_usage(dragonfly, rule..., view(sources), view(targets), view(listed));
    }
    return usage_tuple(std::move(usage));
}

template <class... Rule>
auto inner_loads(const tvlb::Dragonfly& dragonfly, const Array<std::int32_t>& sources,
                 const Array<std::int32_t>& targets, const Array<double>& rate,
                 const Rule&... rule) {
    check_pairs(dragonfly, view(sources), view(targets));
    check_column(rate.size(), sources.size() * tvlb::kClasses);
    std::vector<double> loads;
    {
        const nb::gil_scoped_release release;
        loads = tvlb::inner_loads(dragonfly, rule..., view(sources), view(targets), view(rate));
    }
    return hand_over(std::move(loads));
}

void bind_structure(nb::module_& m) {
    nb::class_<tvlb::DrawnPaths>(m, "DrawnPaths")
        .def(nb::new_(&make_drawn_paths), "dragonfly"_a, "sources"_a, "targets"_a, "hops"_a, "seed"_a,
             "percents"_a);
    m.def("structure_usage",
          [](const tvlb::Dragonfly& dragonfly, const tvlb::ShapeRule& rule,
             const tvlb::DrawnPaths* drawn, const Array<std::int32_t>& sources,
             const Array<std::int32_t>& targets, const Array<std::uint8_t>& listed) {
              check_drawn(rule, drawn, sources.size());
              return structure_usage(dragonfly, sources, targets, listed, rule, drawn);
          },
          "dragonfly"_a, "rule"_a, "drawn"_a.none(), "sources"_a, "targets"_a, "listed"_a);
    m.def("structure_usage",
          [](const tvlb::Dragonfly& dragonfly, const tvlb::ShortRule& rule,
             const Array<std::int32_t>& sources, const Array<std::int32_t>& targets,
             const Array<std::uint8_t>& listed) {
              return structure_usage(dragonfly, sources, targets, listed, rule);
          },
          "dragonfly"_a, "rule"_a, "sources"_a, "targets"_a, "listed"_a);
    m.def("inner_loads",
          [](const tvlb::Dragonfly& dragonfly, const tvlb::ShapeRule& rule,
             const tvlb::DrawnPaths* drawn, const Array<std::int32_t>& sources,
             const Array<std::int32_t>& targets, const Array<double>& rate) {
              check_drawn(rule, drawn, sources.size());
              return inner_loads(dragonfly, sources, targets, rate, rule, drawn);
          },
          "dragonfly"_a, "rule"_a, "drawn"_a.none(), "sources"_a, "targets"_a, "rate"_a);
    m.def("inner_loads",
          [](const tvlb::Dragonfly& dragonfly, const tvlb::ShortRule& rule,
             const Array<std::int32_t>& sources, const Array<std::int32_t>& targets,
             const Array<double>& rate) { return inner_loads(dragonfly, sources, targets, rate, rule); },
          "dragonfly"_a, "rule"_a, "sources"_a, "targets"_a, "rate"_a);
}

// Shape of every row, kShapes for paths inside a group and MIN paths.
auto path_shapes(const tvlb::Dragonfly& dragonfly, const Rows& rows) {
    const auto v = rows.as_view();
    std::vector<std::uint8_t> out(v.hops.size());
    for (std::size_t pair = 0; pair < v.pairs(); ++pair) {
        for (auto row = v.begin(pair); row < v.end(pair); ++row) {
            const auto path = v.path(pair, row);
            out[row] = path.second_link == tvlb::kAbsent
                           ? static_cast<std::uint8_t>(tvlb::kShapes)
                           : tvlb::shape_of(dragonfly, path);
        }
    }
    return hand_over(std::move(out));
}

auto takes_nearest(const tvlb::Dragonfly& dragonfly, const tvlb::ShapeRule& rule,
                   const Array<std::int32_t>& sources, const Array<std::int32_t>& targets) {
    check_pairs(dragonfly, view(sources), view(targets));
    std::vector<std::uint8_t> out;
    {
        const nb::gil_scoped_release release;
        out = tvlb::takes_nearest(dragonfly, rule, view(sources), view(targets));
    }
    return hand_over(std::move(out));
}

auto absolute_cables(std::int32_t switches_per_group, std::int32_t global_ports,
                     std::int32_t groups) {
    if (switches_per_group < 1 || global_ports < 1 || groups < 2) {
        throw std::invalid_argument("no such Dragonfly");
    }
    std::vector<std::int32_t> cables;
    {
        const nb::gil_scoped_release release;
        cables = tvlb::absolute_cables(switches_per_group, global_ports, groups);
    }
    return hand_over(std::move(cables));
}

void bind_rules(nb::module_& m) {
    nb::class_<tvlb::ShapeRule>(m, "ShapeRule")
        .def("__init__",
             [](tvlb::ShapeRule* self, const std::vector<double>& weight,
                const std::vector<int>& nearest, int drawn_hops, int percent, std::uint64_t seed) {
                 new (self) tvlb::ShapeRule(
                     tvlb::make_shape_rule(weight, nearest, drawn_hops, percent, seed));
             },
             "weight"_a, "nearest"_a, "drawn_hops"_a, "percent"_a, "seed"_a)
        .def_prop_ro("is_compact", &tvlb::ShapeRule::is_compact);
    nb::class_<tvlb::ShortRule>(m, "ShortRule")
        .def("__init__",
             [](tvlb::ShortRule* self, int max_first, int max_second, int max_total) {
                 new (self) tvlb::ShortRule{max_first, max_second, max_total};
             },
             "max_first"_a, "max_second"_a, "max_total"_a);
}

void bind_paths(nb::module_& m) {
    m.def("enumerate_vlb", &enumerate<tvlb::ShapeRule>, "topology"_a, "rule"_a, "sources"_a,
          "targets"_a);
    m.def("enumerate_vlb", &enumerate<tvlb::ShortRule>, "topology"_a, "rule"_a, "sources"_a,
          "targets"_a);
    m.def("enumerate_min", &enumerate_min, "topology"_a, "sources"_a, "targets"_a);
    m.def("profile_vlb", &profile<tvlb::ShapeRule>, "topology"_a, "rule"_a, "sources"_a,
          "targets"_a);
    m.def("profile_vlb", &profile<tvlb::ShortRule>, "topology"_a, "rule"_a, "sources"_a,
          "targets"_a);
    m.def("takes_nearest", &takes_nearest, "topology"_a, "rule"_a, "sources"_a, "targets"_a);
    m.def("path_shapes", &path_shapes, "topology"_a, "rows"_a);
    m.def("pair_compositions", &pair_compositions, "topology"_a, "sources"_a, "targets"_a);
}

}  // namespace

void binding::bind_dragonfly(nb::module_& m) {
    nb::class_<tvlb::Dragonfly, tvlb::Topology>(m, "Dragonfly")
        .def(nb::init<tvlb::Network, std::int32_t>(), "network"_a, "groups"_a);
    m.def("absolute_cables", &absolute_cables, "switches_per_group"_a, "global_ports"_a,
          "groups"_a);
    bind_rules(m);
    bind_paths(m);
    bind_structure(m);
}
