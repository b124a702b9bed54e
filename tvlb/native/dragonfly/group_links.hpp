// The links of a network of equal groups: local ones by their ends, global ones by their groups.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network.hpp"

namespace tvlb {

// Kind 0 is local, all others are global.
class GroupLinks {
public:
    // Throws std::invalid_argument where groups are not equal, a local link leaves its group or a
    // global one does not, local links do not have the lowest ids, or two have the same ends.
    GroupLinks(const Network& network, std::int32_t groups);

    [[nodiscard]] std::int32_t num_groups() const { return groups_; }
    [[nodiscard]] std::int32_t group_size() const { return group_size_; }
    [[nodiscard]] std::int32_t group(std::int32_t sw) const {
        return group_[static_cast<std::size_t>(sw)];
    }
    [[nodiscard]] std::int32_t num_local_links() const { return num_local_links_; }

    // Local link between two switches of one group; kAbsent where there is none.
    [[nodiscard]] std::int32_t local_link(std::int32_t from, std::int32_t to) const {
        const auto row = static_cast<std::size_t>(from) * static_cast<std::size_t>(group_size_);
        return local_link_[row + static_cast<std::size_t>(to % group_size_)];
    }

    // Global links from group `from` to group `to`, by rising id.
    [[nodiscard]] std::span<const std::int32_t> global_links(std::int32_t from,
                                                             std::int32_t to) const {
        const auto pair = static_cast<std::size_t>(from) * static_cast<std::size_t>(groups_) +
                          static_cast<std::size_t>(to);
        const auto begin = static_cast<std::size_t>(offset_[pair]);
        return std::span(global_links_)
            .subspan(begin, static_cast<std::size_t>(offset_[pair + 1]) - begin);
    }

private:
    void index_local_links(const Network& network);
    void index_global_links(const Network& network);

    std::int32_t groups_;
    std::int32_t group_size_;
    std::int32_t num_local_links_ = 0;
    std::vector<std::int32_t> group_;         // by switch; a division takes longer
    std::vector<std::int32_t> local_link_;    // by switch and position in its group
    std::vector<std::int32_t> offset_;        // by pair of groups, and one more
    std::vector<std::int32_t> global_links_;  // by pair of groups, then by id
};

}  // namespace tvlb
