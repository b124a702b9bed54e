#include "balance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "order.hpp"

namespace tvlb {
namespace {

// Sums of decimal weights carry rounding; a link exactly at the threshold is not overloaded.
constexpr double kSlack = 1e-9;

// The paths of one pair that are left, with what decides whether another may go.
class PairState {
public:
    PairState(const Wiring& wiring, const RowsView& rows, const BalanceOptions& options,
              std::size_t pair, std::vector<std::uint8_t>& keep)
        : rows_(rows), pair_(pair), keep_(keep),
          key_(pair_key(options.seed, rows.source[pair], rows.target[pair])) {
        for (auto row = rows.begin(pair); row < rows.end(pair); ++row) {
            if (!keep_[row]) continue;
            live_.push_back({row, wiring.links_of(rows.path(pair, row))});
            weight_ += rows.weight[row];
        }
        const auto original = static_cast<double>(rows.end(pair) - rows.begin(pair));
        const auto share = static_cast<std::int64_t>(std::ceil(options.floor_share * original));
        floor_ = std::max(options.floor_paths, share);
    }

    struct Live {
        std::size_t row;
        PathLinks links;
    };

    [[nodiscard]] const std::vector<Live>& live() const { return live_; }
    [[nodiscard]] double weight() const { return weight_; }
    [[nodiscard]] double weight_of(const Live& live) const { return rows_.weight[live.row]; }
    [[nodiscard]] bool at_floor() const {
        return static_cast<std::int64_t>(live_.size()) <= floor_;
    }

    // The longest removable path over `link`, ties by the largest key; an index into live().
    [[nodiscard]] std::optional<std::size_t> victim(std::int32_t link) const {
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < live_.size(); ++i) {
            const auto links = live_[i].links.view();
            if (std::find(links.begin(), links.end(), link) == links.end()) continue;
            if (best && !goes_before(live_[i].row, live_[*best].row)) continue;
            if (keeps_diversity(i)) best = i;
        }
        return best;
    }

    void remove(std::size_t index) {
        const auto row = live_[index].row;
        weight_ -= rows_.weight[row];
        keep_[row] = 0;
        live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(index));
    }

private:
    [[nodiscard]] std::uint64_t key(std::size_t row) const {
        return path_key(key_, rows_.intermediate[row], rows_.first_link[row],
                        rows_.second_link[row]);
    }

    [[nodiscard]] bool goes_before(std::size_t x, std::size_t y) const {
        if (rows_.hops[x] != rows_.hops[y]) return rows_.hops[x] > rows_.hops[y];
        const auto kx = key(x);
        const auto ky = key(y);
        return kx != ky ? kx > ky : x > y;
    }

    // At least two first links and two intermediates stay, unless there was only one before.
    [[nodiscard]] bool keeps_diversity(std::size_t index) const {
        return stays_diverse(rows_.first_link, index) && stays_diverse(rows_.intermediate, index);
    }

    [[nodiscard]] bool stays_diverse(std::span<const std::int32_t> column,
                                     std::size_t index) const {
        std::optional<std::int32_t> seen;
        bool differed = false;
        for (std::size_t i = 0; i < live_.size(); ++i) {
            const auto value = column[live_[i].row];
            differed |= value != column[live_[index].row];
            if (i == index) continue;
            if (seen && *seen != value) return true;
            seen = value;
        }
        return !differed;
    }

    const RowsView& rows_;
    std::size_t pair_;
    std::vector<std::uint8_t>& keep_;
    std::uint64_t key_;
    std::vector<Live> live_;
    double weight_ = 0.0;
    std::int64_t floor_ = 0;
};

struct Overload {
    std::int32_t link;
    double ratio;
};

[[nodiscard]] bool worse(const Overload& x, const std::optional<Overload>& y) {
    return !y || x.ratio > y->ratio || (x.ratio == y->ratio && x.link < y->link);
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

// Link usage of one pair, kept up to date while its paths go.
class LocalStep {
public:
    explicit LocalStep(const Wiring& wiring)
        : wiring_(wiring), usage_(wiring.links(), 0.0), paths_(wiring.links(), 0),
          stuck_(wiring.links(), 0) {}

    // Returns whether the pair is still overloaded when it stops.
    bool run(PairState& pair, double threshold, std::int64_t& removed) {
        load(pair);
        bool overloaded = false;
        while (const auto worst = find_worst(pair, threshold)) {
            overloaded = true;
            if (pair.at_floor()) break;
            const auto victim = pair.victim(worst->link);
            if (!victim) {
                stuck_[static_cast<std::size_t>(worst->link)] = 1;
                continue;
            }
            subtract(pair.live()[*victim], pair.weight_of(pair.live()[*victim]));
            pair.remove(*victim);
            ++removed;
            overloaded = false;
        }
        overloaded |= any_stuck();
        clear();
        return overloaded;
    }

private:
    void load(const PairState& pair) {
        for (const auto& live : pair.live()) {
            for (const auto link : live.links.view()) {
                const auto cell = static_cast<std::size_t>(link);
                if (paths_[cell]++ == 0) touched_.push_back(link);
                usage_[cell] += pair.weight_of(live);
            }
        }
        std::sort(touched_.begin(), touched_.end());
    }

    void subtract(const PairState::Live& live, double weight) {
        for (const auto link : live.links.view()) {
            --paths_[static_cast<std::size_t>(link)];
            usage_[static_cast<std::size_t>(link)] -= weight;
        }
    }

    // Links that every path takes cannot be relieved and do not count.
    [[nodiscard]] bool counts(const PairState& pair, std::int32_t link) const {
        const auto paths = paths_[static_cast<std::size_t>(link)];
        return paths > 0 && paths < static_cast<std::int64_t>(pair.live().size());
    }

    [[nodiscard]] std::optional<Overload> find_worst(const PairState& pair,
                                                     double threshold) const {
        KindMean mean;
        for (const auto link : touched_) {
            if (counts(pair, link)) mean.add(kind(link), usage_[static_cast<std::size_t>(link)]);
        }
        std::optional<Overload> worst;
        for (const auto link : touched_) {
            const auto cell = static_cast<std::size_t>(link);
            if (!counts(pair, link) || stuck_[cell]) continue;
            const Overload now{link, usage_[cell] / mean.of(kind(link))};
            if (now.ratio > threshold * (1 + kSlack) && worse(now, worst)) worst = now;
        }
        return worst;
    }

    [[nodiscard]] std::uint8_t kind(std::int32_t link) const {
        return wiring_.link_kind[static_cast<std::size_t>(link)];
    }

    [[nodiscard]] bool any_stuck() const {
        return std::any_of(touched_.begin(), touched_.end(), [&](auto link) {
            return stuck_[static_cast<std::size_t>(link)] != 0;
        });
    }

    void clear() {
        for (const auto link : touched_) {
            const auto cell = static_cast<std::size_t>(link);
            usage_[cell] = 0.0;
            paths_[cell] = 0;
            stuck_[cell] = 0;
        }
        touched_.clear();
    }

    const Wiring& wiring_;
    std::vector<double> usage_;
    std::vector<std::int64_t> paths_;
    std::vector<std::uint8_t> stuck_;
    std::vector<std::int32_t> touched_;
};

// Usage summed over all pairs, each pair's weights summing to 1.
class GlobalStep {
public:
    GlobalStep(const Wiring& wiring, const RowsView& rows, const BalanceOptions& options,
               BalanceOutcome& outcome)
        : wiring_(wiring), rows_(rows), options_(options), outcome_(outcome),
          usage_(wiring.links(), 0.0), stuck_(wiring.links(), 0) {
        for (std::size_t pair = 0; pair < rows.pairs(); ++pair) add(state(pair), +1.0);
        index_pairs();
    }

    void run() {
        while (const auto worst = find_worst()) {
            if (!relieve(worst->link)) stuck_[static_cast<std::size_t>(worst->link)] = 1;
        }
    }

private:
    struct User {
        std::size_t pair;
        double usage;
    };

    [[nodiscard]] PairState state(std::size_t pair) {
        return {wiring_, rows_, options_, pair, outcome_.keep};
    }

    void add(const PairState& pair, double sign) {
        if (pair.live().empty()) return;
        for (const auto& live : pair.live()) {
            const double share = sign * pair.weight_of(live) / pair.weight();
            for (const auto link : live.links.view()) usage_[static_cast<std::size_t>(link)] += share;
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

    // One round: the pairs that use the link most give up one path each until it is relieved.
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
            const auto now = state(pair);
            double on_link = 0.0;
            for (const auto& live : now.live()) {
                const auto links = live.links.view();
                if (std::find(links.begin(), links.end(), link) != links.end()) {
                    on_link += now.weight_of(live) / now.weight();
                }
            }
            // A pair whose every path takes the link cannot relieve it.
            if (on_link > 0.0 && on_link < 1.0 - kSlack) users.push_back({pair, on_link});
        }
        std::stable_sort(users.begin(), users.end(),
                         [](const User& x, const User& y) { return x.usage > y.usage; });
        return users;
    }

    bool remove_one(std::size_t index, std::int32_t link) {
        auto pair = state(index);
        const auto victim = pair.at_floor() ? std::nullopt : pair.victim(link);
        if (!victim) {
            outcome_.pair_stopped[index] = 1;
            return false;
        }
        add(pair, -1.0);
        pair.remove(*victim);
        add(pair, +1.0);
        ++outcome_.removed_globally;
        return true;
    }

    const Wiring& wiring_;
    const RowsView& rows_;
    const BalanceOptions& options_;
    BalanceOutcome& outcome_;
    std::vector<double> usage_;
    std::vector<std::uint8_t> stuck_;
    std::vector<std::vector<std::size_t>> users_;
};

}  // namespace

BalanceOutcome balance(const Wiring& wiring, const RowsView& rows, const BalanceOptions& options) {
    BalanceOutcome outcome;
    outcome.keep.assign(rows.hops.size(), 1);
    outcome.pair_stopped.assign(rows.pairs(), 0);
    LocalStep local(wiring);
    for (std::size_t pair = 0; pair < rows.pairs(); ++pair) {
        if (wiring.group(rows.source[pair]) == wiring.group(rows.target[pair])) continue;
        PairState state(wiring, rows, options, pair, outcome.keep);
        const bool stopped = local.run(state, options.local_threshold, outcome.removed_locally);
        outcome.pair_stopped[pair] = stopped ? 1 : 0;
    }
    GlobalStep(wiring, rows, options, outcome).run();
    return outcome;
}

}  // namespace tvlb
