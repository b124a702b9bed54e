// Usage of links compared with the mean of their kind.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "wiring.hpp"

namespace tvlb {

// Sums of decimal weights carry rounding; a link exactly at the threshold is not overloaded.
inline constexpr double kSlack = 1e-9;

struct Overload {
    std::int32_t link;
    double ratio;
};

// Links are visited by rising id, so among equally loaded links the lowest id stays the worst;
// the slack keeps rounding from deciding.
[[nodiscard]] inline bool worse(const Overload& x, const std::optional<Overload>& y) {
    return !y || x.ratio > y->ratio * (1 + kSlack);
}

// Mean usage per kind of link over the links that count.
struct KindMean {
    std::array<double, 2> sum{};
    std::array<std::int64_t, 2> count{};

    void add(std::uint8_t kind, double usage) {
        sum[kind] += usage;
        ++count[kind];
    }
    [[nodiscard]] double of(std::uint8_t kind) const {
        return count[kind] > 0 ? sum[kind] / static_cast<double>(count[kind]) : 0.0;
    }
};

// Sum of weights and number of paths over each link of one pair.
class PairUsage {
public:
    explicit PairUsage(const Wiring& wiring)
        : wiring_(wiring), usage_(wiring.links(), 0.0), paths_(wiring.links(), 0) {}

    void add(const PathLinks& path, double weight) {
        for (const auto link : path.view()) {
            const auto cell = static_cast<std::size_t>(link);
            if (paths_[cell]++ == 0) touched_.push_back(link);
            usage_[cell] += weight;
        }
    }

    void subtract(const PathLinks& path, double weight) {
        for (const auto link : path.view()) {
            --paths_[static_cast<std::size_t>(link)];
            usage_[static_cast<std::size_t>(link)] -= weight;
        }
    }

    // Links that every path takes cannot be relieved and do not count.
    [[nodiscard]] bool counts(std::int64_t live, std::int32_t link) const {
        const auto paths = paths_[static_cast<std::size_t>(link)];
        return paths > 0 && paths < live;
    }

    [[nodiscard]] std::array<double, 2> means(std::int64_t live) const {
        KindMean mean;
        for (const auto link : touched_) {
            if (counts(live, link)) mean.add(kind(link), of(link));
        }
        return {mean.of(0), mean.of(1)};
    }

    [[nodiscard]] double of(std::int32_t link) const {
        return usage_[static_cast<std::size_t>(link)];
    }
    [[nodiscard]] std::uint8_t kind(std::int32_t link) const {
        return wiring_.link_kind[static_cast<std::size_t>(link)];
    }
    [[nodiscard]] const std::vector<std::int32_t>& touched() const { return touched_; }
    void sort() { std::sort(touched_.begin(), touched_.end()); }

    void clear() {
        for (const auto link : touched_) {
            usage_[static_cast<std::size_t>(link)] = 0.0;
            paths_[static_cast<std::size_t>(link)] = 0;
        }
        touched_.clear();
    }

private:
    const Wiring& wiring_;
    std::vector<double> usage_;
    std::vector<std::int64_t> paths_;
    std::vector<std::int32_t> touched_;
};

}  // namespace tvlb
