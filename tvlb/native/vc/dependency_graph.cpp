#include "dependency_graph.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace tvlb::vc {

void DependencyGraph::add(Channel held, Channel wanted) {
    auto& all = of_[held];
    const auto place = std::ranges::lower_bound(all, wanted, {}, &Dependency::wanted);
    if (place != all.end() && place->wanted == wanted) ++place->routes;
    else all.insert(place, {wanted, 1});
}

DependencyGraph::Dependency& DependencyGraph::at(Channel held, Channel wanted) {
    return *std::ranges::lower_bound(of_[held], wanted, {}, &Dependency::wanted);
}

void DependencyGraph::remove(Channel held, Channel wanted) {
    if (routes(held, wanted) > 0) at(held, wanted).routes = 0;
}

std::uint32_t DependencyGraph::routes(Channel held, Channel wanted) const {
    const auto& all = of_.at(held);
    const auto found = std::ranges::lower_bound(all, wanted, {}, &Dependency::wanted);
    return found == all.end() || found->wanted != wanted ? 0 : found->routes;
}

std::vector<DependencyGraph::Channel> DependencyGraph::order() const {
    CycleSearch search(*this);
    if (!search.next().empty()) return {};
    return {search.done().rbegin(), search.done().rend()};
}

std::vector<DependencyGraph::Channel> DependencyGraph::find_cycle() const {
    CycleSearch search(*this);
    if (search.next().empty()) return {};
    for (Channel start = 0;; ++start) {
        if (search.is_done(start)) continue;
        if (auto cycle = shortest_through(start); !cycle.empty()) return cycle;
    }
}

std::vector<DependencyGraph::Channel> DependencyGraph::shortest_through(Channel start) const {
    constexpr Channel kNone = std::numeric_limits<Channel>::max();
    std::vector<Channel> before(of_.size(), kNone);
    std::vector<Channel> reached{start};
    std::vector<Channel> last;  // of circles, all those of the same length
    for (std::size_t i = 0, further = 1; i < reached.size(); ++i) {
        if (i == further) {
            if (!last.empty()) break;
            further = reached.size();
        }
        for (const auto& [wanted, routes] : of_[reached[i]]) {
            if (routes == 0) continue;
            if (wanted == start) last.push_back(reached[i]);
            else if (before[wanted] == kNone) {
                before[wanted] = reached[i];
                reached.push_back(wanted);
            }
        }
    }
    if (last.empty()) return {};
    std::vector<Channel> cycle{std::ranges::min(last)};
    while (cycle.back() != start) cycle.push_back(before[cycle.back()]);
    std::ranges::reverse(cycle);
    return cycle;
}

std::span<const CycleSearch::Channel> CycleSearch::next() {
    leave_what_was_removed();
    for (; root_ < graph_.channels(); ++root_) {
        if (state_[root_] == State::done) continue;
        if (open_.empty()) open_.push_back(root_);
        while (!open_.empty()) {
            const Channel at = open_.back();
            state_[at] = State::open;
            const auto& all = graph_.of_[at];
            auto& place = followed_[at];
            while (place < all.size() &&
                   (all[place].routes == 0 || state_[all[place].wanted] == State::done)) {
                ++place;
            }
            if (place == all.size()) {
                state_[at] = State::done;
                done_.push_back(at);
                open_.pop_back();
                continue;
            }
            const Channel wanted = all[place].wanted;
            if (state_[wanted] == State::open) return {std::ranges::find(open_, wanted), open_.end()};
            open_.push_back(wanted);
        }
    }
    return {};
}

void CycleSearch::leave_what_was_removed() {
    const auto is_gone = [&](Channel at) { return graph_.of_[at][followed_[at]].routes == 0; };
    const auto gone = std::ranges::find_if(open_, is_gone);
    if (gone == open_.end()) return;
    for (const auto at : std::span(gone + 1, open_.end())) state_[at] = State::fresh;
    open_.erase(gone + 1, open_.end());
}

AcyclicDependencies::AcyclicDependencies(std::size_t channels)
    : graph_(channels), order_(channels), place_(channels), is_reached_(channels, 0) {
    std::iota(order_.begin(), order_.end(), 0);
    std::iota(place_.begin(), place_.end(), 0);
}

AcyclicDependencies::AcyclicDependencies(DependencyGraph graph, std::vector<Channel> order)
    : graph_(std::move(graph)), order_(std::move(order)), place_(order_.size()), is_reached_(order_.size(), 0) {
    for (std::uint32_t at = 0; at < order_.size(); ++at) place_[order_[at]] = at;
}

bool AcyclicDependencies::add(Channel held, Channel wanted, std::size_t most) {
    if (place_[held] >= place_[wanted] && !move_behind(held, wanted, most)) return false;
    graph_.add(held, wanted);
    return true;
}

void AcyclicDependencies::remove_route(Channel held, Channel wanted) {
    auto& all = graph_.of_[held];
    const auto one = std::ranges::lower_bound(all, wanted, {}, &DependencyGraph::Dependency::wanted);
    // Searches would look at what is left of it.
    if (--one->routes == 0) all.erase(one);
}

void AcyclicDependencies::remove(Channel held, Channel wanted) {
    std::erase_if(graph_.of_[held], [&](const auto& one) { return one.wanted == wanted; });
}

std::vector<AcyclicDependencies::Channel> AcyclicDependencies::way(Channel from, Channel to) const {
    constexpr Channel kNone = std::numeric_limits<Channel>::max();
    std::vector<Channel> before(place_.size(), kNone), reached{from};
    for (std::size_t i = 0; i < reached.size() && before[to] == kNone; ++i) {
        for (const auto& [wanted, _] : graph_.of_[reached[i]]) {
            if (place_[wanted] > place_[to] || before[wanted] != kNone) continue;
            before[wanted] = reached[i];
            reached.push_back(wanted);
        }
    }
    if (before[to] == kNone) return {};
    std::vector<Channel> found{to};
    while (found.back() != from) found.push_back(before[found.back()]);
    std::ranges::reverse(found);
    return found;
}

// What is wanted and all that is reached from there, as far as the channel held, go behind that one.
bool AcyclicDependencies::move_behind(Channel held, Channel wanted, std::size_t most) {
    const auto first = place_[wanted];
    const auto last = place_[held];
    bool is_free = held != wanted;
    reached_.assign(1, wanted);
    is_reached_[wanted] = 1;
    for (std::size_t i = 0; is_free && i < reached_.size(); ++i) {
        if (i == most) is_free = false;
        for (const auto& [next, _] : graph_.of_[reached_[i]]) {
            if (place_[next] > last || is_reached_[next]) continue;
            if (next == held) is_free = false;
            is_reached_[next] = 1;
            reached_.push_back(next);
        }
    }
    if (is_free) {
        const std::vector<Channel> part(order_.begin() + first, order_.begin() + last + 1);
        auto put = first;
        for (const std::uint8_t is_moved : {0, 1}) {
            for (const auto channel : part) {
                if (is_reached_[channel] != is_moved) continue;
                order_[put] = channel;
                place_[channel] = put++;
            }
        }
    }
    for (const auto channel : reached_) is_reached_[channel] = 0;
    return is_free;
}

}  // namespace tvlb::vc
