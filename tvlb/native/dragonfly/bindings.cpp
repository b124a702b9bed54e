// Bindings of the Dragonfly and of its kernels.
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "absolute.hpp"
#include "bindings.hpp"
#include "degraded.hpp"
#include "structure_usage.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using binding::Array;
using binding::check_column;
using binding::check_pairs;
using binding::hand_over;
using binding::unlocked;
using binding::usage_tuple;
using binding::view;

namespace {

tvlb::DrawnPaths* make_drawn_paths(const tvlb::Dragonfly& dragonfly, const Array<std::int32_t>& sources,
                                   const Array<std::int32_t>& targets, int hops,
                                   std::uint64_t seed, const std::vector<int>& percents) {
    check_pairs(dragonfly, view(sources), view(targets));
    if (!std::is_sorted(percents.begin(), percents.end())) {
        throw std::invalid_argument("percentages do not rise");
    }
    const binding::LockReleased released;
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
    return usage_tuple(unlocked([&] {
        return tvlb::structure_usage(dragonfly, rule..., view(sources), view(targets), view(listed));
    }));
}

template <class... Rule>
auto inner_loads(const tvlb::Dragonfly& dragonfly, const Array<std::int32_t>& sources,
                 const Array<std::int32_t>& targets, const Array<double>& rate,
                 const Rule&... rule) {
    check_pairs(dragonfly, view(sources), view(targets));
    check_column(rate.size(), sources.size() * dragonfly.num_classes());
    return hand_over(unlocked([&] {
        return tvlb::inner_loads(dragonfly, rule..., view(sources), view(targets), view(rate));
    }));
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

auto absolute_cables(std::int32_t switches_per_group, std::int32_t global_ports,
                     std::int32_t groups) {
    if (switches_per_group < 1 || global_ports < 1 || groups < 2) {
        throw std::invalid_argument("no such Dragonfly");
    }
    return hand_over(unlocked(
        [&] { return tvlb::absolute_cables(switches_per_group, global_ports, groups); }));
}

}  // namespace

void binding::bind_dragonfly(nb::module_& m) {
    nb::class_<tvlb::Dragonfly, tvlb::Topology>(m, "Dragonfly")
        .def(nb::init<tvlb::Network, std::int32_t>(), "network"_a, "groups"_a,
             binding::Unlocked());
    nb::class_<tvlb::DegradedDragonfly, tvlb::Topology>(m, "DegradedDragonfly")
        .def(nb::init<const tvlb::Network&, std::int32_t>(), "network"_a, "groups"_a,
             binding::Unlocked())
        .def_prop_ro("most_min_paths", &tvlb::DegradedDragonfly::name_limit);
    m.def("absolute_cables", &absolute_cables, "switches_per_group"_a, "global_ports"_a,
          "groups"_a);
    bind_structure(m);
}
