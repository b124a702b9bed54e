#include "balance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>

#include "order.hpp"

namespace tvlb {
namespace {

// Sums of decimal weights carry rounding; a link exactly at the threshold is not overloaded.
constexpr double kSlack = 1e-9;

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
[[nodiscard]] std::int64_t floor_of(const RowsView& rows, const BalanceOptions& options,
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

struct Overload {
    std::int32_t link;
    double ratio;
};

// Links are visited by rising id, so among equally loaded links the lowest id stays the worst;
// the slack keeps rounding from deciding.
[[nodiscard]] bool worse(const Overload& x, const std::optional<Overload>& y) {
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

// Removes paths of one pair until none of its links is overloaded.
class LocalStep {
public:
    explicit LocalStep(const Wiring& wiring) : usage_(wiring), stuck_(wiring.links(), 0) {}

    // Returns whether the pair is still overloaded when it stops.
    bool run(PairState& pair, double threshold, std::int64_t& removed) {
        for (const auto& member : pair.members()) usage_.add(member.links, pair.weight_of(member));
        usage_.sort();
        while (const auto worst = find_worst(pair.live(), threshold)) {
            if (pair.at_floor()) break;
            if (const auto victim = pair.victim(worst->link)) {
                const auto& member = pair.members()[*victim];
                usage_.subtract(member.links, pair.weight_of(member));
                pair.remove(*victim);
                ++removed;
            } else {
                stuck_[static_cast<std::size_t>(worst->link)] = 1;
            }
        }
        for (const auto link : usage_.touched()) stuck_[static_cast<std::size_t>(link)] = 0;
        const bool stopped = find_worst(pair.live(), threshold).has_value();
        usage_.clear();
        return stopped;
    }

private:
    [[nodiscard]] std::optional<Overload> find_worst(std::int64_t live, double threshold) const {
        const auto means = usage_.means(live);
        std::optional<Overload> worst;
        for (const auto link : usage_.touched()) {
            if (!usage_.counts(live, link) || stuck_[static_cast<std::size_t>(link)]) continue;
            const Overload now{link, usage_.of(link) / means[usage_.kind(link)]};
            if (now.ratio > threshold * (1 + kSlack) && worse(now, worst)) worst = now;
        }
        return worst;
    }

    PairUsage usage_;
    std::vector<std::uint8_t> stuck_;
};

// Usage summed over all pairs, each pair's weights summing to 1.
class GlobalStep {
public:
    GlobalStep(const Wiring& wiring, const RowsView& rows, const BalanceOptions& options,
               BalanceOutcome& outcome, PairState& state)
        : wiring_(wiring), rows_(rows), options_(options), outcome_(outcome), state_(state),
          usage_(wiring.links(), 0.0), stuck_(wiring.links(), 0) {
        for (std::size_t pair = 0; pair < rows.pairs(); ++pair) {
            state_.load(pair);
            add(+1.0);
            spare_.push_back(state_.live() - floor_of(rows, options, pair));
        }
        index_pairs();
    }

    void run() {
        while (const auto worst = find_worst()) {
            if (!relieve(worst->link)) give_up(worst->link);
        }
    }

private:
    // Shares are compared in steps of 1e-9, so that rounding does not order equal ones.
    struct User {
        std::size_t pair;
        std::int64_t share;
    };

    // Adds the usage of the loaded pair, its weights summing to `sign`.
    void add(double sign) {
        for (const auto& member : state_.members()) {
            if (!member.live) continue;
            const double share = sign * state_.weight_of(member) / state_.weight();
            for (const auto link : member.links.view()) {
                usage_[static_cast<std::size_t>(link)] += share;
            }
        }
    }

    // Lists for each link the inter-group pairs with a path over it.
    void index_pairs() {
        users_.resize(wiring_.links());
        for (std::size_t pair = 0; pair < rows_.pairs(); ++pair) {
            if (wiring_.group(rows_.source[pair]) == wiring_.group(rows_.target[pair])) continue;
            for (auto row = rows_.begin(pair); row < rows_.end(pair); ++row) {
                if (!outcome_.keep[row]) continue;
                const auto links = wiring_.links_of(rows_.path(pair, row));
                for (const auto link : links.view()) {
                    auto& list = users_[static_cast<std::size_t>(link)];
                    if (list.empty() || list.back() != pair) list.push_back(pair);
                }
            }
        }
    }

    [[nodiscard]] KindMean means() const {
        KindMean mean;
        for (std::size_t link = 0; link < usage_.size(); ++link) {
            if (usage_[link] > kSlack) mean.add(wiring_.link_kind[link], usage_[link]);
        }
        return mean;
    }

    [[nodiscard]] bool overloaded(std::size_t link, const KindMean& mean) const {
        const double limit = options_.global_threshold * mean.of(wiring_.link_kind[link]);
        return usage_[link] > limit * (1 + kSlack) && usage_[link] > kSlack;
    }

    [[nodiscard]] std::optional<Overload> find_worst() const {
        const auto mean = means();
        std::optional<Overload> worst;
        for (std::size_t link = 0; link < usage_.size(); ++link) {
            if (stuck_[link] || !overloaded(link, mean)) continue;
            const Overload now{static_cast<std::int32_t>(link),
                               usage_[link] / mean.of(wiring_.link_kind[link])};
            if (worse(now, worst)) worst = now;
        }
        return worst;
    }

    // One round: the pairs that use the link most and have paths to spare give up one each until
    // it is relieved.
    bool relieve(std::int32_t link) {
        bool any = false;
        for (const auto& user : users_of(link)) {
            if (remove_one(user.pair, link)) any = true;
            if (!overloaded(static_cast<std::size_t>(link), means())) break;
        }
        return any;
    }

    [[nodiscard]] std::vector<User> users_of(std::int32_t link) {
        std::vector<User> users;
        for (const auto pair : users_[static_cast<std::size_t>(link)]) {
            if (spare_[pair] <= 0) continue;
            const double share = share_on(pair, link);
            // A pair whose every path takes the link cannot relieve it.
            if (share > 0.0 && share < 1.0 - kSlack) {
                users.push_back({pair, std::llround(share / kSlack)});
            }
        }
        std::stable_sort(users.begin(), users.end(),
                         [](const User& x, const User& y) { return x.share > y.share; });
        return users;
    }

    // The overload of `link` stays, and every pair that uses it is at a floor.
    void give_up(std::int32_t link) {
        stuck_[static_cast<std::size_t>(link)] = 1;
        for (const auto pair : users_[static_cast<std::size_t>(link)]) {
            if (!outcome_.pair_stopped[pair]) outcome_.pair_stopped[pair] = share_on(pair, link) > 0.0;
        }
    }

    [[nodiscard]] double share_on(std::size_t pair, std::int32_t link) const {
        double on_link = 0.0;
        double total = 0.0;
        for (auto row = rows_.begin(pair); row < rows_.end(pair); ++row) {
            if (!outcome_.keep[row]) continue;
            total += rows_.weight[row];
            const auto links = wiring_.links_of(rows_.path(pair, row));
            const auto view = links.view();
            if (std::find(view.begin(), view.end(), link) != view.end()) on_link += rows_.weight[row];
        }
        return total > 0.0 ? on_link / total : 0.0;
    }

    bool remove_one(std::size_t pair, std::int32_t link) {
        state_.load(pair);
        const auto victim = state_.victim(link);
        if (!victim) return false;
        add(-1.0);
        state_.remove(*victim);
        add(+1.0);
        --spare_[pair];
        ++outcome_.removed_globally;
        return true;
    }

    const Wiring& wiring_;
    const RowsView& rows_;
    const BalanceOptions& options_;
    BalanceOutcome& outcome_;
    PairState& state_;
    std::vector<std::int64_t> spare_;  // by pair: paths above the floor
    std::vector<double> usage_;
    std::vector<std::uint8_t> stuck_;
    std::vector<std::vector<std::size_t>> users_;
};

}  // namespace

std::vector<double> pair_imbalance(const Wiring& wiring, const RowsView& rows) {
    std::vector<double> out(rows.pairs() * 2, 0.0);
    PairUsage usage(wiring);
    for (std::size_t pair = 0; pair < rows.pairs(); ++pair) {
        for (auto row = rows.begin(pair); row < rows.end(pair); ++row) {
            usage.add(wiring.links_of(rows.path(pair, row)), rows.weight[row]);
        }
        const auto live = static_cast<std::int64_t>(rows.end(pair) - rows.begin(pair));
        const auto mean = usage.means(live);
        for (const auto link : usage.touched()) {
            if (!usage.counts(live, link)) continue;
            auto& worst = out[pair * 2 + usage.kind(link)];
            worst = std::max(worst, usage.of(link) / mean[usage.kind(link)]);
        }
        usage.clear();
    }
    return out;
}

BalanceOutcome balance(const Wiring& wiring, const RowsView& rows, const BalanceOptions& options) {
    BalanceOutcome outcome;
    outcome.keep.assign(rows.hops.size(), 1);
    outcome.pair_stopped.assign(rows.pairs(), 0);
    PairState state(wiring, rows, options, outcome.keep);
    LocalStep local(wiring);
    for (std::size_t pair = 0; pair < rows.pairs(); ++pair) {
        if (wiring.group(rows.source[pair]) == wiring.group(rows.target[pair])) continue;
        state.load(pair);
        const bool stopped = local.run(state, options.local_threshold, outcome.removed_locally);
        outcome.pair_stopped[pair] = stopped ? 1 : 0;
    }
    GlobalStep(wiring, rows, options, outcome, state).run();
    return outcome;
}

}  // namespace tvlb
