// Virtual-channel schemes: which VC a packet takes on every link of its route. The simulator runs
// these definitions, and the deadlock proof reads them.
//
// A scheme is one source file in this folder: a class that is the state of a packet on its way,
// made before the first link, and a Registration of it:
//
//     class Scheme {
//      public:
//       int next(Kind kind);  // the VC on the next link, which is of this kind
//     };
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "../registry.hpp"

namespace tvlb::vc {

/// Kind of a link, as networks number them.
using Kind = std::int8_t;
inline constexpr Kind kLocal = 0;
inline constexpr Kind kGlobal = 1;

/// Adds its VC to the first output VC of every link of a route, given the kinds of the links from
/// the source on. A VC beyond the last one is the last one.
using Walk = void (*)(std::span<const Kind> route, int last_vc, std::span<std::uint16_t> outputs);

template <class Scheme>
void walk(std::span<const Kind> route, int last_vc, std::span<std::uint16_t> outputs) {
    Scheme packet;
    for (std::size_t i = 0; i < route.size(); ++i) {
        outputs[i] += static_cast<std::uint16_t>(std::min(packet.next(route[i]), last_vc));
    }
}

struct Scheme {
    std::string_view name;
    int place;  // in lists of schemes
    Walk walk;
};

using Schemes = Registry<Scheme>;

/// A static object of this type makes a scheme known.
template <class Type>
struct Registration {
    explicit Registration(std::string_view name, int place = kLastPlace) {
        Schemes::add({name, place, &walk<Type>});
    }
};

}  // namespace tvlb::vc
