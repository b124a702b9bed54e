// Policies of virtual channels: which VCs a packet may take on every link of its route. All routers
// run these definitions, and the proofs of freedom from deadlock read them.
//
// A policy is one source file in this folder: a class that is the state of a packet on its way, made
// before the first link, and a Registration of it:
//
//     class Policy {
//      public:
//       explicit Policy(const Limits& limits);  // none where it needs no limits
//       Vcs next(Kind kind, int phase);         // on the next link, which is of this kind
//       bool operator==(const Policy&) const = default;
//     };
//
// Kinds of links are known by their positions alone. The phase is 1 behind an intermediate switch
// where a router decides switch by switch, and 0 elsewhere.
#pragma once

#include <algorithm>
#include <concepts>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "../registry.hpp"
#include "../topology.hpp"
#include "table.hpp"

namespace tvlb::vc {

/// Kind of a link, as networks number them.
using Kind = int;
inline constexpr Kind kLocal = 0;
inline constexpr Kind kGlobal = 1;

/// Consecutive VCs, or a single one.
struct Vcs {
    int first, last;

    Vcs(int only) : first(only), last(only) {}
    Vcs(int first, int last) : first(first), last(last) {}
};

struct Limits {
    int count;        // VCs of a port; a VC beyond the last one is the last one
    Kind split_kind;  // links behind one of this kind need VCs of their own in a phase; -1: none do
};

/// Where a packet is given its VCs.
enum class Choice { at_source, at_every_switch };

/// Why routes by a policy should be free of deadlock, which proofs check.
enum class Claim {
    rises,          // the highest VC allowed rises with every link
    parts_phases,   // phases share no VCs, and in each of them MIN routes close no circle
    follows_routes,  // MIN routes close no circle
    ordered          // VCs of links of all kinds are taken in one order
};

struct Policy {
    std::string_view name;
    int place;  // in lists of policies
    Choice choice;
    Claim claim;
    Table (*table)(const Limits&);
};

using Policies = Registry<Policy>;

}  // namespace tvlb::vc

namespace tvlb {

// Of the one module that has the policies, also for those that another library registers.
template <>
[[gnu::visibility("default")]] std::vector<vc::Policy>& Registry<vc::Policy>::members();

}  // namespace tvlb

namespace tvlb::vc {

inline constexpr std::size_t kMostStates = 4096;

/// Throws std::length_error if there are more than kMostStates states.
template <class State>
Table table_of(const Limits& limits) {
    std::vector<State> states;
    if constexpr (std::constructible_from<State, const Limits&>) states.emplace_back(limits);
    else states.emplace_back();
    Table table;
    int links = 0;  // that lead to a state
    for (std::size_t at = 0, further = 1; at < states.size(); ++at) {
        if (at == further) {
            ++links;
            further = states.size();
        }
        for (std::size_t phase = 0; phase < kPhases; ++phase) {
            for (std::size_t kind = 0; kind < kMaxKinds; ++kind) {
                State then = states[at];
                const Vcs vcs = then.next(static_cast<Kind>(kind), static_cast<int>(phase));
                auto place = static_cast<std::size_t>(std::ranges::find(states, then) - states.begin());
                // No route is longer.
                if (place == states.size() && links > kMaxPathLinks) place = at;
                if (place == states.size()) states.push_back(then);
                const int last = limits.count - 1;
                table.steps.push_back({static_cast<std::uint8_t>(std::min(vcs.first, last)),
                                       static_cast<std::uint8_t>(std::min(vcs.last, last)),
                                       static_cast<Table::State>(place)});
            }
        }
        if (states.size() > kMostStates) throw std::length_error("a policy of VCs has too many states");
    }
    return table;
}

/// A static object of this type makes a policy known.
template <class State>
struct Registration {
    Registration(std::string_view name, int place, Choice choice, Claim claim = Claim::rises) {
        Policies::add({name, place, choice, claim, &table_of<State>});
    }
};

}  // namespace tvlb::vc
