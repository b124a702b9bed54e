#include "reweight.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "interrupt.hpp"
#include "pair_usage.hpp"

namespace tvlb {
namespace {

// exp from sums and products alone: libraries round differently, and a table must come out the same
// everywhere. The error is a few units in the last place.
[[nodiscard]] double portable_exp(double x) {
    constexpr double kLog2 = 0.693147180559945309417;
    constexpr int kTerms = 14;  // 0.35^15 / 15! is below 2^-53
    const double exponent = std::floor(x / kLog2 + 0.5);
    const double rest = x - exponent * kLog2;
    double sum = 1.0;
    for (int term = kTerms; term > 0; --term) sum = 1.0 + sum * rest / term;
    return std::ldexp(sum, static_cast<int>(exponent));
}

[[nodiscard]] bool has_choice(const Topology& topology, const RowsView& rows, std::size_t pair) {
    return topology.has_choice(rows.source[pair], rows.target[pair]);
}

// The new weights of one pair at a time, with the links of its paths.
class PairWeights {
public:
    PairWeights(const Topology& topology, const RowsView& rows, double floor)
        : topology_(topology), rows_(rows), floor_(floor) {}

    void load(std::size_t pair, std::span<const double> factor) {
        const auto begin = rows_.begin(pair);
        const auto count = rows_.end(pair) - begin;
        links_.clear();
        weight_.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            const auto links = topology_.links_of(rows_.path(pair, begin + i));
            links_.add(links);
            double product = 1.0;
            for (const auto link : links.view()) {
                product *= factor[static_cast<std::size_t>(link)];
            }
            weight_[i] = product;
        }
        scale(rows_.weight.subspan(begin, count));
    }

    [[nodiscard]] const LinkLists& links() const { return links_; }
    [[nodiscard]] std::span<const double> weight() const { return weight_; }

private:
    // Turns the products of factors into weights.
    void scale(std::span<const double> old) {
        if (old.empty()) return;
        const auto [least, most] = std::minmax_element(weight_.begin(), weight_.end());
        if (*least == *most) {
            std::copy(old.begin(), old.end(), weight_.begin());
            return;
        }
        const double lowest = floor_ * *most;
        double total = 0.0;
        for (std::size_t i = 0; i < old.size(); ++i) {
            weight_[i] = old[i] * std::max(weight_[i], lowest);
            total += weight_[i];
        }
        for (auto& weight : weight_) weight /= total;
    }

    const Topology& topology_;
    const RowsView& rows_;
    double floor_;
    LinkLists links_;
    std::vector<double> weight_;
};

// Usage relative to the mean of the links of a kind that are in use.
class Ratios {
public:
    Ratios(const Topology& topology, std::span<const double> usage) : topology_(topology), usage_(usage) {
        for (std::size_t link = 0; link < usage.size(); ++link) {
            if (usage[link] > 0.0) mean_.add(topology.kind(link), usage[link]);
        }
    }

    // 1 for a link that no path takes: nothing is to be changed about it.
    [[nodiscard]] double of(std::size_t link) const {
        return usage_[link] > 0.0 ? usage_[link] / mean_.of(topology_.kind(link)) : 1.0;
    }

    [[nodiscard]] double largest() const {
        double most = 1.0;
        for (std::size_t link = 0; link < usage_.size(); ++link) most = std::max(most, of(link));
        return most;
    }

private:
    const Topology& topology_;
    std::span<const double> usage_;
    KindMean mean_;
};

// How a path over a link is drawn: the more the link is used above the mean of its kind, and the
// longer, the less.
class Factors {
public:
    Factors(std::size_t links, const WeightOptions& options)
        : step_(options.step), least_(options.floor), factor_(links, 1.0) {}

    void update(const Ratios& ratios) {
        for (std::size_t link = 0; link < factor_.size(); ++link) {
            const double factor = factor_[link] * portable_exp(-step_ * (ratios.of(link) - 1.0));
            // A link alone takes a path to its floor, or keeps it off it; more says nothing.
            factor_[link] = std::clamp(factor, least_, 1.0 / least_);
        }
    }

    [[nodiscard]] const std::vector<double>& by_link() const { return factor_; }

private:
    double step_;
    double least_;
    std::vector<double> factor_;
};

// Usage over all pairs under changing weights.
class UsageSum {
public:
    UsageSum(const Topology& topology, const RowsView& rows, double floor)
        : topology_(topology), rows_(rows), pair_(topology, rows, floor), fixed_(topology.num_links(), 0.0) {
        const std::vector<double> unchanged(topology.num_links(), 1.0);
        for (std::size_t pair = 0; pair < rows.pairs(); ++pair) {
            if (!has_choice(topology, rows, pair)) add(pair, unchanged, fixed_);
        }
    }

    [[nodiscard]] std::vector<double> under(std::span<const double> factor) {
        auto usage = fixed_;
        for (std::size_t pair = 0; pair < rows_.pairs(); ++pair) {
            check_interrupt();
            if (has_choice(topology_, rows_, pair)) add(pair, factor, usage);
        }
        return usage;
    }

private:
    void add(std::size_t pair, std::span<const double> factor, std::vector<double>& usage) {
        pair_.load(pair, factor);
        const auto weight = pair_.weight();
        const auto& links = pair_.links();
        for (std::size_t i = 0; i < weight.size(); ++i) {
            const double share = weight[i];
            for (const auto link : links[i]) usage[static_cast<std::size_t>(link)] += share;
        }
    }

    const Topology& topology_;
    const RowsView& rows_;
    PairWeights pair_;
    std::vector<double> fixed_;  // by link: usage by the pairs inside the groups
};

}  // namespace

std::vector<double> reweighted(const Topology& topology, const RowsView& rows,
                               std::span<const double> factor, double floor) {
    std::vector<double> out(rows.weight.begin(), rows.weight.end());
    PairWeights weights(topology, rows, floor);
    for (std::size_t pair = 0; pair < rows.pairs(); ++pair) {
        if (!has_choice(topology, rows, pair)) continue;
        weights.load(pair, factor);
        std::copy(weights.weight().begin(), weights.weight().end(),
                  out.begin() + static_cast<std::ptrdiff_t>(rows.begin(pair)));
    }
    return out;
}

std::vector<double> balance_weights(const Topology& topology, const RowsView& rows,
                                    const WeightOptions& options) {
    UsageSum sum(topology, rows, options.floor);
    Factors factors(topology.num_links(), options);
    auto best = factors.by_link();
    double least = 0.0;
    for (std::int64_t round = 0; round <= options.rounds; ++round) {
        const auto usage = sum.under(factors.by_link());
        const Ratios ratios(topology, usage);
        const double largest = ratios.largest();
        if (round == 0 || largest < least * (1 - kSlack)) {
            least = largest;
            best = factors.by_link();
        }
        if (least <= 1.0 + kSlack) break;  // no weights are more even
        factors.update(ratios);
    }
    return best;
}

}  // namespace tvlb
