#include "regret.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace tvlb {
namespace {

// Flows are updated in this many interleaved blocks, the prices after each.
constexpr std::size_t kBlocks = 4;
// Measured on dfly(4,8,4,9), (4,8,4,17), (3,6,3,7) and (2,4,2,9): expecting half of the last change
// of the prices again takes 20 to 60% fewer iterations than none; a whole one, or more blocks with
// it, may not converge. Expecting the flows' costs again gains nothing.
constexpr double kExpected = 0.5;
constexpr std::int64_t kCheckInterval = 20;
constexpr int kSplitSteps = 60;

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

// The shares of `regret` in its sum; false where nothing is positive.
bool normalise(std::span<const double> regret, std::span<double> mix) {
    const double total = std::accumulate(regret.begin(), regret.end(), 0.0);
    if (!(total > 0.0)) return false;
    for (std::size_t i = 0; i < mix.size(); ++i) mix[i] = regret[i] / total;
    return true;
}

class Game {
public:
    Game(std::span<const double> rate, const ClassesView& minimal, const ClassesView& detour,
         std::span<const double> price, const GameOptions& options)
        : options_(options), flows_(rate.size()), minimal_classes_(minimal.flow.size()),
          load_(price.size(), 0.0), mean_load_(price.size(), 0.0), price_(price.begin(), price.end()),
          mean_price_(price.size(), 0.0), price_regret_(price.size(), 0.0), expected_(price.size(), 0.0) {
        merge(rate, minimal, detour);
        const double total = std::accumulate(price_.begin(), price_.end(), 0.0);
        for (auto& value : price_) value /= total;
        best_.theta_up = std::numeric_limits<double>::infinity();
    }

    GameSolution solve() {
        bound_above(price_);
        start();
        bound_below(sent_, load_);
        double weights = 0.0;
        for (std::int64_t t = 1; !close() && t <= options_.max_iterations; ++t) {
            for (std::size_t block = 0; block < kBlocks; ++block) {
                for (std::size_t flow = block; flow < flows_; flow += kBlocks) improve(flow);
                reprice();
            }
            const auto time = static_cast<double>(t);
            const double weight = time * time * time;
            weights += weight;
            average(weight / weights);
            best_.iterations = t;
            if (t % kCheckInterval == 0) {
                bound_above(mean_price_);
                bound_below(mean_sent_, mean_load_);
            }
        }
        return std::move(best_);
    }

private:
    struct Entry {
        std::int32_t link;
        float load;  // per unit of the class's share of its flow
    };

    // Classes in the order of flows, the MIN classes of a flow first.
    void merge(std::span<const double> rate, const ClassesView& minimal,
               const ClassesView& detour) {
        std::size_t next_minimal = 0;
        std::size_t next_detour = 0;
        first_entry_.push_back(0);
        for (std::size_t flow = 0; flow < flows_; ++flow) {
            first_class_.push_back(origin_.size());
            const auto take = [&](const ClassesView& classes, std::size_t& next, std::size_t base) {
                for (; next < classes.flow.size() && index(classes.flow[next]) == flow; ++next) {
                    append(classes, next, rate[flow]);
                    origin_.push_back(base + next);
                }
            };
            take(minimal, next_minimal, 0);
            first_detour_.push_back(origin_.size());
            take(detour, next_detour, minimal_classes_);
            if (first_class_.back() == origin_.size()) {
                throw std::invalid_argument("a flow has no path");
            }
        }
        first_class_.push_back(origin_.size());
        for (auto* values : {&regret_, &mix_, &sent_, &mean_sent_}) values->resize(origin_.size());
        cost_.resize(origin_.size());
    }

    void append(const ClassesView& classes, std::size_t at, double rate) {
        weight_.push_back(classes.weight[at]);
        for (auto i = index(classes.offset[at]); i < index(classes.offset[at + 1]); ++i) {
            entries_.push_back({classes.link[i], static_cast<float>(classes.share[i] * rate)});
        }
        first_entry_.push_back(entries_.size());
    }

    // All flows alike: a share on MIN paths, the rest on the longest vertex. The best such share.
    void start() {
        std::vector<double> on_minimal(load_.size(), 0.0);
        std::vector<double> on_detour(load_.size(), 0.0);
        for (std::size_t flow = 0; flow < flows_; ++flow) {
            const std::size_t begin = first_class_[flow];
            const std::size_t middle = first_detour_[flow];
            const std::size_t end = first_class_[flow + 1];
            spread(begin, middle, on_minimal);
            if (middle == end) spread(begin, middle, on_detour);
            spread(middle, end, on_detour);
        }
        const double share = best_split(on_minimal, on_detour);
        for (std::size_t flow = 0; flow < flows_; ++flow) {
            const std::size_t begin = first_class_[flow];
            const std::size_t middle = first_detour_[flow];
            const std::size_t end = first_class_[flow + 1];
            weigh(begin, middle, middle == end ? 1.0 : share, mix_);
            if (options_.cumulate) {
                if (middle != end) mix_[end - 1] = 1.0 - share;
            } else {
                weigh(middle, end, 1.0 - share, mix_);
            }
            ship(flow);
        }
    }

    // Splits `amount` over classes by weight.
    void weigh(std::size_t begin, std::size_t end, double amount, std::vector<double>& out) const {
        double total = 0.0;
        for (std::size_t c = begin; c < end; ++c) total += weight_[c];
        for (std::size_t c = begin; c < end; ++c) out[c] = amount * weight_[c] / total;
    }

    void spread(std::size_t begin, std::size_t end, std::vector<double>& load) {
        weigh(begin, end, 1.0, cost_);
        for (std::size_t c = begin; c < end; ++c) add_load(c, cost_[c], load);
    }

    // Minimises the largest of the lines share * a + (1 - share) * b: convex in the share.
    static double best_split(std::span<const double> a, std::span<const double> b) {
        const auto largest = [&](double share) {
            double load = 0.0;
            for (std::size_t i = 0; i < a.size(); ++i) {
                load = std::max(load, share * a[i] + (1.0 - share) * b[i]);
            }
            return load;
        };
        double low = 0.0;
        double high = 1.0;
        for (int step = 0; step < kSplitSteps; ++step) {
            const double left = low + (high - low) / 3.0;
            const double right = high - (high - low) / 3.0;
            (largest(left) <= largest(right) ? high : low) =
                largest(left) <= largest(right) ? right : left;
        }
        return (low + high) / 2.0;
    }

    void add_load(std::size_t c, double amount, std::vector<double>& load) const {
        const Entry* const end = entries_.data() + first_entry_[c + 1];
        for (const Entry* e = entries_.data() + first_entry_[c]; e != end; ++e) {
            load[static_cast<std::size_t>(e->link)] += amount * static_cast<double>(e->load);
        }
    }

    [[nodiscard]] double class_cost(std::size_t c, const std::vector<double>& price) const {
        // Four sums, because one would wait for each addition.
        const Entry* e = entries_.data() + first_entry_[c];
        const Entry* const end = entries_.data() + first_entry_[c + 1];
        const auto paid = [&](const Entry& entry) {
            return price[static_cast<std::size_t>(entry.link)] * static_cast<double>(entry.load);
        };
        std::array<double, 4> sum{};
        for (; end - e >= 4; e += 4) {
            for (std::size_t i = 0; i < 4; ++i) sum[i] += paid(e[i]);
        }
        double cost = (sum[0] + sum[1]) + (sum[2] + sum[3]);
        for (; e != end; ++e) cost += paid(*e);
        return cost;
    }

    // Cost of every vertex of a flow.
    void price_vertices(std::size_t flow, const std::vector<double>& price) {
        const std::size_t end = first_class_[flow + 1];
        for (std::size_t c = first_class_[flow]; c < end; ++c) cost_[c] = class_cost(c, price);
        if (!options_.cumulate) return;
        double weight = 0.0;
        double paid = 0.0;
        for (std::size_t c = first_detour_[flow]; c < end; ++c) {
            weight += weight_[c];
            paid += weight_[c] * cost_[c];
            cost_[c] = paid / weight;
        }
    }

    void improve(std::size_t flow) {
        const std::size_t begin = first_class_[flow];
        const std::size_t end = first_class_[flow + 1];
        price_vertices(flow, price_);
        double mean = 0.0;
        for (std::size_t v = begin; v < end; ++v) mean += mix_[v] * cost_[v];
        for (std::size_t v = begin; v < end; ++v) {
            regret_[v] = std::max(0.0, regret_[v] + mean - cost_[v]);
        }
        const auto count = end - begin;
        if (normalise({&regret_[begin], count}, {&mix_[begin], count})) ship(flow);
    }

    // Moves a flow's traffic to its present mix.
    void ship(std::size_t flow) {
        const std::size_t middle = first_detour_[flow];
        const std::size_t end = first_class_[flow + 1];
        for (std::size_t c = first_class_[flow]; c < middle; ++c) move_to(c, mix_[c]);
        if (!options_.cumulate) {
            for (std::size_t c = middle; c < end; ++c) move_to(c, mix_[c]);
            return;
        }
        double weight = 0.0;
        for (std::size_t c = middle; c < end; ++c) weight += weight_[c];
        double per_weight = 0.0;
        for (std::size_t c = end; c-- > middle;) {
            per_weight += mix_[c] / weight;
            weight -= weight_[c];
            move_to(c, per_weight * weight_[c]);
        }
    }

    void move_to(std::size_t c, double amount) {
        if (amount != sent_[c]) add_load(c, amount - sent_[c], load_);
        sent_[c] = amount;
    }

    void reprice() {
        double mean = 0.0;
        for (std::size_t l = 0; l < load_.size(); ++l) mean += price_[l] * load_[l];
        for (std::size_t l = 0; l < load_.size(); ++l) {
            const double newest = load_[l] - mean;
            price_regret_[l] = std::max(0.0, price_regret_[l] + newest);
            expected_[l] = std::max(0.0, price_regret_[l] + kExpected * newest);
        }
        normalise(expected_, price_);
    }

    void average(double newest) {
        const auto follow = [=](std::span<double> mean, std::span<const double> value) {
            for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += newest * (value[i] - mean[i]);
        };
        follow(mean_sent_, sent_);
        follow(mean_load_, load_);
        follow(mean_price_, price_);
    }

    // Weak duality: the links are worth 1, and theta = 1 costs at least this much.
    void bound_above(const std::vector<double>& price) {
        double cost = 0.0;
        for (std::size_t flow = 0; flow < flows_; ++flow) {
            price_vertices(flow, price);
            cost += *std::min_element(cost_.begin() + static_cast<std::ptrdiff_t>(first_class_[flow]),
                                      cost_.begin() +
                                          static_cast<std::ptrdiff_t>(first_class_[flow + 1]));
        }
        const double up = std::min(options_.theta_cap, 1.0 / cost);
        if (up >= best_.theta_up) return;
        best_.theta_up = up;
        best_.price = price;
    }

    // Everything sent, scaled into the capacities.
    void bound_below(const std::vector<double>& sent, const std::vector<double>& load) {
        const double largest = *std::max_element(load.begin(), load.end());
        const double low = std::min(options_.theta_cap, 1.0 / largest);
        if (low <= best_.theta_low) return;
        best_.theta_low = low;
        best_.minimal.resize(minimal_classes_);
        best_.detour.resize(sent.size() - minimal_classes_);
        for (std::size_t c = 0; c < sent.size(); ++c) {
            const bool detour = origin_[c] >= minimal_classes_;
            (detour ? best_.detour[origin_[c] - minimal_classes_] : best_.minimal[origin_[c]]) =
                sent[c];
        }
    }

    [[nodiscard]] bool close() const {
        return best_.theta_up - best_.theta_low <= options_.gap * best_.theta_up;
    }

    GameOptions options_;
    std::size_t flows_;
    std::size_t minimal_classes_;
    std::vector<std::size_t> first_class_;   // per flow
    std::vector<std::size_t> first_detour_;  // per flow
    std::vector<std::size_t> origin_;        // per class: its place among MIN, then VLB classes
    std::vector<double> weight_;             // per class
    std::vector<std::size_t> first_entry_;   // per class
    std::vector<Entry> entries_;

    std::vector<double> regret_;     // per vertex; there are as many vertices as classes
    std::vector<double> mix_;        // per vertex
    std::vector<double> cost_;       // per class or vertex, scratch
    std::vector<double> sent_;       // per class
    std::vector<double> mean_sent_;  // per class
    std::vector<double> load_;       // per link, at theta = 1
    std::vector<double> mean_load_;
    std::vector<double> price_;
    std::vector<double> mean_price_;
    std::vector<double> price_regret_;
    std::vector<double> expected_;
    GameSolution best_;
};

}  // namespace

GameSolution solve_game(std::span<const double> rate, const ClassesView& minimal,
                        const ClassesView& detour, std::span<const double> price,
                        const GameOptions& options) {
    return Game(rate, minimal, detour, price, options).solve();
}

}  // namespace tvlb
