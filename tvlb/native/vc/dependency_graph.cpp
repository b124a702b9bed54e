#include "dependency_graph.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tvlb::vc {

void DependencyGraph::add(Channel held, Channel wanted) {
    auto& all = of_[held];
    const auto place = std::ranges::lower_bound(all, wanted, {}, &Dependency::wanted);
    if (place != all.end() && place->wanted == wanted) ++place->routes;
    else all.insert(place, {wanted, 1});
}

void DependencyGraph::remove(Channel held, Channel wanted) {
    std::erase_if(of_.at(held), [&](const Dependency& one) { return one.wanted == wanted; });
}

std::uint32_t DependencyGraph::routes(Channel held, Channel wanted) const {
    const auto& all = of_.at(held);
    const auto found = std::ranges::find(all, wanted, &Dependency::wanted);
    return found == all.end() ? 0 : found->routes;
}

std::vector<DependencyGraph::Channel> DependencyGraph::find_cycle() const {
    const auto start = lowest_on_cycle();
    return start ? shortest_through(*start) : std::vector<Channel>{};
}

// Tarjan, Depth-first search and linear graph algorithms, 1972: channels on circles are those of strong
// components of several.
std::optional<DependencyGraph::Channel> DependencyGraph::lowest_on_cycle() const {
    std::optional<Channel> lowest;
    std::vector<std::uint32_t> number(of_.size(), 0);  // in the order of visits, from 1
    std::vector<std::uint32_t> earliest(of_.size(), 0);
    std::vector<Channel> open;  // visited, of components that are not complete
    std::vector<bool> is_open(of_.size(), false);
    std::vector<std::pair<Channel, std::size_t>> walk;  // and the dependencies followed
    std::uint32_t visited = 0;
    const auto visit = [&](Channel at) {
        number[at] = earliest[at] = ++visited;
        open.push_back(at);
        is_open[at] = true;
        walk.emplace_back(at, 0);
    };
    const auto complete = [&](Channel root) {
        const bool is_cycle = open.back() != root || routes(root, root) > 0;
        for (Channel member = root + 1; member != root;) {
            member = open.back();
            open.pop_back();
            is_open[member] = false;
            if (is_cycle) lowest = std::min(member, lowest.value_or(member));
        }
    };
    for (Channel root = 0; root < of_.size(); ++root) {
        if (number[root] == 0) visit(root);
        while (!walk.empty()) {
            const Channel at = walk.back().first;
            if (walk.back().second < of_[at].size()) {
                const Channel next = of_[at][walk.back().second++].wanted;
                if (number[next] == 0) visit(next);
                else if (is_open[next]) earliest[at] = std::min(earliest[at], number[next]);
                continue;
            }
            walk.pop_back();
            if (earliest[at] == number[at]) complete(at);
            else earliest[walk.back().first] = std::min(earliest[walk.back().first], earliest[at]);
        }
    }
    return lowest;
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
            if (wanted == start) last.push_back(reached[i]);
            else if (before[wanted] == kNone) {
                before[wanted] = reached[i];
                reached.push_back(wanted);
            }
        }
    }
    std::vector<Channel> cycle{std::ranges::min(last)};
    while (cycle.back() != start) cycle.push_back(before[cycle.back()]);
    std::ranges::reverse(cycle);
    return cycle;
}

}  // namespace tvlb::vc
