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

#include "wiring.hpp"

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

// Hands a vector over to numpy without copying it.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> hand_over(std::vector<T>&& values) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {owned->data(), {owned->size()}, owner};
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

// Adds the solver of the throughput model to the module.
void bind_regret(nb::module_& m);

}  // namespace binding
