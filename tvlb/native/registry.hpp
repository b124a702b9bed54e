// Members of a plug point that make themselves known from files of their own.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace tvlb {

/// Place, in lists of members, of those behind all others.
inline constexpr int kLastPlace = std::numeric_limits<int>::max();

/// `Member` has a name and a place.
template <class Member>
class Registry {
 public:
  /// By place; members of one place by name.
  [[nodiscard]] static std::span<const Member> all() { return members(); }

  /// Throws std::invalid_argument if there is none of that name.
  [[nodiscard]] static const Member& find(std::string_view name) {
    const auto found = std::ranges::find(members(), name, &Member::name);
    if (found == members().end()) throw std::invalid_argument("unknown: " + std::string(name));
    return *found;
  }

  static void add(const Member& member) {
    const auto order = [](const Member& one) { return std::tuple(one.place, one.name); };
    members().insert(std::ranges::upper_bound(members(), order(member), {}, order), member);
  }

 private:
  // Inside a function, so that it is there before the first member, whatever the order of files.
  // Where other libraries may add members, one visible specialisation has them all: vc/policy.hpp.
  static std::vector<Member>& members() {
    static std::vector<Member> all;
    return all;
  }
};

}  // namespace tvlb
