// What the binding files share: numpy arrays as spans and vectors, and checks of what they hold.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "interrupt.hpp"
#include "topology.hpp"
#include "usage.hpp"

// Not in tvlb: bound functions are named as the kernels that they call.
namespace binding {

namespace nb = nanobind;

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const Array<T>& array) {
    return {array.data(), array.size()};
}

template <class T>
std::vector<T> copy(const Array<T>& array) {
    return {array.data(), array.data() + array.size()};
}

// Raises what a signal handler raises; in another thread than the main one nothing.
inline void raise_signals() {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// While it lives, the Python lock is free, and long loops hear signals.
class LockReleased {
    nb::gil_scoped_release release_;
    tvlb::Interruptible interruptible_{&raise_signals};
};

// What `function()` returns, called without the Python lock.
auto unlocked(auto&& function) {
    const LockReleased released;
    return function();
}

// Of a binding that is called without the Python lock: large networks take seconds.
using Unlocked = nb::call_guard<LockReleased>;

// Hands a vector over to numpy without copying it, as an array of this shape.
template <class T, class... Sizes>
nb::ndarray<nb::numpy, T, nb::ndim<sizeof...(Sizes)>> hand_over_as(std::vector<T>&& values,
                                                                   Sizes... sizes) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {owned->data(), {sizes...}, owner};
}

template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> hand_over(std::vector<T>&& values) {
    const std::size_t size = values.size();
    return hand_over_as(std::move(values), size);
}

inline void check_column(std::size_t size, std::size_t rows) {
    if (size != rows) throw std::invalid_argument("columns of rows differ in length");
}

inline void check_ids(std::span<const std::int32_t> ids, std::size_t limit) {
    for (const auto id : ids) {
        if (id < tvlb::kAbsent || id >= static_cast<std::int64_t>(limit)) {
            throw std::invalid_argument("id out of range in rows");
        }
    }
}

inline void check_pairs(const tvlb::Topology& topology, std::span<const std::int32_t> sources,
                 std::span<const std::int32_t> targets) {
    if (sources.size() != targets.size()) throw std::invalid_argument("sources and targets differ");
    for (const auto ends : {sources, targets}) {
        for (const auto sw : ends) {
            if (sw < 0 || sw >= topology.num_switches()) throw std::invalid_argument("no such switch");
        }
    }
}

// Of every pair what `of(source, target)` says.
auto of_each_pair(const tvlb::Topology& topology, const Array<std::int32_t>& sources,
                  const Array<std::int32_t>& targets, auto&& of) {
    check_pairs(topology, view(sources), view(targets));
    return hand_over(unlocked([&] {
        std::vector<std::int32_t> out;
        for (std::size_t pair = 0; pair < sources.size(); ++pair) {
            out.push_back(of(view(sources)[pair], view(targets)[pair]));
        }
        return out;
    }));
}

inline nb::tuple usage_tuple(tvlb::ClassUsage&& usage) {
    return nb::make_tuple(hand_over(std::move(usage.cls)), hand_over(std::move(usage.link)),
                          hand_over(std::move(usage.value)));
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

// Adds the solver of the throughput model to the module.
void bind_regret(nb::module_& m);

// Adds the rules of path sets, and what enumerates them.
void bind_paths(nb::module_& m);

// Adds a family and its kernels.
void bind_dragonfly(nb::module_& m);

// Adds the policies of virtual channels, and the graph that proofs search for circles.
void bind_virtual_channels(nb::module_& m);

// Adds the engines of forwarding tables, and what measures these.
void bind_forwarding(nb::module_& m);

}  // namespace binding
