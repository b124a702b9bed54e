#include "balance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "interrupt.hpp"
#include "pair_state.hpp"
#include "pair_usage.hpp"
#include "usage_tree.hpp"

namespace tvlb {
namespace {

// Removes paths of one pair until none of its links is overloaded.
class LocalStep {
public:
    LocalStep(const Topology& topology, double threshold)
        : usage_(topology), threshold_(threshold), trees_(topology.num_kinds()) {}

    // Returns whether the pair is still overloaded when it stops.
    bool run(PairState& pair, std::int64_t& removed) {
        load(pair);
        while (const auto worst = find_worst()) {
            check_interrupt();
            if (pair.at_floor()) break;
            if (const auto victim = pair.victim(worst->link)) {
                remove(pair, *victim);
                ++removed;
            } else {
                hide(worst->link);
            }
        }
        reveal();
        const bool stopped = find_worst().has_value();
        usage_.clear();
        return stopped;
    }

private:
    void load(const PairState& pair) {
        for (std::size_t index = 0; index < pair.members().size(); ++index) {
            usage_.add(pair.links(index), pair.members()[index].weight);
        }
        usage_.sort();
        leaves_.clear();
        begin_.assign(trees_.size() + 1, 0);
        for (const auto& cell : usage_.cells()) {
            leaves_.push_back(leaf_of(cell, pair.live()));
            begin_[cell.kind + 1U] = leaves_.size();  // ids rise by kind
        }
        for (std::size_t kind = 0; kind < trees_.size(); ++kind) {
            begin_[kind + 1] = std::max(begin_[kind + 1], begin_[kind]);
            trees_[kind].assign(
                std::span(leaves_).subspan(begin_[kind], begin_[kind + 1] - begin_[kind]));
        }
    }

    // Visits the links by rising id, as `worse` asks for, but only those that are worse than all
    // before them.
    [[nodiscard]] std::optional<Overload> find_worst() const {
        std::optional<Overload> worst;
        for (std::size_t kind = 0; kind < trees_.size(); ++kind) {
            const auto& tree = trees_[kind];
            const double mean = tree.mean();
            const double least = std::max(threshold_, worst ? worst->ratio : 0.0);
            auto next = tree.first_above(least * (1 + kSlack) * mean, 0);
            while (next) {
                const double usage = tree.usage(*next);
                worst = {usage_.cells()[begin_[kind] + *next].link, usage / mean};
                next = tree.first_above(usage * (1 + kSlack), *next + 1);
            }
        }
        return worst;
    }

    void remove(PairState& pair, std::size_t victim) {
        pair.remove(victim);
        const auto& gone = pair.members()[victim];
        for (const auto link : pair.links(victim)) {
            const auto place = usage_.place(link);
            usage_.subtract(place, gone.weight);
            update(place, pair.live());
        }
        // A link that is now on every path is on any one of them; some path is left, for the victim
        // was over a link that not every path takes.
        for (const auto link : pair.links(pair.any_live())) {
            const auto place = usage_.place(link);
            if (usage_.cells()[place].paths == pair.live()) update(place, pair.live());
        }
    }

    void update(std::size_t place, std::int64_t live) {
        const auto [kind, leaf] = spot(place);
        trees_[kind].set(leaf, leaf_of(usage_.cells()[place], live));
    }

    [[nodiscard]] static UsageTree::Leaf leaf_of(const PairUsage::Cell& cell, std::int64_t live) {
        return {cell.usage, PairUsage::counts(live, cell)};
    }

    // No path over the link may go, now or later: a path that diversity protects stays protected.
    void hide(std::int32_t link) {
        hidden_.push_back(spot(usage_.place(link)));
        trees_[hidden_.back().kind].hide(hidden_.back().leaf);
    }

    void reveal() {
        for (const auto [kind, leaf] : hidden_) trees_[kind].reveal(leaf);
        hidden_.clear();
    }

    // Where the trees have a cell.
    struct Spot {
        std::size_t kind;
        std::size_t leaf;
    };

    [[nodiscard]] Spot spot(std::size_t place) const {
        const std::size_t kind = usage_.cells()[place].kind;
        return {kind, place - begin_[kind]};
    }

    PairUsage usage_;
    double threshold_;
    std::vector<UsageTree> trees_;         // by kind of link
    std::vector<std::size_t> begin_;       // by kind of link: its first cell; and one more
    std::vector<UsageTree::Leaf> leaves_;  // by cell
    std::vector<Spot> hidden_;             // links with no path that may go
};

// Usage summed over all pairs, each pair's weights summing to 1.
class GlobalStep {
public:
    GlobalStep(const Topology& topology, const RowsView& rows, const BalanceOptions& options,
               BalanceOutcome& outcome, PairState& state)
        : topology_(topology), rows_(rows), options_(options), outcome_(outcome), state_(state),
          usage_(topology.num_links(), 0.0), stuck_(topology.num_links(), 0) {
        for (std::size_t pair = 0; pair < rows.pairs(); ++pair) {
            check_interrupt();
            state_.load(pair);
            add(+1.0);
            spare_.push_back(state_.live() - floor_of(rows, options, pair));
        }
        index_pairs();
    }

    void run() {
        while (const auto worst = find_worst()) {
            check_interrupt();
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
        for (std::size_t index = 0; index < state_.members().size(); ++index) {
            const auto& member = state_.members()[index];
            if (!member.live) continue;
            const double share = sign * member.weight / state_.weight();
            for (const auto link : state_.links(index)) {
                usage_[static_cast<std::size_t>(link)] += share;
            }
        }
    }

    // Lists for each link the inter-group pairs with a path over it.
    void index_pairs() {
        users_.resize(topology_.num_links());
        for (std::size_t pair = 0; pair < rows_.pairs(); ++pair) {
            if (!topology_.has_choice(rows_.source[pair], rows_.target[pair])) continue;
            for (auto row = rows_.begin(pair); row < rows_.end(pair); ++row) {
                if (!outcome_.keep[row]) continue;
                const auto links = topology_.links_of(rows_.path(pair, row));
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
            if (usage_[link] > kSlack) mean.add(topology_.kind(link), usage_[link]);
        }
        return mean;
    }

    [[nodiscard]] bool overloaded(std::size_t link, const KindMean& mean) const {
        const double limit = options_.global_threshold * mean.of(topology_.kind(link));
        return usage_[link] > limit * (1 + kSlack) && usage_[link] > kSlack;
    }

    [[nodiscard]] std::optional<Overload> find_worst() const {
        const auto mean = means();
        std::optional<Overload> worst;
        for (std::size_t link = 0; link < usage_.size(); ++link) {
            if (stuck_[link] || !overloaded(link, mean)) continue;
            const Overload now{static_cast<std::int32_t>(link),
                               usage_[link] / mean.of(topology_.kind(link))};
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
            const auto links = topology_.links_of(rows_.path(pair, row));
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

    const Topology& topology_;
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

std::vector<double> pair_imbalance(const Topology& topology, const RowsView& rows) {
    const auto kinds = topology.num_kinds();
    std::vector<double> out(rows.pairs() * kinds, 0.0);
    PairUsage usage(topology);
    for (std::size_t pair = 0; pair < rows.pairs(); ++pair) {
        for (auto row = rows.begin(pair); row < rows.end(pair); ++row) {
            const auto links = topology.links_of(rows.path(pair, row));
            usage.add(links.view(), rows.weight[row]);
        }
        const auto live = static_cast<std::int64_t>(rows.end(pair) - rows.begin(pair));
        const auto mean = usage.means(live);
        for (const auto& cell : usage.cells()) {
            if (!PairUsage::counts(live, cell)) continue;
            auto& worst = out[pair * kinds + cell.kind];
            worst = std::max(worst, cell.usage / mean.of(cell.kind));
        }
        usage.clear();
    }
    return out;
}

BalanceOutcome balance_pairs(const Topology& topology, const RowsView& rows,
                             const BalanceOptions& options) {
    BalanceOutcome outcome;
    outcome.keep.assign(rows.hops.size(), 1);
    outcome.pair_stopped.assign(rows.pairs(), 0);
    PairState state(topology, rows, options, outcome.keep);
    LocalStep local(topology, options.local_threshold);
    for (std::size_t pair = 0; pair < rows.pairs(); ++pair) {
        if (!topology.has_choice(rows.source[pair], rows.target[pair])) continue;
        state.load(pair);
        outcome.pair_stopped[pair] = local.run(state, outcome.removed_locally) ? 1 : 0;
    }
    return outcome;
}

BalanceOutcome balance(const Topology& topology, const RowsView& rows, const BalanceOptions& options) {
    auto outcome = balance_pairs(topology, rows, options);
    PairState state(topology, rows, options, outcome.keep);
    GlobalStep(topology, rows, options, outcome, state).run();
    return outcome;
}

}  // namespace tvlb
