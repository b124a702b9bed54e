// Rows of paths: made by the families, read by the engines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "topology.hpp"

namespace tvlb {

// Paths of many switch pairs; pair i owns rows offset[i] .. offset[i+1], sorted by
// (intermediate, first link, second link). The weights of a pair sum to 1.
struct PathRows {
    std::vector<std::int64_t> offset{0};
    std::vector<std::int32_t> intermediate;
    std::vector<std::int32_t> first_link;
    std::vector<std::int32_t> second_link;
    std::vector<std::int8_t> hops;
    std::vector<double> weight;

    void add(std::int32_t via, std::int32_t first, std::int32_t second, int hop_count, double w) {
        intermediate.push_back(via);
        first_link.push_back(first);
        second_link.push_back(second);
        hops.push_back(static_cast<std::int8_t>(hop_count));
        weight.push_back(w);
    }
};

// A read-only view of path rows (see PathRows) with the ends of their pairs.
struct RowsView {
    std::span<const std::int32_t> source;  // by pair
    std::span<const std::int32_t> target;  // by pair
    std::span<const std::int64_t> offset;  // pairs + 1
    std::span<const std::int32_t> intermediate;
    std::span<const std::int32_t> first_link;
    std::span<const std::int32_t> second_link;
    std::span<const std::int8_t> hops;
    std::span<const double> weight;

    [[nodiscard]] std::size_t pairs() const { return source.size(); }
    [[nodiscard]] std::size_t begin(std::size_t pair) const {
        return static_cast<std::size_t>(offset[pair]);
    }
    [[nodiscard]] std::size_t end(std::size_t pair) const {
        return static_cast<std::size_t>(offset[pair + 1]);
    }
    [[nodiscard]] Path path(std::size_t pair, std::size_t row) const {
        return {source[pair], target[pair], intermediate[row], first_link[row], second_link[row]};
    }
};

// The links of some paths, one after the other.
class LinkLists {
public:
    void clear() {
        links_.clear();
        begin_.assign(1, 0);
    }
    void add(const PathLinks& path) {
        const auto begin = links_.size();
        links_.resize(begin + path.view().size());
        std::ranges::copy(path.view(), links_.begin() + static_cast<std::ptrdiff_t>(begin));
        begin_.push_back(links_.size());
    }
    [[nodiscard]] std::size_t size() const { return begin_.size() - 1; }
    [[nodiscard]] std::span<const std::int32_t> operator[](std::size_t path) const {
        return std::span(links_).subspan(begin_[path], begin_[path + 1] - begin_[path]);
    }

private:
    std::vector<std::int32_t> links_;
    std::vector<std::size_t> begin_{0};
};

}  // namespace tvlb
