#include "game.hpp"

#include <algorithm>
#include <limits>

namespace tvlb {
namespace {

constexpr std::size_t padded(std::size_t size) {
    return (size + Game::kLanes - 1) / Game::kLanes * Game::kLanes;
}

}  // namespace

class Game::Packer {
public:
    Packer(Game& game, std::size_t links) : game_(game), position_(links, kUnlisted) {}

    // Appends the vertices of one flow, starting at class `cls`; returns the class after them.
    std::size_t add(const ClassesView& from, std::size_t cls, std::size_t flow, double demand,
                    bool cumulate) {
        begin_ = game_.link_.size();
        value_.clear();
        double weight = 0.0;
        for (; cls < from.size() && from.flow[cls] == static_cast<std::int64_t>(flow); ++cls) {
            if (!cumulate) {
                weight = 0.0;
                std::fill(value_.begin(), value_.end(), 0.0);
            }
            weight += from.weight[cls];
            add_class(from, cls);
            add_vertex(demand / weight);
        }
        for (auto at = begin_; at < game_.link_.size(); ++at) {
            position_[static_cast<std::size_t>(game_.link_[at])] = kUnlisted;
        }
        game_.link_.resize(begin_ + padded(value_.size()), static_cast<std::int32_t>(game_.cells_ - 1));
        return cls;
    }

private:
    static constexpr std::size_t kUnlisted = std::numeric_limits<std::size_t>::max();

    void add_class(const ClassesView& from, std::size_t cls) {
        for (auto e = from.offset[cls]; e < from.offset[cls + 1]; ++e) {
            const auto entry = static_cast<std::size_t>(e);
            auto& position = position_[static_cast<std::size_t>(from.link[entry])];
            if (position == kUnlisted) {
                position = value_.size();
                value_.push_back(0.0);
                game_.link_.push_back(from.link[entry]);
            }
            value_[position] += from.share[entry] * from.weight[cls];
        }
    }

    void add_vertex(double scale) {
        const auto first = game_.load_.size();
        game_.vertex_.push_back({begin_ - game_.list_.back(), first, padded(value_.size())});
        for (const auto value : value_) game_.load_.push_back(static_cast<float>(value * scale));
        game_.load_.resize(first + padded(value_.size()), 0.0F);
    }

    Game& game_;
    std::vector<std::size_t> position_;  // by link: where in the list, kUnlisted if not yet
    std::vector<double> value_;          // by position: weight over the link
    std::size_t begin_ = 0;
};

Game::Game(const GameView& view) : cells_(padded(view.start_price.size() + 1)) {
    Packer packer(*this, view.start_price.size());
    std::size_t minimal = 0;
    std::size_t longer = 0;
    for (std::size_t flow = 0; flow < view.demand.size(); ++flow) {
        minimal = packer.add(view.minimal, minimal, flow, view.demand[flow], false);
        detour_.push_back(vertex_.size());
        longer = packer.add(view.detour, longer, flow, view.demand[flow], view.shorter_first);
        most_vertices_ = std::max(most_vertices_, vertex_.size() - first_.back());
        longest_list_ = std::max(longest_list_, link_.size() - list_.back());
        first_.push_back(vertex_.size());
        list_.push_back(link_.size());
    }
}

std::vector<double> Game::total_load(std::span<const double> mix) const {
    std::vector<double> total(cells_, 0.0);
    for (std::size_t flow = 0; flow < flows(); ++flow) {
        for (auto vertex = begin(flow); vertex < end(flow); ++vertex) {
            if (mix[vertex] == 0.0) continue;
            const auto load = loads(vertex);
            const auto list = links(flow).subspan(run(vertex));
            for (std::size_t i = 0; i < load.size(); ++i) {
                total[static_cast<std::size_t>(list[i])] += mix[vertex] * static_cast<double>(load[i]);
            }
        }
    }
    return total;
}

double Game::least_cost(std::span<const float> price) const {
    double total = 0.0;
    for (std::size_t flow = 0; flow < flows(); ++flow) {
        double least = std::numeric_limits<double>::infinity();
        for (auto vertex = begin(flow); vertex < end(flow); ++vertex) {
            const auto load = loads(vertex);
            const auto list = links(flow).subspan(run(vertex));
            double cost = 0.0;
            for (std::size_t i = 0; i < load.size(); ++i) {
                cost += static_cast<double>(load[i]) *
                        static_cast<double>(price[static_cast<std::size_t>(list[i])]);
            }
            least = std::min(least, cost);
        }
        total += least;
    }
    return total;
}

}  // namespace tvlb
