// Bindings of topologies, the rules of path sets, and what enumerates them.
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "path_kernel.hpp"
#include "shortcuts.hpp"
#include "shortest_paths.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using binding::Array;
using binding::Rows;
using binding::check_column;
using binding::check_pairs;
using binding::hand_over;
using binding::of_each_pair;
using binding::unlocked;
using binding::view;
using tvlb::PathKernel;
using tvlb::Topology;

namespace {

using Ends = Array<std::int32_t>;

nb::tuple rows_tuple(tvlb::PathRows&& rows) {
    return nb::make_tuple(hand_over(std::move(rows.offset)), hand_over(std::move(rows.intermediate)),
                          hand_over(std::move(rows.first_link)),
                          hand_over(std::move(rows.second_link)), hand_over(std::move(rows.hops)),
                          hand_over(std::move(rows.weight)));
}

// Calls a function of a kernel that takes pairs last, without the Python lock.
template <class Function, class... Before>
auto of_pairs(const PathKernel& kernel, Function function, const Ends& sources, const Ends& targets,
              const Before&... before) {
    check_pairs(kernel.topology(), view(sources), view(targets));
    return unlocked([&] { return (kernel.*function)(before..., view(sources), view(targets)); });
}

template <class Rule>
nb::tuple enumerate(const PathKernel& kernel, const Rule& rule, const Ends& sources,
                    const Ends& targets) {
    using Function = tvlb::PathRows (PathKernel::*)(const Rule&, tvlb::Switches, tvlb::Switches) const;
    return rows_tuple(
        of_pairs(kernel, static_cast<Function>(&PathKernel::enumerate), sources, targets, rule));
}

nb::tuple enumerate_min(const PathKernel& kernel, const Ends& sources, const Ends& targets) {
    return rows_tuple(of_pairs(kernel, &PathKernel::enumerate_min, sources, targets));
}

nb::tuple min_usage(const PathKernel& kernel, const Ends& sources, const Ends& targets) {
    auto out = of_pairs(kernel, &PathKernel::min_usage, sources, targets);
    return nb::make_tuple(hand_over(std::move(out.profile.count)),
                          hand_over(std::move(out.profile.weight)),
                          hand_over(std::move(out.usage.cls)), hand_over(std::move(out.usage.link)),
                          hand_over(std::move(out.usage.value)));
}

template <class Rule>
nb::tuple profile(const PathKernel& kernel, const Rule& rule, const Ends& sources,
                  const Ends& targets) {
    using Function =
        tvlb::ClassProfile (PathKernel::*)(const Rule&, tvlb::Switches, tvlb::Switches) const;
    auto out = of_pairs(kernel, static_cast<Function>(&PathKernel::profile), sources, targets, rule);
    return nb::make_tuple(hand_over(std::move(out.count)), hand_over(std::move(out.weight)),
                          hand_over(std::move(out.unit)));
}

// Hops of named MIN paths; kAbsent where a name names none.
auto half_hops(const Topology& topology, const Ends& sources, const Ends& names,
               const Ends& targets) {
    check_pairs(topology, view(sources), view(targets));
    check_column(names.size(), sources.size());
    return hand_over(unlocked([&] {
        std::vector<std::int32_t> out;
        for (std::size_t row = 0; row < sources.size(); ++row) {
            const auto from = view(sources)[row];
            const auto to = view(targets)[row];
            const auto name = view(names)[row];
            tvlb::PathLinks links;
            const bool exists =
                from != to && topology.min_position(from, to, name) != tvlb::kAbsent;
            if (exists) topology.append_min(links, from, name, to);
            out.push_back(exists ? links.count : tvlb::kAbsent);
        }
        return out;
    }));
}

nb::tuple shortcuts(const tvlb::ShortestPaths& network, const tvlb::ShortcutRule& rule,
                    const Ends& sources, const Ends& targets) {
    check_pairs(network, view(sources), view(targets));
    return rows_tuple(unlocked(
        [&] { return tvlb::Shortcuts(network, rule).enumerate(view(sources), view(targets)); }));
}

void bind_topology(nb::module_& m) {
    nb::class_<Topology, tvlb::Network>(m, "Topology")
        .def_prop_ro("halves",
                     [](const Topology& self) {
                         std::vector<std::vector<int>> out;
                         for (const auto& half : self.halves()) {
                             out.emplace_back(half.begin(), half.end());
                         }
                         return out;
                     })
        .def_prop_ro("are_simple", &Topology::are_simple)
        .def("kernel", [](const Topology& self) { return self.kernel().release(); },
             nb::rv_policy::take_ownership, nb::keep_alive<0, 1>(), binding::Unlocked())
        .def("min_paths",
             [](const Topology& self, const Ends& sources, const Ends& targets) {
                 return of_each_pair(self, sources, targets,
                                     [&](int from, int to) { return self.min_paths(from, to); });
             },
             "sources"_a, "targets"_a)
        .def("half_hops", &half_hops, "sources"_a, "names"_a, "targets"_a);
    nb::enum_<tvlb::Chosen>(m, "Chosen")
        .value("ALL", tvlb::Chosen::all)
        .value("LOWEST_SWITCH", tvlb::Chosen::lowest_switch)
        .value("FIRST_LINK", tvlb::Chosen::first_link);
    nb::class_<tvlb::ShortestPaths, Topology>(m, "ShortestPaths")
        .def("__init__",
             [](tvlb::ShortestPaths* self, tvlb::Network network, tvlb::Chosen chosen,
                bool by_link, bool between_nodes, std::size_t most_kinds) {
                 new (self) tvlb::ShortestPaths(std::move(network),
                                                {chosen, by_link, between_nodes, most_kinds});
             },
             "network"_a, "chosen"_a = tvlb::Chosen::all, "by_link"_a = false,
             "between_nodes"_a = false, "most_kinds"_a = tvlb::ShortestRule{}.most_kinds,
             binding::Unlocked())
        .def_prop_ro("most_min_paths", &tvlb::ShortestPaths::most_min_paths)
        .def_prop_ro("are_by_length", &tvlb::ShortestPaths::are_by_length)
        .def("shortcuts", &shortcuts, "rule"_a, "sources"_a, "targets"_a)
        .def("min_hops",
             [](const tvlb::ShortestPaths& self, const Ends& sources, const Ends& targets) {
                 return of_each_pair(self, sources, targets,
                                     [&](int from, int to) { return self.min_hops(from, to); });
             },
             "sources"_a, "targets"_a);
}

void bind_rules(nb::module_& m) {
    nb::class_<tvlb::ShapeRule>(m, "ShapeRule")
        .def(nb::new_([](std::vector<double> weight, std::vector<std::int8_t> hops,
                         const std::vector<int>& nearest, int drawn_hops, int percent,
                         std::uint64_t seed) {
                 return tvlb::make_shape_rule(std::move(weight), std::move(hops), nearest,
                                              drawn_hops, percent, seed);
             }),
             "weight"_a, "hops"_a, "nearest"_a, "drawn_hops"_a, "percent"_a, "seed"_a)
        .def_prop_ro("is_compact", &tvlb::ShapeRule::is_compact);
    nb::class_<tvlb::ShortRule>(m, "ShortRule")
        .def(nb::init<int, int, int>(), "max_first"_a, "max_second"_a, "max_total"_a);
    nb::class_<tvlb::ShortcutRule>(m, "ShortcutRule")
        .def(nb::init<bool>(), "only_to_neighbours"_a);
    nb::class_<tvlb::AllRule>(m, "AllRule").def(nb::init<>());
    nb::class_<tvlb::EmptyRule>(m, "EmptyRule").def(nb::init<>());
}

}  // namespace

void binding::bind_paths(nb::module_& m) {
    bind_rules(m);
    nb::class_<PathKernel>(m, "PathKernel")
        .def("enumerate", &enumerate<tvlb::ShapeRule>, "rule"_a, "sources"_a, "targets"_a)
        .def("enumerate", &enumerate<tvlb::ShortRule>, "rule"_a, "sources"_a, "targets"_a)
        .def("enumerate_min", &enumerate_min, "sources"_a, "targets"_a)
        .def("min_usage", &min_usage, "sources"_a, "targets"_a)
        .def("profile", &profile<tvlb::ShapeRule>, "rule"_a, "sources"_a, "targets"_a)
        .def("profile", &profile<tvlb::ShortRule>, "rule"_a, "sources"_a, "targets"_a)
        .def("takes_nearest",
             [](const PathKernel& self, const tvlb::ShapeRule& rule, const Ends& sources,
                const Ends& targets) {
                 return hand_over(
                     of_pairs(self, &PathKernel::takes_nearest, sources, targets, rule));
             },
             "rule"_a, "sources"_a, "targets"_a)
        .def("shapes",
             [](const PathKernel& self, const Rows& rows) {
                 return hand_over(unlocked([&] { return self.shapes(rows.as_view()); }));
             },
             "rows"_a)
        .def("count_shapes",
             [](const PathKernel& self, const Ends& sources, const Ends& targets) {
                 return hand_over(of_pairs(self, &PathKernel::count_shapes, sources, targets));
             },
             "sources"_a, "targets"_a)
        .def("compositions",
             [](const PathKernel& self, const Ends& sources, const Ends& targets) {
                 return hand_over(of_pairs(self, &PathKernel::compositions, sources, targets));
             },
             "sources"_a, "targets"_a);
    bind_topology(m);
    m.def("kernel_by_min_rule",
          [](const Topology& topology) { return tvlb::kernel_by_min_rule(topology).release(); },
          "topology"_a, nb::rv_policy::take_ownership, nb::keep_alive<0, 1>(),
          binding::Unlocked());
}
