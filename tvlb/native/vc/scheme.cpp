#include "scheme.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

namespace tvlb::vc {
namespace {

// Inside a function, so that it is there before the first registration, whatever the order of files.
std::vector<Scheme>& registry() {
    static std::vector<Scheme> all;
    return all;
}

}  // namespace

std::span<const Scheme> schemes() { return registry(); }

const Scheme& scheme(std::string_view name) {
    const auto found = std::ranges::find(registry(), name, &Scheme::name);
    if (found == registry().end()) {
        throw std::invalid_argument("no VC scheme " + std::string(name));
    }
    return *found;
}

void add(const Scheme& scheme) {
    const auto order = [](const Scheme& one) { return std::tuple(one.place, one.name); };
    registry().insert(std::ranges::upper_bound(registry(), order(scheme), {}, order), scheme);
}

}  // namespace tvlb::vc
