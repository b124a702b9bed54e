// The throughput model as a matrix game: every flow mixes over its vertices (a MIN class, or "uniform
// over all VLB paths up to a length"), the opponent spreads a price over the links, and 1 / theta is
// the value.
#pragma once

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

// The game packed for the iteration. A flow lists the links of its classes in the order in which the
// classes reach them, MIN before VLB, so that the links of a vertex are one run of the list and its
// loads are dense: gathers and scatters happen once per flow, all arithmetic is on contiguous floats.
// Runs are padded to whole lanes with a link past the last, whose shares are zero.
class Game {
public:
    static constexpr std::size_t kLanes = 8;

    explicit Game(const GameView& view);

    [[nodiscard]] std::size_t flows() const { return detour_.size(); }
    [[nodiscard]] std::size_t vertices() const { return vertex_.size(); }
    // Cells that an array over the links needs, padding included.
    [[nodiscard]] std::size_t cells() const { return cells_; }
    [[nodiscard]] std::size_t longest_list() const { return longest_list_; }
    [[nodiscard]] std::size_t most_vertices() const { return most_vertices_; }

    // Vertices of a flow, MIN first; `detour` is its first VLB vertex.
    [[nodiscard]] std::size_t begin(std::size_t flow) const { return first_[flow]; }
    [[nodiscard]] std::size_t end(std::size_t flow) const { return first_[flow + 1]; }
    [[nodiscard]] std::size_t detour(std::size_t flow) const { return detour_[flow]; }

    [[nodiscard]] std::span<const std::int32_t> links(std::size_t flow) const {
        return std::span(link_).subspan(list_[flow], list_[flow + 1] - list_[flow]);
    }
    // Load that a vertex puts on its run of the flow's list, flits/cycle at theta = 1.
    [[nodiscard]] std::span<const float> loads(std::size_t vertex) const {
        return std::span(load_).subspan(vertex_[vertex].load, vertex_[vertex].size);
    }
    // Where in the flow's list the run of the vertex begins.
    [[nodiscard]] std::size_t run(std::size_t vertex) const { return vertex_[vertex].run; }

    // Link loads of a mix (by vertex, summing to 1 in every flow), in double.
    [[nodiscard]] std::vector<double> total_load(std::span<const double> mix) const;
    // What theta = 1 costs at least at the given prices, in double.
    [[nodiscard]] double least_cost(std::span<const float> price) const;

private:
    struct Vertex {
        std::size_t run;
        std::size_t load;
        std::size_t size;
    };
    class Packer;

    std::size_t cells_;
    std::size_t longest_list_ = 0;
    std::size_t most_vertices_ = 0;
    std::vector<std::size_t> first_{0};
    std::vector<std::size_t> detour_;
    std::vector<std::size_t> list_{0};
    std::vector<std::int32_t> link_;
    std::vector<Vertex> vertex_;
    std::vector<float> load_;
};

}  // namespace tvlb
