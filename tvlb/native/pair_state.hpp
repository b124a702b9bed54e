// The paths of one pair that are left while balancing, and which of them may go next.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "balance.hpp"
#include "order.hpp"

namespace tvlb {

// Number of live paths per value of a column (first link or intermediate) of one pair.
class ValueCounts {
public:
    explicit ValueCounts(std::size_t values) : count_(values + 1, 0) {}

    void add(std::int32_t value) { distinct_ += count_[slot(value)]++ == 0; }
    void remove(std::int32_t value) { distinct_ -= --count_[slot(value)] == 0; }

    // Removing one more keeps two different values, unless there was only one before.
    [[nodiscard]] bool may_remove(std::int32_t value) const {
        return count_[slot(value)] > 1 || distinct_ > 2;
    }

private:
    // kAbsent, the value of pairs inside a group, has the slot 0.
    [[nodiscard]] static std::size_t slot(std::int32_t value) {
        return static_cast<std::size_t>(value + 1);
    }

    std::vector<std::int32_t> count_;
    int distinct_ = 0;
};

// Fewest paths that a pair keeps.
[[nodiscard]] inline std::int64_t floor_of(const RowsView& rows, const BalanceOptions& options,
                                    std::size_t pair) {
    const auto original = static_cast<double>(rows.end(pair) - rows.begin(pair));
    const auto share = static_cast<std::int64_t>(std::ceil(options.floor_share * original));
    return std::max(options.floor_paths, share);
}

// The paths of one pair in the order in which they may be removed: longest first, ties by the
// largest key. Memory is reused from pair to pair.
class PairState {
public:
    struct Member {
        std::size_t row;
        double weight;
        std::int32_t first_link;
        std::int32_t intermediate;
        bool live;
    };

    PairState(const Topology& topology, const RowsView& rows, const BalanceOptions& options,
              std::vector<std::uint8_t>& keep)
        : topology_(topology), rows_(rows), options_(options), keep_(keep),
          first_links_(topology.num_links()),
          intermediates_(static_cast<std::size_t>(topology.num_switches())), over_(topology.num_links()) {}

    void load(std::size_t pair) {
        unload();
        order(pair);
        for (const auto& place : order_) enter(pair, place.row);
        index_links();
        floor_ = floor_of(rows_, options_, pair);
        live_ = static_cast<std::int64_t>(members_.size());
        any_live_ = 0;
    }

    [[nodiscard]] std::int64_t live() const { return live_; }
    [[nodiscard]] bool at_floor() const { return live_ <= floor_; }
    [[nodiscard]] double weight() const { return weight_; }
    [[nodiscard]] const std::vector<Member>& members() const { return members_; }
    [[nodiscard]] std::span<const std::int32_t> links(std::size_t index) const {
        return links_[index];
    }

    // Some path that is left; there must be one. An index into members().
    [[nodiscard]] std::size_t any_live() {
        while (!members_[any_live_].live) ++any_live_;
        return any_live_;
    }

    // The first path over `link` that may be removed; an index into members().
    [[nodiscard]] std::optional<std::size_t> victim(std::int32_t link) {
        auto& over = over_[static_cast<std::size_t>(link)];
        while (over.begin < over.end && !members_[indices_[over.begin]].live) ++over.begin;
        for (auto i = over.begin; i < over.end; ++i) {
            const auto& candidate = members_[indices_[i]];
            if (candidate.live && first_links_.may_remove(candidate.first_link) &&
                intermediates_.may_remove(candidate.intermediate)) {
                return indices_[i];
            }
        }
        return std::nullopt;
    }

    void remove(std::size_t index) {
        auto& gone = members_[index];
        gone.live = false;
        keep_[gone.row] = 0;
        weight_ -= gone.weight;
        --live_;
        first_links_.remove(gone.first_link);
        intermediates_.remove(gone.intermediate);
    }

private:
    // What the removal order is sorted by.
    struct Place {
        std::int8_t hops;
        std::uint64_t key;
        std::size_t row;

        auto operator<=>(const Place&) const = default;
    };

    // The part of `indices_` that lists the members over a link; `begin` passes the leading ones
    // that are not live.
    struct Range {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
    };

    void order(std::size_t pair) {
        const auto key = pair_key(options_.seed, rows_.source[pair], rows_.target[pair]);
        order_.clear();
        for (auto row = rows_.begin(pair); row < rows_.end(pair); ++row) {
            if (!keep_[row]) continue;
            order_.push_back({rows_.hops[row],
                              path_key(key, rows_.intermediate[row], rows_.first_link[row],
                                       rows_.second_link[row]),
                              row});
        }
        std::sort(order_.begin(), order_.end(), std::greater<>());
    }

    void enter(std::size_t pair, std::size_t row) {
        const auto path = rows_.path(pair, row);
        const auto links = topology_.links_of(path);
        const auto first = topology_.first_choice(path, links);
        links_.add(links);
        members_.push_back({row, rows_.weight[row], first, path.intermediate, true});
        weight_ += rows_.weight[row];
        first_links_.add(first);
        intermediates_.add(path.intermediate);
    }

    // Lists the members over each link, in removal order, one link after the other.
    void index_links() {
        for (std::size_t index = 0; index < members_.size(); ++index) {
            for (const auto link : links_[index]) {
                auto& over = over_[static_cast<std::size_t>(link)];
                if (over.end++ == 0) touched_.push_back(link);
            }
        }
        std::uint32_t total = 0;
        for (const auto link : touched_) {
            auto& over = over_[static_cast<std::size_t>(link)];
            const auto size = over.end;
            over = {total, total};
            total += size;
        }
        indices_.resize(total);
        for (std::uint32_t index = 0; index < members_.size(); ++index) {
            for (const auto link : links_[index]) {
                indices_[over_[static_cast<std::size_t>(link)].end++] = index;
            }
        }
    }

    void unload() {
        for (const auto& member : members_) {
            if (!member.live) continue;
            first_links_.remove(member.first_link);
            intermediates_.remove(member.intermediate);
        }
        for (const auto link : touched_) over_[static_cast<std::size_t>(link)] = {};
        members_.clear();
        links_.clear();
        touched_.clear();
        weight_ = 0.0;
    }

    const Topology& topology_;
    const RowsView& rows_;
    const BalanceOptions& options_;
    std::vector<std::uint8_t>& keep_;
    ValueCounts first_links_;
    ValueCounts intermediates_;
    std::vector<Range> over_;             // by link
    std::vector<std::uint32_t> indices_;  // members by link, in removal order
    std::vector<std::int32_t> touched_;   // links with a member
    std::vector<Place> order_;
    std::vector<Member> members_;
    LinkLists links_;           // by member
    std::size_t any_live_ = 0;  // no member before it is live
    double weight_ = 0.0;
    std::int64_t live_ = 0;
    std::int64_t floor_ = 0;
};

}  // namespace tvlb
