#include "degraded.hpp"

#include <algorithm>

#include "interrupt.hpp"
#include "paths_by_min_rule.hpp"

namespace tvlb {
namespace {

[[nodiscard]] std::vector<bool> whole_switches(const Network& network, const GroupLinks& links) {
    std::vector<bool> out;
    for (std::int32_t sw = 0; sw < network.num_switches(); ++sw) {
        std::int32_t joined = 0;
        const auto first = links.group(sw) * links.group_size();
        for (auto other = first; other < first + links.group_size(); ++other) {
            joined += links.local_link(sw, other) != kAbsent;
        }
        out.push_back(joined == links.group_size() - 1);
    }
    return out;
}

}  // namespace

DegradedMinPaths::DegradedMinPaths(const Network& network, std::int32_t groups)
    : links_(network, groups),
      shortest_(network),
      is_whole_(whole_switches(network, links_)),
      halves_{{1}, {1, 0}, {0, 1}, {0, 1, 0}} {
    find_halves();
}

bool DegradedMinPaths::is_left(std::int32_t from, std::int32_t global, std::int32_t to) const {
    const auto exit = shortest_.source(global);
    const auto entry = shortest_.target(global);
    return (from == exit || links_.local_link(from, exit) != kAbsent) &&
           (entry == to || links_.local_link(entry, to) != kAbsent);
}

std::int32_t DegradedMinPaths::count_direct(std::int32_t from, std::int32_t to) const {
    if (group(from) == group(to)) return is_local_pair(from, to);
    const auto links = links_between(from, to);
    if (is_whole(from, to)) return static_cast<std::int32_t>(links.size());
    return static_cast<std::int32_t>(std::ranges::count_if(
        links, [&](std::int32_t global) { return is_left(from, global, to); }));
}

std::int32_t DegradedMinPaths::direct_link(std::int32_t from, std::int32_t position,
                                           std::int32_t to) const {
    const auto links = links_between(from, to);
    if (is_whole(from, to)) return links[static_cast<std::size_t>(position)];
    for (const auto global : links) {
        if (is_left(from, global, to) && position-- == 0) return global;
    }
    return kAbsent;
}

// Of two switches without a local link, or in different groups.
std::size_t DegradedMinPaths::half(std::int32_t from, std::int32_t name, std::int32_t to) const {
    if (group(from) != group(to) && count_direct(from, to) > 0) {
        const auto global = direct_link(from, name, to);
        return (shortest_.source(global) != from ? 2U : 0U) |
               (shortest_.target(global) != to ? 1U : 0U);
    }
    Half kinds;
    visit(from, name, to, [&](std::int32_t link) { kinds.push_back(shortest_.link(link).kind); });
    return static_cast<std::size_t>(std::ranges::find(halves_, kinds) - halves_.begin());
}

// Of the pairs that take shortest paths: shorter orders first.
void DegradedMinPaths::find_halves() {
    const auto own = static_cast<std::ptrdiff_t>(halves_.size());
    const auto switches = shortest_.num_switches();
    for (std::int32_t from = 0; from < switches; ++from) {
        check_interrupt();
        for (std::int32_t to = 0; to < switches; ++to) {
            if (from == to) continue;
            const auto paths = count(from, to);
            most_ = std::max(most_, paths);
            if (count_direct(from, to) > 0) continue;
            for (std::int32_t name = 0; name < paths; ++name) {
                Half kinds;
                visit(from, name, to,
                      [&](std::int32_t link) { kinds.push_back(shortest_.link(link).kind); });
                if (std::ranges::find(halves_, kinds) == halves_.end()) halves_.push_back(kinds);
            }
        }
    }
    std::ranges::sort(halves_.begin() + own, halves_.end(), comes_before);
}

std::unique_ptr<PathKernel> DegradedDragonfly::kernel() const {
    return kernel_by_min_rule(*this);
}

}  // namespace tvlb
