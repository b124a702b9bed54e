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

// Sum of weights and number of paths over each link of one pair. The links lie side by side,
// because they are all looked at after every removed path.
class PairUsage {
public:
    struct Cell {
        double usage = 0.0;
        std::int32_t paths = 0;
        std::int32_t link = 0;
        std::uint8_t kind = 0;
        bool stuck = false;  // no path over it may be removed
    };

    explicit PairUsage(const Wiring& wiring) : wiring_(wiring), place_(wiring.links(), kAbsent) {}

    void add(const PathLinks& path, double weight) {
        for (const auto link : path.view()) {
            auto& place = place_[static_cast<std::size_t>(link)];
            if (place == kAbsent) {
                place = static_cast<std::int32_t>(cells_.size());
                cells_.push_back({0.0, 0, link, wiring_.link_kind[static_cast<std::size_t>(link)]});
            }
            auto& cell = cells_[static_cast<std::size_t>(place)];
            ++cell.paths;
            cell.usage += weight;
        }
    }

    void subtract(const PathLinks& path, double weight) {
        for (const auto link : path.view()) {
            auto& cell = at(link);
            --cell.paths;
            cell.usage -= weight;
        }
    }

    // Links that every path takes cannot be relieved and do not count.
    [[nodiscard]] static bool counts(std::int64_t live, const Cell& cell) {
        return (cell.paths > 0) & (cell.paths < live);
    }

    [[nodiscard]] KindMean means(std::int64_t live) const {
        // In registers and without branches: this runs once per removed path.
        std::array<double, 2> sum{};
        std::array<std::int64_t, 2> count{};
        for (const auto& cell : cells_) {
            const bool used = counts(live, cell);
            const bool global = cell.kind != 0;
            sum[0] += used && !global ? cell.usage : 0.0;
            sum[1] += used && global ? cell.usage : 0.0;
            count[0] += static_cast<std::int64_t>(used && !global);
            count[1] += static_cast<std::int64_t>(used && global);
        }
        return {sum, count};
    }

    // By rising link id after `sort`.
    [[nodiscard]] const std::vector<Cell>& cells() const { return cells_; }
    void set_stuck(std::int32_t link, bool stuck) { at(link).stuck = stuck; }

    void sort() {
        std::sort(cells_.begin(), cells_.end(),
                  [](const Cell& x, const Cell& y) { return x.link < y.link; });
        for (std::size_t i = 0; i < cells_.size(); ++i) {
            place_[static_cast<std::size_t>(cells_[i].link)] = static_cast<std::int32_t>(i);
        }
    }

    void clear() {
        for (const auto& cell : cells_) place_[static_cast<std::size_t>(cell.link)] = kAbsent;
        cells_.clear();
    }

private:
    [[nodiscard]] Cell& at(std::int32_t link) {
        return cells_[static_cast<std::size_t>(place_[static_cast<std::size_t>(link)])];
    }

    const Wiring& wiring_;
    std::vector<std::int32_t> place_;  // by link: its cell, or kAbsent
    std::vector<Cell> cells_;
};

}  // namespace tvlb
