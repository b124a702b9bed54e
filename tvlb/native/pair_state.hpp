// The paths of one pair that are left while balancing, and which of them may go next.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>
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
        std::uint64_t key;
        PathLinks links;
        bool live;
    };

    PairState(const Wiring& wiring, const RowsView& rows, const BalanceOptions& options,
              std::vector<std::uint8_t>& keep)
        : wiring_(wiring), rows_(rows), options_(options), keep_(keep),
          first_links_(wiring.links()),
          intermediates_(static_cast<std::size_t>(wiring.switches())), over_(wiring.links()),
          gone_(wiring.links(), 0) {}

    void load(std::size_t pair) {
        unload();
        const auto key = pair_key(options_.seed, rows_.source[pair], rows_.target[pair]);
        for (auto row = rows_.begin(pair); row < rows_.end(pair); ++row) {
            if (keep_[row]) members_.push_back(member(pair, row, key));
        }
        std::sort(members_.begin(), members_.end(), [&](const Member& x, const Member& y) {
            return std::tuple(rows_.hops[x.row], x.key, x.row) >
                   std::tuple(rows_.hops[y.row], y.key, y.row);
        });
        for (std::size_t i = 0; i < members_.size(); ++i) enter(i);
        floor_ = floor_of(rows_, options_, pair);
        live_ = static_cast<std::int64_t>(members_.size());
    }

    [[nodiscard]] std::int64_t live() const { return live_; }
    [[nodiscard]] bool at_floor() const { return live_ <= floor_; }
    [[nodiscard]] double weight() const { return weight_; }
    [[nodiscard]] double weight_of(const Member& member) const { return rows_.weight[member.row]; }
    [[nodiscard]] const std::vector<Member>& members() const { return members_; }

    // The first path over `link` that may be removed; an index into members().
    [[nodiscard]] std::optional<std::size_t> victim(std::int32_t link) {
        const auto& list = over_[static_cast<std::size_t>(link)];
        auto& start = gone_[static_cast<std::size_t>(link)];
        while (start < list.size() && !members_[list[start]].live) ++start;
        for (auto i = start; i < list.size(); ++i) {
            const auto index = list[i];
            const auto& candidate = members_[index];
            if (candidate.live && first_links_.may_remove(rows_.first_link[candidate.row]) &&
                intermediates_.may_remove(rows_.intermediate[candidate.row])) {
                return index;
            }
        }
        return std::nullopt;
    }

    void remove(std::size_t index) {
        auto& gone = members_[index];
        gone.live = false;
        keep_[gone.row] = 0;
        weight_ -= rows_.weight[gone.row];
        --live_;
        first_links_.remove(rows_.first_link[gone.row]);
        intermediates_.remove(rows_.intermediate[gone.row]);
    }

private:
    [[nodiscard]] Member member(std::size_t pair, std::size_t row, std::uint64_t key) const {
        const auto path = rows_.path(pair, row);
        return {row, path_key(key, path.intermediate, path.first_link, path.second_link),
                wiring_.links_of(path), true};
    }

    void enter(std::size_t index) {
        const auto& added = members_[index];
        weight_ += rows_.weight[added.row];
        first_links_.add(rows_.first_link[added.row]);
        intermediates_.add(rows_.intermediate[added.row]);
        for (const auto link : added.links.view()) {
            auto& list = over_[static_cast<std::size_t>(link)];
            if (list.empty()) touched_.push_back(link);
            list.push_back(index);
        }
    }

    void unload() {
        for (const auto& member : members_) {
            if (!member.live) continue;
            first_links_.remove(rows_.first_link[member.row]);
            intermediates_.remove(rows_.intermediate[member.row]);
        }
        for (const auto link : touched_) {
            over_[static_cast<std::size_t>(link)].clear();
            gone_[static_cast<std::size_t>(link)] = 0;
        }
        members_.clear();
        touched_.clear();
        weight_ = 0.0;
    }

    const Wiring& wiring_;
    const RowsView& rows_;
    const BalanceOptions& options_;
    std::vector<std::uint8_t>& keep_;
    ValueCounts first_links_;
    ValueCounts intermediates_;
    std::vector<std::vector<std::size_t>> over_;  // by link: members over it, removal order
    std::vector<std::size_t> gone_;               // by link: leading members that are not live
    std::vector<std::int32_t> touched_;           // links with a member
    std::vector<Member> members_;
    double weight_ = 0.0;
    std::int64_t live_ = 0;
    std::int64_t floor_ = 0;
};

}  // namespace tvlb
