// Python bindings of the throughput model's solver.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "regret.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using binding::Array;
using binding::check_column;
using binding::check_ids;
using binding::hand_over;
using binding::view;

namespace {

// The arrays behind a ClassesView, kept alive while the view is used.
struct Classes {
    Array<std::int64_t> flow;
    Array<double> weight;
    Array<std::int64_t> offset;
    Array<std::int32_t> link;
    Array<double> share;

    [[nodiscard]] tvlb::ClassesView as_view() const {
        return {view(flow), view(weight), view(offset), view(link), view(share)};
    }
};

void check_classes(const tvlb::ClassesView& classes, std::size_t flows, std::size_t links) {
    check_column(classes.weight.size(), classes.size());
    check_column(classes.offset.size(), classes.size() + 1);
    check_column(classes.share.size(), classes.link.size());
    if (!std::is_sorted(classes.flow.begin(), classes.flow.end()) ||
        !std::is_sorted(classes.offset.begin(), classes.offset.end())) {
        throw std::invalid_argument("classes are not in order");
    }
    if (classes.offset.front() != 0 ||
        classes.offset.back() != static_cast<std::int64_t>(classes.link.size())) {
        throw std::invalid_argument("classes do not own their entries");
    }
    check_ids(classes.link, links);
    if (std::find(classes.link.begin(), classes.link.end(), tvlb::kAbsent) != classes.link.end()) {
        throw std::invalid_argument("id out of range in classes");
    }
    if (!classes.flow.empty() &&
        (classes.flow.front() < 0 || classes.flow.back() >= static_cast<std::int64_t>(flows))) {
        throw std::invalid_argument("no such flow");
    }
}

void check_every_flow_has_one(const tvlb::ClassesView& classes, std::size_t flows) {
    std::vector<std::uint8_t> found(flows, 0);
    for (const auto flow : classes.flow) found[static_cast<std::size_t>(flow)] = 1;
    if (std::find(found.begin(), found.end(), 0) != found.end()) {
        throw std::invalid_argument("a flow has no MIN class");
    }
}

nb::tuple solve_by_regret(const Array<double>& demand, const Classes& minimal,
                          const Classes& detour, bool shorter_first,
                          const Array<double>& start_price, double theta_cap, double gap,
                          std::int64_t max_iterations, const tvlb::RegretState* resumed) {
    check_classes(minimal.as_view(), demand.size(), start_price.size());
    check_classes(detour.as_view(), demand.size(), start_price.size());
    check_every_flow_has_one(minimal.as_view(), demand.size());
    const tvlb::GameView game{view(demand),  minimal.as_view(),  detour.as_view(),
                              shorter_first, view(start_price), theta_cap};
    auto outcome = binding::unlocked(
        [&] { return tvlb::solve_by_regret(game, {gap, max_iterations}, resumed); });
    return nb::make_tuple(hand_over(std::move(outcome.minimal)),
                          hand_over(std::move(outcome.detour)), hand_over(std::move(outcome.price)),
                          outcome.theta_low, outcome.theta_up, std::move(outcome.state));
}

}  // namespace

void binding::bind_regret(nb::module_& m) {
    nb::class_<tvlb::RegretState>(m, "RegretState")
        .def_ro("iterations", &tvlb::RegretState::iterations);
    nb::class_<Classes>(m, "Classes")
        .def(nb::init<Array<std::int64_t>, Array<double>, Array<std::int64_t>,
                      Array<std::int32_t>, Array<double>>(),
             "flow"_a, "weight"_a, "offset"_a, "link"_a, "share"_a);
    m.def("solve_by_regret", &solve_by_regret, "demand"_a, "minimal"_a, "detour"_a,
          "shorter_first"_a, "start_price"_a, "theta_cap"_a, "gap"_a, "max_iterations"_a,
          "resumed"_a.none());
}
