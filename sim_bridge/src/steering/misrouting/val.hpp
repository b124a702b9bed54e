// Detours by one misrouting policy.
#pragma once

#include "intermediates.hpp"

namespace tvlb::sim {

/// Its first arguments are those of `Intermediates`.
template <MisroutingPolicy kPolicy>
class Val {
 public:
  static constexpr std::size_t kArguments = 3;

  static std::vector<Parameter> parameters() {
    return {Intermediates::rval(), Intermediates::recompute(), Intermediates::source_group()};
  }

  explicit Val(const Setup& setup)
      : intermediates_(setup.network, setup.arguments[0] != 0, setup.arguments[2] != 0),
        recomputes_(setup.arguments[1] != 0) {}

  Choice attempt(const auto&, const Head& head, Draws& draws) const {
    if (head.before != nullptr && !recomputes_) return intermediates_.again(head);
    return intermediates_.draw(kPolicy, head, draws);
  }

 private:
  Intermediates intermediates_;
  bool recomputes_;
};

}  // namespace tvlb::sim
