// Usage of the links of one kind under a tree of maxima and sums.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace tvlb {

// A complete binary tree: its leaves are the links by rising id, every other node combines its two
// children. Changing a link and finding the next one above a bar take logarithmic time. The sum is
// one of present values, so it does not drift however often they change.
class UsageTree {
public:
    struct Leaf {
        double usage;
        bool counted;
    };

    void assign(std::span<const Leaf> leaves) {
        width_ = std::bit_ceil(std::max<std::size_t>(leaves.size(), 1));
        nodes_.assign(2 * width_, Node{});
        for (std::size_t i = 0; i < leaves.size(); ++i) nodes_[width_ + i] = node_of(leaves[i]);
        for (auto node = width_ - 1; node > 0; --node) combine(node);
    }

    // A link that does not count is out of the mean, never found and never counts again.
    void set(std::size_t place, const Leaf& leaf) {
        if (nodes_[width_ + place].count > 0) replace(place, node_of(leaf));
    }

    // The link stays in the mean and is not found until `reveal`.
    void hide(std::size_t place) {
        const auto& now = nodes_[width_ + place];
        replace(place, {kNever, now.sum, now.count});
    }

    void reveal(std::size_t place) {
        const auto& now = nodes_[width_ + place];
        if (now.count > 0) replace(place, {now.sum, now.sum, now.count});
    }

    [[nodiscard]] double usage(std::size_t place) const { return nodes_[width_ + place].sum; }

    // 0 if no link counts.
    [[nodiscard]] double mean() const {
        const auto& root = nodes_[1];
        return root.count > 0 ? root.sum / static_cast<double>(root.count) : 0.0;
    }

    // The first link at `from` or after it whose usage exceeds `bar`.
    [[nodiscard]] std::optional<std::size_t> first_above(double bar, std::size_t from) const {
        if (from >= width_ || !exceeds(1, bar)) return std::nullopt;
        auto node = width_ + from;
        while (!exceeds(node, bar)) {
            while (node % 2 == 1) node /= 2;  // nothing further right below the parent
            if (node == 0) return std::nullopt;
            ++node;
        }
        while (node < width_) {
            node *= 2;
            if (!exceeds(node, bar)) ++node;
        }
        return node - width_;
    }

private:
    static constexpr double kNever = -std::numeric_limits<double>::infinity();

    struct Node {
        double max = kNever;  // over the links that may be found
        double sum = 0.0;     // over the links that count
        std::int64_t count = 0;
    };

    [[nodiscard]] static Node node_of(const Leaf& leaf) {
        return leaf.counted ? Node{leaf.usage, leaf.usage, 1} : Node{};
    }

    [[nodiscard]] bool exceeds(std::size_t node, double bar) const { return nodes_[node].max > bar; }

    void combine(std::size_t node) {
        const auto& left = nodes_[2 * node];
        const auto& right = nodes_[2 * node + 1];
        nodes_[node] = {std::max(left.max, right.max), left.sum + right.sum,
                        left.count + right.count};
    }

    void replace(std::size_t place, const Node& leaf) {
        auto node = width_ + place;
        nodes_[node] = leaf;
        while ((node /= 2) > 0) combine(node);
    }

    std::size_t width_ = 1;  // leaves, a power of two
    std::vector<Node> nodes_ = std::vector<Node>(2);  // the root is 1, the children of n 2n, 2n + 1
};

}  // namespace tvlb
