// Bindings of the VC schemes: the kinds of links in, VCs out.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "vc/scheme.hpp"

namespace binding {
namespace {

using namespace nb::literals;
using tvlb::vc::Kind;

// A row per route, -1 beyond its last link.
using Routes = nb::ndarray<const Kind, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Beyond the last link of a route the result is 0.
nb::ndarray<nb::numpy, std::uint16_t, nb::ndim<2>> vcs_of_routes(const std::string& scheme,
                                                              const Routes& routes, int last_vc) {
    const auto walk = tvlb::vc::Schemes::find(scheme).walk;
    const std::size_t count = routes.shape(0);
    const std::size_t width = routes.shape(1);
    std::vector<std::uint16_t> vcs(count * width, 0);
    for (std::size_t row = 0; row < count; ++row) {
        const std::span<const Kind> links{routes.data() + row * width, width};
        const auto end = std::ranges::find(links, Kind{-1});
        walk({links.begin(), end}, last_vc, {vcs.data() + row * width, width});
    }
    return hand_over_as(std::move(vcs), count, width);
}

}  // namespace

void bind_vc_schemes(nb::module_& m) {
    m.def("vc_schemes", [] {
        std::vector<std::string> names;
        for (const auto& scheme : tvlb::vc::Schemes::all()) names.emplace_back(scheme.name);
        return names;
    });
    m.def("vcs_of_routes", &vcs_of_routes, "scheme"_a, "routes"_a, "last_vc"_a);
}

}  // namespace binding
