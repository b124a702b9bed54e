// The Python module, and bindings of the path and balance kernels: numpy arrays in and out.
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "absolute.hpp"
#include "balance.hpp"
#include "bindings.hpp"
#include "order.hpp"
#include "path_rows.hpp"
#include "reweight.hpp"
#include "structure_usage.hpp"
#include "usage.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using binding::Array;
using binding::check_column;
using binding::check_ids;
using binding::copy;
using binding::hand_over;
using binding::view;

namespace {

void check_local_links_first(const tvlb::Wiring& wiring) {
    for (std::size_t link = 0; link < wiring.links(); ++link) {
        if ((wiring.link_kind[link] == 0) != (link < wiring.num_local_links())) {
            throw std::invalid_argument("the local links must be complete and have the lowest ids");
        }
    }
}

tvlb::Wiring make_wiring(std::int32_t a, std::int32_t g, const Array<std::int32_t>& source,
                         const Array<std::int32_t>& target, const Array<std::uint8_t>& kind,
                         const Array<std::int32_t>& local, const Array<std::int32_t>& offset,
                         const Array<std::int32_t>& group_links) {
    tvlb::Wiring wiring{a,           g,           copy(source), copy(target),
                        copy(kind),  copy(local), copy(offset), copy(group_links)};
    check_local_links_first(wiring);
    return wiring;
}

void check_pairs(const tvlb::Wiring& wiring, std::span<const std::int32_t> sources,
                 std::span<const std::int32_t> targets) {
    if (sources.size() != targets.size()) throw std::invalid_argument("sources and targets differ");
    for (const auto ends : {sources, targets}) {
        for (const auto sw : ends) {
            if (sw < 0 || sw >= wiring.switches()) throw std::invalid_argument("no such switch");
        }
    }
}

nb::tuple rows_tuple(tvlb::PathRows&& rows) {
    return nb::make_tuple(hand_over(std::move(rows.offset)), hand_over(std::move(rows.intermediate)),
                          hand_over(std::move(rows.first_link)),
                          hand_over(std::move(rows.second_link)), hand_over(std::move(rows.hops)),
                          hand_over(std::move(rows.weight)));
}

template <class Rule>
nb::tuple enumerate(const tvlb::Wiring& wiring, const Rule& rule,
                    const Array<std::int32_t>& sources, const Array<std::int32_t>& targets) {
    check_pairs(wiring, view(sources), view(targets));
    tvlb::PathRows rows;
    {
        nb::gil_scoped_release release;
        rows = tvlb::enumerate(wiring, rule, view(sources), view(targets));
    }
    return rows_tuple(std::move(rows));
}

nb::tuple enumerate_min(const tvlb::Wiring& wiring, const Array<std::int32_t>& sources,
                        const Array<std::int32_t>& targets) {
    check_pairs(wiring, view(sources), view(targets));
    return rows_tuple(tvlb::enumerate_min(wiring, view(sources), view(targets)));
}

template <class Rule>
nb::tuple profile(const tvlb::Wiring& wiring, const Rule& rule, const Array<std::int32_t>& sources,
                  const Array<std::int32_t>& targets) {
    check_pairs(wiring, view(sources), view(targets));
    tvlb::ClassProfile out;
    {
        nb::gil_scoped_release release;
        out = tvlb::profile(wiring, rule, view(sources), view(targets));
    }
    return nb::make_tuple(hand_over(std::move(out.count)), hand_over(std::move(out.weight)),
                          hand_over(std::move(out.unit)));
}

auto pair_compositions(const tvlb::Wiring& wiring, const Array<std::int32_t>& sources,
                       const Array<std::int32_t>& targets) {
    check_pairs(wiring, view(sources), view(targets));
    std::vector<std::int64_t> out;
    {
        const nb::gil_scoped_release release;
        out = tvlb::pair_compositions(wiring, view(sources), view(targets));
    }
    return hand_over(std::move(out));
}

// The arrays behind a RowsView, kept alive while the view is used.
struct Rows {
    Array<std::int32_t> source, target;
    Array<std::int64_t> offset;
    Array<std::int32_t> intermediate, first_link, second_link;
    Array<std::int8_t> hops;
    Array<double> weight;

    [[nodiscard]] tvlb::RowsView as_view() const {
        return {view(source),     view(target),      view(offset), view(intermediate),
                view(first_link), view(second_link), view(hops),   view(weight)};
    }
};

Rows make_rows(const tvlb::Wiring& wiring, Array<std::int32_t> source, Array<std::int32_t> target,
               Array<std::int64_t> offset, Array<std::int32_t> intermediate,
               Array<std::int32_t> first_link, Array<std::int32_t> second_link,
               Array<std::int8_t> hops, Array<double> weight) {
    Rows rows{source, target, offset, intermediate, first_link, second_link, hops, weight};
    check_pairs(wiring, view(source), view(target));
    check_column(offset.size(), source.size() + 1);
    for (const auto size : {intermediate.size(), first_link.size(), second_link.size(),
                            hops.size()}) {
        check_column(size, weight.size());
    }
    check_ids(view(intermediate), static_cast<std::size_t>(wiring.switches()));
    check_ids(view(first_link), wiring.links());
    check_ids(view(second_link), wiring.links());
    for (const auto h : view(hops)) {
        if (h < 0 || h >= tvlb::kClasses) throw std::invalid_argument("hops out of range in rows");
    }
    return rows;
}

nb::tuple usage_tuple(tvlb::ClassUsage&& usage) {
    return nb::make_tuple(hand_over(std::move(usage.cls)), hand_over(std::move(usage.link)),
                          hand_over(std::move(usage.value)));
}

nb::tuple class_usage(const tvlb::Wiring& wiring, const Rows& rows) {
    tvlb::ClassUsage usage;
    {
        nb::gil_scoped_release release;
        usage = tvlb::class_usage(wiring, rows.as_view());
    }
    return usage_tuple(std::move(usage));
}

tvlb::DrawnPaths* make_drawn_paths(const tvlb::Wiring& wiring, const Array<std::int32_t>& sources,
                                   const Array<std::int32_t>& targets, int hops,
                                   std::uint64_t seed, const std::vector<int>& percents) {
    check_pairs(wiring, view(sources), view(targets));
    if (!std::is_sorted(percents.begin(), percents.end())) {
        throw std::invalid_argument("percentages do not rise");
    }
    const nb::gil_scoped_release release;
    return new tvlb::DrawnPaths(wiring, view(sources), view(targets), hops, seed, percents);
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
nb::tuple structure_usage(const tvlb::Wiring& wiring, const Array<std::int32_t>& sources,
                          const Array<std::int32_t>& targets, const Array<std::uint8_t>& listed,
                          const Rule&... rule) {
    check_pairs(wiring, view(sources), view(targets));
    check_column(listed.size(), wiring.links());
    tvlb::ClassUsage usage;
    {
        const nb::gil_scoped_release release;
        usage = tvlb::structure_usage(wiring, rule..., view(sources), view(targets), view(listed));
    }
    return usage_tuple(std::move(usage));
}

template <class... Rule>
auto inner_loads(const tvlb::Wiring& wiring, const Array<std::int32_t>& sources,
                 const Array<std::int32_t>& targets, const Array<double>& rate,
                 const Rule&... rule) {
    check_pairs(wiring, view(sources), view(targets));
    check_column(rate.size(), sources.size() * tvlb::kClasses);
    std::vector<double> loads;
    {
        const nb::gil_scoped_release release;
        loads = tvlb::inner_loads(wiring, rule..., view(sources), view(targets), view(rate));
    }
    return hand_over(std::move(loads));
}

void bind_structure(nb::module_& m) {
    nb::class_<tvlb::DrawnPaths>(m, "DrawnPaths")
        .def(nb::new_(&make_drawn_paths), "wiring"_a, "sources"_a, "targets"_a, "hops"_a, "seed"_a,
             "percents"_a);
    m.def("structure_usage",
          [](const tvlb::Wiring& wiring, const tvlb::ShapeRule& rule,
             const tvlb::DrawnPaths* drawn, const Array<std::int32_t>& sources,
             const Array<std::int32_t>& targets, const Array<std::uint8_t>& listed) {
              check_drawn(rule, drawn, sources.size());
              return structure_usage(wiring, sources, targets, listed, rule, drawn);
          },
          "wiring"_a, "rule"_a, "drawn"_a.none(), "sources"_a, "targets"_a, "listed"_a);
    m.def("structure_usage",
          [](const tvlb::Wiring& wiring, const tvlb::ShortRule& rule,
             const Array<std::int32_t>& sources, const Array<std::int32_t>& targets,
             const Array<std::uint8_t>& listed) {
              return structure_usage(wiring, sources, targets, listed, rule);
          },
          "wiring"_a, "rule"_a, "sources"_a, "targets"_a, "listed"_a);
    m.def("inner_loads",
          [](const tvlb::Wiring& wiring, const tvlb::ShapeRule& rule,
             const tvlb::DrawnPaths* drawn, const Array<std::int32_t>& sources,
             const Array<std::int32_t>& targets, const Array<double>& rate) {
              check_drawn(rule, drawn, sources.size());
              return inner_loads(wiring, sources, targets, rate, rule, drawn);
          },
          "wiring"_a, "rule"_a, "drawn"_a.none(), "sources"_a, "targets"_a, "rate"_a);
    m.def("inner_loads",
          [](const tvlb::Wiring& wiring, const tvlb::ShortRule& rule,
             const Array<std::int32_t>& sources, const Array<std::int32_t>& targets,
             const Array<double>& rate) { return inner_loads(wiring, sources, targets, rate, rule); },
          "wiring"_a, "rule"_a, "sources"_a, "targets"_a, "rate"_a);
}

auto total_usage(const tvlb::Wiring& wiring, const Rows& rows) {
    std::vector<double> usage;
    {
        nb::gil_scoped_release release;
        usage = tvlb::total_usage(wiring, rows.as_view());
    }
    return hand_over(std::move(usage));
}

// Links of every row in travel order, kAbsent beyond the last: rows * 6 values.
auto path_links(const tvlb::Wiring& wiring, const Rows& rows) {
    const auto v = rows.as_view();
    std::vector<std::int32_t> out(v.hops.size() * tvlb::kMaxPathLinks, tvlb::kAbsent);
    for (std::size_t pair = 0; pair < v.pairs(); ++pair) {
        for (auto row = v.begin(pair); row < v.end(pair); ++row) {
            const auto links = wiring.links_of(v.path(pair, row));
            std::copy(links.view().begin(), links.view().end(),
                      out.begin() + static_cast<std::ptrdiff_t>(row * tvlb::kMaxPathLinks));
        }
    }
    return hand_over(std::move(out));
}

// Shape of every row, kShapes for paths inside a group and MIN paths.
auto path_shapes(const tvlb::Wiring& wiring, const Rows& rows) {
    const auto v = rows.as_view();
    std::vector<std::uint8_t> out(v.hops.size());
    for (std::size_t pair = 0; pair < v.pairs(); ++pair) {
        for (auto row = v.begin(pair); row < v.end(pair); ++row) {
            const auto path = v.path(pair, row);
            out[row] = path.second_link == tvlb::kAbsent
                           ? static_cast<std::uint8_t>(tvlb::kShapes)
                           : tvlb::shape_of(wiring, path);
        }
    }
    return hand_over(std::move(out));
}

auto takes_nearest(const tvlb::Wiring& wiring, const tvlb::ShapeRule& rule,
                   const Array<std::int32_t>& sources, const Array<std::int32_t>& targets) {
    check_pairs(wiring, view(sources), view(targets));
    std::vector<std::uint8_t> out;
    {
        const nb::gil_scoped_release release;
        out = tvlb::takes_nearest(wiring, rule, view(sources), view(targets));
    }
    return hand_over(std::move(out));
}

nb::tuple balance(const tvlb::Wiring& wiring, const Rows& rows,
                  const tvlb::BalanceOptions& options) {
    tvlb::BalanceOutcome outcome;
    {
        nb::gil_scoped_release release;
        outcome = tvlb::balance(wiring, rows.as_view(), options);
    }
    return nb::make_tuple(hand_over(std::move(outcome.keep)),
                          hand_over(std::move(outcome.pair_stopped)), outcome.removed_locally,
                          outcome.removed_globally);
}

nb::tuple balance_pairs(const tvlb::Wiring& wiring, const Rows& rows,
                        const tvlb::BalanceOptions& options) {
    tvlb::BalanceOutcome outcome;
    {
        const nb::gil_scoped_release release;
        outcome = tvlb::balance_pairs(wiring, rows.as_view(), options);
    }
    return nb::make_tuple(hand_over(std::move(outcome.keep)),
                          hand_over(std::move(outcome.pair_stopped)), outcome.removed_locally);
}

auto balance_weights(const tvlb::Wiring& wiring, const Rows& rows,
                     const tvlb::WeightOptions& options) {
    std::vector<double> factor;
    {
        const nb::gil_scoped_release release;
        factor = tvlb::balance_weights(wiring, rows.as_view(), options);
    }
    return hand_over(std::move(factor));
}

auto reweighted(const tvlb::Wiring& wiring, const Rows& rows, const Array<double>& factor,
                double floor) {
    check_column(factor.size(), wiring.links());
    std::vector<double> weight;
    {
        const nb::gil_scoped_release release;
        weight = tvlb::reweighted(wiring, rows.as_view(), view(factor), floor);
    }
    return hand_over(std::move(weight));
}

auto pair_imbalance(const tvlb::Wiring& wiring, const Rows& rows) {
    std::vector<double> imbalance;
    {
        nb::gil_scoped_release release;
        imbalance = tvlb::pair_imbalance(wiring, rows.as_view());
    }
    return hand_over(std::move(imbalance));
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

std::uint64_t path_key(std::uint64_t seed, std::int32_t source, std::int32_t target,
                       std::int32_t intermediate, std::int32_t first, std::int32_t second) {
    return tvlb::path_key(tvlb::pair_key(seed, source, target), intermediate, first, second);
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
    nb::class_<tvlb::BalanceOptions>(m, "BalanceOptions")
        .def("__init__",
             [](tvlb::BalanceOptions* self, double local_threshold, double global_threshold,
                std::int64_t floor_paths, double floor_share, std::uint64_t seed) {
                 new (self) tvlb::BalanceOptions{local_threshold, global_threshold, floor_paths,
                                                 floor_share, seed};
             },
             "local_threshold"_a, "global_threshold"_a, "floor_paths"_a, "floor_share"_a,
             "seed"_a);
    nb::class_<tvlb::WeightOptions>(m, "WeightOptions")
        .def("__init__",
             [](tvlb::WeightOptions* self, std::int64_t rounds, double step, double floor) {
                 new (self) tvlb::WeightOptions{rounds, step, floor};
             },
             "rounds"_a, "step"_a, "floor"_a);
}

void bind_rows(nb::module_& m) {
    nb::class_<Rows>(m, "Rows")
        .def("__init__",
             [](Rows* self, const tvlb::Wiring& wiring, Array<std::int32_t> source,
                Array<std::int32_t> target, Array<std::int64_t> offset,
                Array<std::int32_t> intermediate, Array<std::int32_t> first_link,
                Array<std::int32_t> second_link, Array<std::int8_t> hops, Array<double> weight) {
                 new (self) Rows(make_rows(wiring, source, target, offset, intermediate,
                                           first_link, second_link, hops, weight));
             },
             "wiring"_a, "source"_a, "target"_a, "offset"_a, "intermediate"_a, "first_link"_a,
             "second_link"_a, "hops"_a, "weight"_a);
}

}  // namespace

NB_MODULE(_native, m) {
    m.doc() = "Path enumeration, link usage and balancing kernels of tvlb.";
    nb::class_<tvlb::Wiring>(m, "Wiring")
        .def("__init__",
             [](tvlb::Wiring* self, std::int32_t a, std::int32_t g, Array<std::int32_t> source,
                Array<std::int32_t> target, Array<std::uint8_t> kind, Array<std::int32_t> local,
                Array<std::int32_t> offset, Array<std::int32_t> group_links) {
                 new (self) tvlb::Wiring(
                     make_wiring(a, g, source, target, kind, local, offset, group_links));
             },
             "switches_per_group"_a, "groups"_a, "link_source"_a, "link_target"_a, "link_kind"_a,
             "local_link"_a, "group_link_offset"_a, "group_links"_a);
    bind_rules(m);
    bind_rows(m);
    bind_structure(m);
    m.def("enumerate_vlb", &enumerate<tvlb::ShapeRule>, "wiring"_a, "rule"_a, "sources"_a,
          "targets"_a);
    m.def("enumerate_vlb", &enumerate<tvlb::ShortRule>, "wiring"_a, "rule"_a, "sources"_a,
          "targets"_a);
    m.def("enumerate_min", &enumerate_min, "wiring"_a, "sources"_a, "targets"_a);
    m.def("profile_vlb", &profile<tvlb::ShapeRule>, "wiring"_a, "rule"_a, "sources"_a,
          "targets"_a);
    m.def("profile_vlb", &profile<tvlb::ShortRule>, "wiring"_a, "rule"_a, "sources"_a,
          "targets"_a);
    m.def("takes_nearest", &takes_nearest, "wiring"_a, "rule"_a, "sources"_a, "targets"_a);
    m.def("path_shapes", &path_shapes, "wiring"_a, "rows"_a);
    m.def("pair_compositions", &pair_compositions, "wiring"_a, "sources"_a, "targets"_a);
    m.def("class_usage", &class_usage, "wiring"_a, "rows"_a);
    m.def("total_usage", &total_usage, "wiring"_a, "rows"_a);
    m.def("path_links", &path_links, "wiring"_a, "rows"_a);
    m.def("balance", &balance, "wiring"_a, "rows"_a, "options"_a);
    m.def("balance_pairs", &balance_pairs, "wiring"_a, "rows"_a, "options"_a);
    m.def("balance_weights", &balance_weights, "wiring"_a, "rows"_a, "options"_a);
    m.def("reweighted", &reweighted, "wiring"_a, "rows"_a, "factor"_a, "floor"_a);
    m.def("pair_imbalance", &pair_imbalance, "wiring"_a, "rows"_a);
    m.def("absolute_cables", &absolute_cables, "switches_per_group"_a, "global_ports"_a,
          "groups"_a);
    m.def("path_key", &path_key, "seed"_a, "source"_a, "target"_a, "intermediate"_a, "first"_a,
          "second"_a);
    binding::bind_regret(m);
}
