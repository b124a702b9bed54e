#include "game.hpp"

#include <bit>
#include <limits>
#include <numeric>
#include <tuple>

#include "interrupt.hpp"
#include "order.hpp"

namespace tvlb {
namespace {

// Longer rows would leave the lanes beside them empty.
constexpr std::size_t kLongestRow = 16;

// Tells for each link the first and the last flow that uses it.
class Users {
public:
    explicit Users(std::size_t links) : first_(links, kNone), last_(links, kNone) {}

    void add(const ClassesView& classes) {
        for (std::size_t cls = 0; cls < classes.size(); ++cls) {
            for (auto e = classes.offset[cls]; e < classes.offset[cls + 1]; ++e) {
                const auto link = static_cast<std::size_t>(classes.link[static_cast<std::size_t>(e)]);
                const auto flow = classes.flow[cls];
                first_[link] = first_[link] == kNone ? flow : std::min(first_[link], flow);
                last_[link] = std::max(last_[link], flow);
            }
        }
    }

    // Numbers the links so that those with the same users come together.
    [[nodiscard]] std::vector<std::int32_t> cells() const {
        std::vector<std::size_t> order(first_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
            return std::tuple(first_[x], last_[x], x) < std::tuple(first_[y], last_[y], y);
        });
        std::vector<std::int32_t> cell(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) cell[order[i]] = static_cast<std::int32_t>(i);
        return cell;
    }

private:
    static constexpr std::int64_t kNone = -1;

    std::vector<std::int64_t> first_;
    std::vector<std::int64_t> last_;
};

[[nodiscard]] std::vector<std::int32_t> numbered(const GameView& view) {
    Users users(view.start_price.size());
    users.add(view.minimal);
    users.add(view.detour);
    return users.cells();
}

}  // namespace

// Packs one flow after another; memory is reused.
class Game::Packer {
public:
    Packer(Game& game, const GameView& view)
        : game_(game), view_(view), position_(view.start_price.size(), kUnlisted) {}

    void add(std::size_t flow) {
        const auto minimal = classes_of(view_.minimal, minimal_, flow);
        const auto detour = classes_of(view_.detour, longer_, flow);
        vertices_ = minimal + detour;
        list_links(view_.minimal, minimal_, minimal);
        list_links(view_.detour, longer_, detour);
        load_.assign(links_.size() * vertices_, 0.0F);
        load_vertices(view_.minimal, minimal_, minimal, 0, view_.demand[flow], false);
        load_vertices(view_.detour, longer_, detour, minimal, view_.demand[flow],
                      view_.shorter_first);
        sort_by_kind();
        cut_rows();
        write_links();
        write_loads();
        forget_links();
        finish(minimal);
        minimal_ += minimal;
        longer_ += detour;
    }

private:
    static constexpr std::size_t kUnlisted = std::numeric_limits<std::size_t>::max();

    // Positions in `order_` of links that all vertices load alike.
    struct Row {
        std::size_t begin;
        std::size_t size;
    };

    static std::size_t classes_of(const ClassesView& from, std::size_t begin, std::size_t flow) {
        auto end = begin;
        while (end < from.size() && from.flow[end] == static_cast<std::int64_t>(flow)) ++end;
        return end - begin;
    }

    void list_links(const ClassesView& from, std::size_t begin, std::size_t classes) {
        if (classes == 0) return;
        for (auto e = from.offset[begin]; e < from.offset[begin + classes]; ++e) {
            const auto link = from.link[static_cast<std::size_t>(e)];
            auto& position = position_[static_cast<std::size_t>(link)];
            if (position != kUnlisted) continue;
            position = links_.size();
            links_.push_back(link);
        }
    }

    // Fills the loads of vertices `vertex` and following, position by position.
    void load_vertices(const ClassesView& from, std::size_t begin, std::size_t classes,
                       std::size_t vertex, double demand, bool cumulate) {
        crossing_.assign(links_.size(), 0.0);
        double weight = 0.0;
        for (auto cls = begin; cls < begin + classes; ++cls, ++vertex) {
            if (!cumulate) {
                weight = 0.0;
                std::fill(crossing_.begin(), crossing_.end(), 0.0);
            }
            weight += from.weight[cls];
            for (auto e = from.offset[cls]; e < from.offset[cls + 1]; ++e) {
                const auto entry = static_cast<std::size_t>(e);
                crossing_[position_[static_cast<std::size_t>(from.link[entry])]] +=
                    from.share[entry] * from.weight[cls];
            }
            for (std::size_t at = 0; at < links_.size(); ++at) {
                load_[at * vertices_ + vertex] = static_cast<float>(crossing_[at] * demand / weight);
            }
        }
    }

    [[nodiscard]] std::span<const float> loads_at(std::size_t position) const {
        return std::span(load_).subspan(position * vertices_, vertices_);
    }

    // Brings links of equal loads together, kinds in the order in which they appear.
    void sort_by_kind() {
        const auto slots = std::bit_ceil(2 * links_.size() + 1);
        found_.assign(slots, kUnlisted);
        kind_.clear();
        end_.clear();
        for (std::size_t at = 0; at < links_.size(); ++at) {
            auto slot = hash_of(at) & (slots - 1);
            while (found_[slot] != kUnlisted && !std::ranges::equal(loads_at(found_[slot]), loads_at(at))) {
                slot = (slot + 1) & (slots - 1);
            }
            if (found_[slot] == kUnlisted) {
                found_[slot] = at;
                kind_.push_back(end_.size());
                end_.push_back(0);
            } else {
                kind_.push_back(kind_[found_[slot]]);
            }
            ++end_[kind_.back()];
        }
        std::exclusive_scan(end_.begin(), end_.end(), end_.begin(), std::size_t{0});
        order_.resize(links_.size());
        for (std::size_t at = 0; at < links_.size(); ++at) order_[end_[kind_[at]]++] = at;
    }

    [[nodiscard]] std::size_t hash_of(std::size_t position) const {
        std::uint64_t hash = 0;
        for (const auto load : loads_at(position)) hash = fold(hash, std::bit_cast<std::int32_t>(load));
        return static_cast<std::size_t>(hash);
    }

    // Longest rows first, so that those side by side are alike.
    void cut_rows() {
        for (auto& rows : rows_of_size_) rows.clear();
        std::size_t begin = 0;
        for (const auto end : end_) {
            while (begin < end) {
                const auto size = std::min(end - begin, kLongestRow);
                rows_of_size_[size].push_back({begin, size});
                begin += size;
            }
        }
        rows_.clear();
        for (auto size = kLongestRow; size > 0; --size) {
            rows_.insert(rows_.end(), rows_of_size_[size].begin(), rows_of_size_[size].end());
        }
    }

    void write_links() {
        const auto padding = game_.cells_ - kLanes;
        for (std::size_t first = 0; first < rows_.size(); first += kLanes) {
            for (std::size_t i = 0; i < rows_[first].size; ++i) {
                for (auto row = first; row < first + kLanes; ++row) {
                    const bool present = row < rows_.size() && i < rows_[row].size;
                    const auto cell = present ? game_.cell(link_at(rows_[row].begin + i))
                                              : padding + row % kLanes;
                    game_.row_cell_.push_back(static_cast<std::int32_t>(cell));
                }
            }
            game_.slot_.push_back(game_.row_cell_.size());
        }
        game_.bundle_.push_back(game_.slot_.size() - 1);
    }

    [[nodiscard]] std::size_t link_at(std::size_t place) const {
        return static_cast<std::size_t>(links_[order_[place]]);
    }

    void write_loads() {
        const auto padded = (rows_.size() + kLanes - 1) / kLanes * kLanes;
        const auto begin = game_.load_.size();
        game_.load_begin_.push_back(begin);
        game_.load_.resize(begin + padded * vertices_, 0.0F);
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            const auto loads = loads_at(order_[rows_[row].begin]);
            for (std::size_t vertex = 0; vertex < vertices_; ++vertex) {
                game_.load_[begin + vertex * padded + row] = loads[vertex];
            }
        }
        game_.most_rows_ = std::max(game_.most_rows_, padded);
    }

    void forget_links() {
        for (const auto link : links_) position_[static_cast<std::size_t>(link)] = kUnlisted;
        links_.clear();
    }

    void finish(std::size_t minimal) {
        const auto first = game_.first_.back();
        game_.detour_.push_back(first + minimal);
        game_.first_.push_back(first + vertices_);
        game_.most_vertices_ = std::max(game_.most_vertices_, vertices_);
    }

    Game& game_;
    const GameView& view_;
    std::size_t minimal_ = 0;  // first class of the flow at hand
    std::size_t longer_ = 0;
    std::size_t vertices_ = 0;
    std::vector<std::size_t> position_;  // by link: where in `links_`, kUnlisted if not there
    std::vector<std::int32_t> links_;
    std::vector<double> crossing_;  // by position: weight over the link
    std::vector<float> load_;       // by position, then vertex
    std::vector<std::size_t> kind_;   // by position
    std::vector<std::size_t> end_;    // by kind: where it ends in `order_`
    std::vector<std::size_t> found_;  // hash table: the first position of each kind
    std::vector<std::size_t> order_;  // positions, kind by kind
    std::array<std::vector<Row>, kLongestRow + 1> rows_of_size_;
    std::vector<Row> rows_;
};

Game::Game(const GameView& view)
    : cells_((view.start_price.size() + 2 * kLanes - 1) / kLanes * kLanes), cell_(numbered(view)) {
    Packer packer(*this, view);
    for (std::size_t flow = 0; flow < view.demand.size(); ++flow) {
        check_interrupt();
        packer.add(flow);
    }
}

std::vector<double> Game::total_load(std::span<const double> mix) const {
    std::vector<double> total(cells_, 0.0);
    std::vector<double> carried(most_rows_);
    for (std::size_t flow = 0; flow < flows(); ++flow) {
        check_interrupt();
        std::fill_n(carried.begin(), rows(flow), 0.0);
        for (auto vertex = begin(flow); vertex < end(flow); ++vertex) {
            if (mix[vertex] == 0.0) continue;
            const auto load = loads(flow, vertex);
            for (std::size_t row = 0; row < load.size(); ++row) {
                carried[row] += mix[vertex] * static_cast<double>(load[row]);
            }
        }
        scatter(flow, std::span<const double>(carried), std::span(total));
    }
    return total;
}

double Game::least_cost(std::span<const float> price) const {
    const std::vector<double> exact(price.begin(), price.end());
    std::vector<double> paid(most_rows_);
    double total = 0.0;
    for (std::size_t flow = 0; flow < flows(); ++flow) {
        check_interrupt();
        gather(flow, std::span(exact), std::span(paid));
        double least = std::numeric_limits<double>::infinity();
        for (auto vertex = begin(flow); vertex < end(flow); ++vertex) {
            const auto load = loads(flow, vertex);
            double cost = 0.0;
            for (std::size_t row = 0; row < load.size(); ++row) {
                cost += static_cast<double>(load[row]) * paid[row];
            }
            least = std::min(least, cost);
        }
        total += least;
    }
    return total;
}

}  // namespace tvlb
