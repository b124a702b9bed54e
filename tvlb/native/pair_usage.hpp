// Usage of links compared with the mean of their kind.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "topology.hpp"

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
    std::array<double, kMaxKinds> sum{};
    std::array<std::int64_t, kMaxKinds> count{};

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
    struct Cell {
        double usage = 0.0;
        std::int32_t paths = 0;
        std::int32_t link = 0;
        std::uint8_t kind = 0;
    };

    explicit PairUsage(const Topology& topology) : topology_(topology), place_(topology.num_links(), kAbsent) {}

    void add(std::span<const std::int32_t> links, double weight) {
        for (const auto link : links) {
            auto& place = place_[static_cast<std::size_t>(link)];
            if (place == kAbsent) {
                place = static_cast<std::int32_t>(cells_.size());
                cells_.push_back({0.0, 0, link, topology_.kind(static_cast<std::size_t>(link))});
            }
            auto& cell = cells_[static_cast<std::size_t>(place)];
            ++cell.paths;
            cell.usage += weight;
        }
    }

    // Takes one path away from the cell at `place`.
    void subtract(std::size_t place, double weight) {
        --cells_[place].paths;
        cells_[place].usage -= weight;
    }

    // Links that every path takes cannot be relieved and do not count.
    [[nodiscard]] static bool counts(std::int64_t live, const Cell& cell) {
        return cell.paths > 0 && cell.paths < live;
    }

    [[nodiscard]] KindMean means(std::int64_t live) const {
        KindMean mean;
        for (const auto& cell : cells_) {
            if (counts(live, cell)) mean.add(cell.kind, cell.usage);
        }
        return mean;
    }

    // By rising link id after `sort`.
    [[nodiscard]] const std::vector<Cell>& cells() const { return cells_; }
    // Position in `cells` of a link that has paths.
    [[nodiscard]] std::size_t place(std::int32_t link) const {
        return static_cast<std::size_t>(place_[static_cast<std::size_t>(link)]);
    }

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
    const Topology& topology_;
    std::vector<std::int32_t> place_;  // by link: its cell, or kAbsent
    std::vector<Cell> cells_;
};

}  // namespace tvlb
