#include "regret.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "interrupt.hpp"

namespace tvlb {
namespace {

// Measured at a gap of 1e-3, thousand iterations over 2 x 38 programs each of dfly(4,8,4,9), (4,8,4,17)
// and (4,8,4,33): 126 with these values, 125 to 133 with discounts by t^1.2 to t^1.5. On the first
// alone, 1 block or no discount take twice as many; exponents 3 to 10 of the average differ by 10%.
constexpr std::size_t kBlocks = 4;
constexpr int kIterationsPerCheck = 25;
constexpr double kAverageExponent = 4.0;
constexpr double kDiscountExponent = 1.3;

using Lanes = std::array<float, Game::kLanes>;

// Sums in lanes, which the compiler may vectorise; `x` is whole lanes long, `y` no shorter.
[[nodiscard]] float dot(std::span<const float> x, std::span<const float> y) {
    Lanes sum{};
    for (std::size_t i = 0; i < x.size(); i += Game::kLanes) {
        for (std::size_t lane = 0; lane < Game::kLanes; ++lane) sum[lane] += x[i + lane] * y[i + lane];
    }
    return std::accumulate(sum.begin(), sum.end(), 0.0F);
}

void add_scaled(float scale, std::span<const float> x, std::span<float> out) {
    for (std::size_t i = 0; i < x.size(); i += Game::kLanes) {
        for (std::size_t lane = 0; lane < Game::kLanes; ++lane) out[i + lane] += scale * x[i + lane];
    }
}

// Running mean with weights iteration^kAverageExponent.
class AverageWeight {
public:
    explicit AverageWeight(double total) : total_(total) {}

    [[nodiscard]] double total() const { return total_; }

    // Share of the newest value in the mean.
    double next(std::int64_t iteration) {
        const double weight = std::pow(static_cast<double>(iteration), kAverageExponent);
        total_ += weight;
        return weight / total_;
    }

private:
    double total_;
};

// The flows' side: regrets and mixes by vertex.
class Flows {
public:
    explicit Flows(const Game& game)
        : game_(game), mix_(game.vertices()), average_(game.vertices(), 0.0),
          regret_(game.vertices(), 0.0), cost_(game.most_vertices()), paid_(game.most_rows()),
          carried_(game.most_rows()) {
        for (std::size_t flow = 0; flow < game.flows(); ++flow) spread_evenly(flow);
    }

    [[nodiscard]] std::span<const double> mix() const { return mix_; }
    [[nodiscard]] std::span<const double> average() const { return average_; }

    // Answers the prices with the flows of one block and moves `load` along.
    void step(std::size_t block, double discount, std::span<const float> price,
              std::span<float> load) {
        for (auto flow = block; flow < game_.flows(); flow += kBlocks) {
            check_interrupt();
            game_.gather(flow, price, std::span(paid_));
            rate_vertices(flow);
            std::fill_n(carried_.begin(), game_.rows(flow), 0.0F);
            if (!remix(flow, discount)) continue;
            game_.scatter(flow, std::span<const float>(carried_), load);
        }
    }

    void average_in(double share) {
        for (std::size_t v = 0; v < mix_.size(); ++v) average_[v] += share * (mix_[v] - average_[v]);
    }

    void save(RegretState& to) const {
        to.mix = mix_;
        to.mix_average = average_;
        to.mix_regret = regret_;
    }
    void resume(const RegretState& from) {
        mix_ = from.mix;
        average_ = from.mix_average;
        regret_ = from.mix_regret;
    }

private:
    void spread_evenly(std::size_t flow) {
        const auto vertices = static_cast<double>(game_.end(flow) - game_.begin(flow));
        for (auto v = game_.begin(flow); v < game_.end(flow); ++v) mix_[v] = 1.0 / vertices;
    }

    void rate_vertices(std::size_t flow) {
        for (auto v = game_.begin(flow); v < game_.end(flow); ++v) {
            cost_[v - game_.begin(flow)] = dot(game_.loads(flow, v), paid_);
        }
    }

    // Returns whether the mix changed.
    bool remix(std::size_t flow, double discount) {
        const auto begin = game_.begin(flow);
        const auto end = game_.end(flow);
        double mean = 0.0;
        for (auto v = begin; v < end; ++v) mean += mix_[v] * cost_[v - begin];
        double total = 0.0;
        for (auto v = begin; v < end; ++v) {
            regret_[v] = std::max(0.0, discount * regret_[v] + mean - cost_[v - begin]);
            total += regret_[v];
        }
        if (total <= 0.0) return false;
        bool any = false;
        for (auto v = begin; v < end; ++v) {
            const double changed = regret_[v] / total - mix_[v];
            mix_[v] += changed;
            if (changed == 0.0) continue;
            any = true;
            add_scaled(static_cast<float>(changed), game_.loads(flow, v), carried_);
        }
        return any;
    }

    const Game& game_;
    std::vector<double> mix_;
    std::vector<double> average_;
    std::vector<double> regret_;
    std::vector<double> cost_;   // by vertex of the flow at hand
    std::vector<float> paid_;    // by row of the flow at hand: prices of its links, added up
    std::vector<float> carried_; // by row: change of load on each of its links
};

// The opponent's side: regrets and prices by cell. Padding keeps price zero.
class Prices {
public:
    Prices(const Game& game, std::span<const double> start)
        : game_(game), price_(game.cells(), 0.0F), average_(price_), regret_(price_) {
        const double total = std::accumulate(start.begin(), start.end(), 0.0);
        const double even = 1.0 / static_cast<double>(start.size());
        for (std::size_t link = 0; link < start.size(); ++link) {
            const double price = total > 0.0 ? start[link] / total : even;
            price_[game.cell(link)] = static_cast<float>(price);
        }
    }

    [[nodiscard]] std::span<const float> current() const { return price_; }
    [[nodiscard]] std::span<const float> average() const { return average_; }

    void step(std::span<const float> load) {
        const float mean = dot(price_, load);
        const float total = add_regrets(load, mean);
        if (total <= 0.0F) return;
        const float scale = 1.0F / total;
        for (std::size_t cell = 0; cell < price_.size(); ++cell) price_[cell] = regret_[cell] * scale;
    }

    void save(RegretState& to, std::size_t links) const {
        for (std::size_t link = 0; link < links; ++link) {
            const auto cell = game_.cell(link);
            to.price.push_back(price_[cell]);
            to.price_average.push_back(average_[cell]);
            to.price_regret.push_back(regret_[cell]);
        }
    }
    void resume(const RegretState& from) {
        std::fill(price_.begin(), price_.end(), 0.0F);
        for (std::size_t link = 0; link < from.price.size(); ++link) {
            const auto cell = game_.cell(link);
            price_[cell] = from.price[link];
            average_[cell] = from.price_average[link];
            regret_[cell] = from.price_regret[link];
        }
    }

    void average_in(double share) {
        const auto step = static_cast<float>(share);
        for (std::size_t cell = 0; cell < price_.size(); ++cell) {
            average_[cell] += step * (price_[cell] - average_[cell]);
        }
    }

private:
    // Returns the sum of the regrets.
    float add_regrets(std::span<const float> load, float mean) {
        Lanes sum{};
        for (std::size_t i = 0; i < regret_.size(); i += Game::kLanes) {
            for (std::size_t lane = 0; lane < Game::kLanes; ++lane) {
                const float regret = regret_[i + lane] + (load[i + lane] - mean);
                regret_[i + lane] = regret > 0.0F ? regret : 0.0F;
                sum[lane] += regret_[i + lane];
            }
        }
        return std::accumulate(sum.begin(), sum.end(), 0.0F);
    }

    const Game& game_;
    std::vector<float> price_;
    std::vector<float> average_;
    std::vector<float> regret_;
};

// The best bounds seen and what proves them.
class Proof {
public:
    Proof(const Game& game, double theta_cap)
        : game_(game), cap_(theta_cap), up_(theta_cap), price_(game.cells(), 0.0F) {}

    [[nodiscard]] bool within(double gap) const { return up_ - low_ <= gap * up_; }
    [[nodiscard]] double low() const { return low_; }
    [[nodiscard]] double up() const { return up_; }
    [[nodiscard]] std::span<const double> mix() const { return mix_; }
    [[nodiscard]] std::span<const float> price() const { return price_; }

    void offer_mix(std::span<const double> mix) {
        const auto load = game_.total_load(mix);
        const double low = std::min(cap_, 1.0 / *std::max_element(load.begin(), load.end()));
        if (low <= low_) return;
        low_ = low;
        mix_.assign(mix.begin(), mix.end());
    }

    void offer_price(std::span<const float> price) {
        const double worth = std::accumulate(price.begin(), price.end(), 0.0);
        const double cost = game_.least_cost(price);
        if (cost * up_ <= worth) return;
        up_ = worth / cost;
        price_.assign(price.begin(), price.end());
    }

private:
    const Game& game_;
    double cap_;
    double low_ = 0.0;
    double up_;
    std::vector<double> mix_;
    std::vector<float> price_;
};

// Everything on MIN, in proportion to the weights.
[[nodiscard]] std::vector<double> all_minimal(const Game& game, const GameView& view) {
    std::vector<double> mix(game.vertices(), 0.0);
    std::size_t cls = 0;
    for (std::size_t flow = 0; flow < game.flows(); ++flow) {
        const auto count = game.detour(flow) - game.begin(flow);
        const auto weight = view.minimal.weight.subspan(cls, count);
        const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
        for (std::size_t i = 0; i < count; ++i) mix[game.begin(flow) + i] = weight[i] / total;
        cls += count;
    }
    return mix;
}

// Everything on the longest VLB vertex; on MIN where a flow has no VLB path.
[[nodiscard]] std::vector<double> all_longest(const Game& game, std::vector<double> mix) {
    for (std::size_t flow = 0; flow < game.flows(); ++flow) {
        if (game.detour(flow) == game.end(flow)) continue;
        std::fill(mix.begin() + static_cast<std::ptrdiff_t>(game.begin(flow)),
                  mix.begin() + static_cast<std::ptrdiff_t>(game.end(flow)), 0.0);
        mix[game.end(flow) - 1] = 1.0;
    }
    return mix;
}

// Whether the most loaded link of share * x + (1 - share) * y gets more of x than of y.
[[nodiscard]] bool worst_is_first(std::span<const double> x, std::span<const double> y, double share) {
    std::size_t worst = 0;
    double most = 0.0;
    for (std::size_t link = 0; link < x.size(); ++link) {
        const double load = share * x[link] + (1.0 - share) * y[link];
        if (load > most) {
            most = load;
            worst = link;
        }
    }
    return x[worst] > y[worst];
}

// One MIN share for all flows, the rest on the longest VLB vertex: the best such routing. The
// largest load is convex in the share, so bisection finds it.
[[nodiscard]] std::vector<double> one_share(const Game& game, const GameView& view) {
    constexpr int kBisections = 50;
    const auto minimal = all_minimal(game, view);
    const auto longest = all_longest(game, minimal);
    const auto first = game.total_load(minimal);
    const auto second = game.total_load(longest);
    double low = 0.0;
    double high = 1.0;
    for (int i = 0; i < kBisections; ++i) {
        const double middle = 0.5 * (low + high);
        (worst_is_first(first, second, middle) ? high : low) = middle;
    }
    std::vector<double> mix(minimal.size());
    for (std::size_t v = 0; v < mix.size(); ++v) mix[v] = low * minimal[v] + (1.0 - low) * longest[v];
    return mix;
}

// What vertices first .. last ship on the classes behind them, added to `out`.
void add_class_flows(std::span<const double> weight, std::span<const double> mix, bool cumulate,
                     double scale, std::vector<double>& out) {
    const auto begin = out.size();
    for (std::size_t cls = 0; cls < mix.size(); ++cls) out.push_back(0.0);
    double total = 0.0;
    for (std::size_t cls = 0; cls < mix.size(); ++cls) {
        total += weight[cls];
        if (!cumulate) {
            out[begin + cls] = scale * mix[cls];
            continue;
        }
        for (std::size_t shorter = 0; shorter <= cls; ++shorter) {
            out[begin + shorter] += scale * mix[cls] * weight[shorter] / total;
        }
    }
}

[[nodiscard]] RegretOutcome outcome(const Game& game, const GameView& view, const Proof& proof) {
    RegretOutcome out;
    for (std::size_t flow = 0; flow < game.flows(); ++flow) {
        const auto begin = game.begin(flow);
        const auto detour = game.detour(flow);
        const double scale = view.demand[flow] * proof.low();
        add_class_flows(view.minimal.weight.subspan(out.minimal.size()),
                        proof.mix().subspan(begin, detour - begin), false, scale, out.minimal);
        add_class_flows(view.detour.weight.subspan(out.detour.size()),
                        proof.mix().subspan(detour, game.end(flow) - detour), view.shorter_first,
                        scale, out.detour);
    }
    for (std::size_t link = 0; link < view.start_price.size(); ++link) {
        out.price.push_back(static_cast<double>(proof.price()[game.cell(link)]));
    }
    out.theta_low = proof.low();
    out.theta_up = proof.up();
    return out;
}

void require_same_game(const Game& game, const GameView& view, const RegretState& state) {
    if (state.mix.size() == game.vertices() && state.price.size() == view.start_price.size()) return;
    throw std::invalid_argument("the run to resume belongs to another program");
}

// Regrets of long ago count less, by the rule of Brown and Sandholm, AAAI'19.
[[nodiscard]] double discount(std::int64_t iteration) {
    const double power = std::pow(static_cast<double>(iteration), kDiscountExponent);
    return power / (power + 1.0);
}

}  // namespace

RegretOutcome solve_by_regret(const GameView& view, const RegretOptions& options,
                              const RegretState* resumed) {
    const Game game(view);
    Proof proof(game, view.theta_cap);
    Flows flows(game);
    Prices prices(game, view.start_price);
    proof.offer_mix(one_share(game, view));
    proof.offer_price(prices.current());
    if (resumed != nullptr) {
        require_same_game(game, view, *resumed);
        flows.resume(*resumed);
        prices.resume(*resumed);
        // A run that ended before its first iteration has no averages.
        const bool averaged = resumed->iterations > 0;
        proof.offer_mix(averaged ? flows.average() : flows.mix());
        proof.offer_price(averaged ? prices.average() : prices.current());
    }
    AverageWeight weight(resumed == nullptr ? 0.0 : resumed->average_weight);
    const std::int64_t begun = resumed == nullptr ? 0 : resumed->iterations;
    auto iteration = begun;
    const auto start = game.total_load(flows.mix());
    std::vector<float> load(start.begin(), start.end());
    while (iteration - begun < options.max_iterations && !proof.within(options.gap)) {
        ++iteration;
        const double kept = discount(iteration);
        for (std::size_t block = 0; block < kBlocks; ++block) {
            flows.step(block, kept, prices.current(), load);
            prices.step(load);
        }
        const double share = weight.next(iteration);
        flows.average_in(share);
        prices.average_in(share);
        if (iteration % kIterationsPerCheck != 0) continue;
        proof.offer_mix(flows.average());
        proof.offer_price(prices.average());
    }
    auto out = outcome(game, view, proof);
    flows.save(out.state);
    prices.save(out.state, view.start_price.size());
    out.state.average_weight = weight.total();
    out.state.iterations = iteration;
    return out;
}

}  // namespace tvlb
