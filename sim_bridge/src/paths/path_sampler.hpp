// Draws of one VLB path for a pair of switches, of a split one of either kind: the only thing a route
// decision needs to know about a path set.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/rng.hpp"
#include "interrupt.hpp"
#include "triple.hpp"

namespace tvlb::sim {

/// A base of what is known by its interface alone.
class Interface {
 public:
  Interface() = default;
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;
  Interface(Interface&&) = delete;
  Interface& operator=(Interface&&) = delete;
  virtual ~Interface() = default;
};

class PathSampler : public Interface {
 public:
  /// For two different switches.
  [[nodiscard]] virtual std::optional<Triple> draw(int source, int target, Draws& draws) const = 0;
  [[nodiscard]] virtual bool has_path(int source, int target) const {
    Stream stream(0, Purpose::route, 0);
    Draws draws(stream);
    return draw(source, target, draws).has_value();
  }
};

/// Path sets of a run, those of short paths first.
using PathSamplers = std::span<const PathSampler* const>;

/// The empty path set.
class NoPaths final : public PathSampler {
 public:
  [[nodiscard]] std::optional<Triple> draw(int, int, Draws&) const override {
    return std::nullopt;
  }
};

/// A sampler that asks for its network, bound to it.
template <class Family, class Sampler>
class Bound final : public PathSampler {
 public:
  template <class... Arguments>
  explicit Bound(const Family& network, const Arguments&... arguments)
      : network_(network), sampler_(network, arguments...) {}

  [[nodiscard]] std::optional<Triple> draw(int source, int target, Draws& draws) const override {
    return sampler_.draw(network_, source, target, draws);
  }
  [[nodiscard]] bool has_path(int source, int target) const override {
    if constexpr (requires { sampler_.has_path(network_, source, target); }) {
      return sampler_.has_path(network_, source, target);
    } else {
      return PathSampler::has_path(source, target);
    }
  }
  [[nodiscard]] Sampler& sampler() { return sampler_; }

 private:
  const Family& network_;
  Sampler sampler_;
};

/// Positions of the pairs of different switches for which the sampler has no path.
inline std::vector<std::int64_t> pairs_without_path(const PathSampler& sampler,
                                                    std::span<const std::int32_t> sources,
                                                    std::span<const std::int32_t> targets) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    check_interrupt();
    if (sources[i] == targets[i] || sampler.has_path(sources[i], targets[i])) continue;
    out.push_back(static_cast<std::int64_t>(i));
  }
  return out;
}

}  // namespace tvlb::sim
