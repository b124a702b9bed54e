// The throughput model as a matrix game: every flow mixes over its vertices (a MIN class, or "uniform
// over all VLB paths up to a length"), the opponent spreads a price over the links, and 1 / theta is
// the value.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tvlb {

// The classes of one kind (MIN or VLB) of all flows: class c belongs to flow[c] (non-decreasing) and
// owns entries offset[c] .. offset[c+1]; share[e] of what it ships crosses link[e].
struct ClassesView {
    std::span<const std::int64_t> flow;
    std::span<const double> weight;
    std::span<const std::int64_t> offset;
    std::span<const std::int32_t> link;
    std::span<const double> share;

    [[nodiscard]] std::size_t size() const { return flow.size(); }
};

struct GameView {
    std::span<const double> demand;  // by flow, flits/cycle at theta = 1
    ClassesView minimal;             // at least one class per flow
    ClassesView detour;
    bool shorter_first = true;            // VLB rates must not rise with length
    std::span<const double> start_price;  // by link; all zero where none is known
    double theta_cap = 1.0;
};

// The game packed for the iteration. Most links of a flow are loaded alike by all its vertices, so a
// flow has rows of links with equal loads: prices are added up per row, all arithmetic on vertices is
// per row, and what a row carries goes to each of its links. Rows are short, sorted by length and lie
// side by side in lanes, padded with cells past the last link that stay without load. Links that the
// same flows use have neighbouring cells, so that a flow touches few lines of the cache.
class Game {
public:
    static constexpr std::size_t kLanes = 8;

    explicit Game(const GameView& view);

    [[nodiscard]] std::size_t flows() const { return detour_.size(); }
    [[nodiscard]] std::size_t vertices() const { return first_.back(); }
    // Cells that an array over the links needs, padding included; `cell` is where a link has its own.
    [[nodiscard]] std::size_t cells() const { return cells_; }
    [[nodiscard]] std::size_t cell(std::size_t link) const {
        return static_cast<std::size_t>(cell_[link]);
    }
    [[nodiscard]] std::size_t most_rows() const { return most_rows_; }
    [[nodiscard]] std::size_t most_vertices() const { return most_vertices_; }

    // Vertices of a flow, MIN first; `detour` is its first VLB vertex.
    [[nodiscard]] std::size_t begin(std::size_t flow) const { return first_[flow]; }
    [[nodiscard]] std::size_t end(std::size_t flow) const { return first_[flow + 1]; }
    [[nodiscard]] std::size_t detour(std::size_t flow) const { return detour_[flow]; }

    // Rows of a flow, whole lanes.
    [[nodiscard]] std::size_t rows(std::size_t flow) const {
        return (bundle_[flow + 1] - bundle_[flow]) * kLanes;
    }
    // Load that a vertex of the flow puts on each link of each row, flits/cycle at theta = 1.
    [[nodiscard]] std::span<const float> loads(std::size_t flow, std::size_t vertex) const {
        return std::span(load_).subspan(load_begin_[flow] + (vertex - first_[flow]) * rows(flow),
                                        rows(flow));
    }

    // Sums of `from`, by cell, over the links of each row of the flow.
    template <class T>
    void gather(std::size_t flow, std::span<const T> from, std::span<T> by_row) const {
        const auto* cells = row_cell_.data();
        auto row = by_row.begin();
        for (auto bundle = bundle_[flow]; bundle < bundle_[flow + 1]; ++bundle, row += kLanes) {
            std::array<T, kLanes> sum{};
            const auto end = slot_[bundle + 1];
            for (auto i = slot_[bundle]; i < end; i += kLanes) {
                for (std::size_t lane = 0; lane < kLanes; ++lane) {
                    sum[lane] += from[static_cast<std::size_t>(cells[i + lane])];
                }
            }
            std::copy(sum.begin(), sum.end(), row);
        }
    }

    // Adds the value of each row of the flow to the cells of its links.
    template <class T>
    void scatter(std::size_t flow, std::span<const T> by_row, std::span<T> to) const {
        const auto* cells = row_cell_.data();
        auto row = by_row.begin();
        for (auto bundle = bundle_[flow]; bundle < bundle_[flow + 1]; ++bundle, row += kLanes) {
            std::array<T, kLanes> value;
            std::copy_n(row, kLanes, value.begin());
            const auto end = slot_[bundle + 1];
            for (auto i = slot_[bundle]; i < end; i += kLanes) {
                for (std::size_t lane = 0; lane < kLanes; ++lane) {
                    to[static_cast<std::size_t>(cells[i + lane])] += value[lane];
                }
            }
        }
        std::fill(to.end() - kLanes, to.end(), T{});  // what padding collected
    }

    // Loads by cell of a mix (by vertex, summing to 1 in every flow), in double.
    [[nodiscard]] std::vector<double> total_load(std::span<const double> mix) const;
    // What theta = 1 costs at least at the given prices, in double.
    [[nodiscard]] double least_cost(std::span<const float> price) const;

private:
    class Packer;

    std::size_t cells_;
    std::vector<std::int32_t> cell_;  // by link
    std::size_t most_rows_ = 0;
    std::size_t most_vertices_ = 0;
    std::vector<std::size_t> first_{0};
    std::vector<std::size_t> detour_;
    std::vector<std::size_t> bundle_{0};  // by flow: its first bundle of kLanes rows
    std::vector<std::size_t> slot_{0};    // by bundle: where its links begin
    std::vector<std::int32_t> row_cell_;  // the i-th links of all lanes, then the next ones
    std::vector<std::size_t> load_begin_;
    std::vector<float> load_;
};

}  // namespace tvlb
