#include "absolute.hpp"

#include <cstddef>
#include <utility>

namespace tvlb {
namespace {

[[nodiscard]] std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

class AbsoluteWiring {
public:
    AbsoluteWiring(std::int32_t switches_per_group, std::int32_t global_ports, std::int32_t groups)
        : switches_per_group_(switches_per_group),
          groups_(groups),
          limit_(switches_per_group * global_ports / (groups - 1)),
          free_ports_(index(groups) * index(switches_per_group), global_ports),
          free_in_group_(index(groups), switches_per_group * global_ports),
          joined_(index(groups) * index(groups), 0) {}

    [[nodiscard]] std::vector<std::int32_t> cables() && {
        for (std::int32_t group = 0; group < groups_; ++group) {
            begin(group);
            for (std::int32_t i = 0; i < switches_per_group_; ++i) {
                const auto sw = group * switches_per_group_ + i;
                // Without partners a whole round of the cursor would end where it began.
                for (; free_ports_[index(sw)] > 0 && partners_ > 0; advance()) connect(group, sw);
            }
        }
        return std::move(cables_);
    }

private:
    [[nodiscard]] std::int32_t& joined(std::int32_t from, std::int32_t to) {
        return joined_[index(from) * index(groups_) + index(to)];
    }

    // Turns to a group; until the next one, only this one is connected to any.
    void begin(std::int32_t group) {
        is_partner_.assign(index(groups_), 0);
        partners_ = 0;
        for (std::int32_t other = 0; other < groups_; ++other) {
            if (other == group || joined(group, other) == limit_) continue;
            if (free_in_group_[index(other)] == 0) continue;
            is_partner_[index(other)] = 1;
            ++partners_;
        }
    }

    void advance() {
        if (++target_group_ < groups_) return;
        target_group_ = 0;
        target_switch_ = (target_switch_ + 1) % switches_per_group_;
    }

    void connect(std::int32_t group, std::int32_t sw) {
        const auto other = target_group_;
        const auto target = other * switches_per_group_ + target_switch_;
        if (is_partner_[index(other)] == 0 || free_ports_[index(target)] == 0) return;
        cables_.push_back(sw);
        cables_.push_back(target);
        --free_ports_[index(sw)];
        --free_ports_[index(target)];
        --free_in_group_[index(group)];
        ++joined(other, group);
        --free_in_group_[index(other)];
        if (++joined(group, other) == limit_ || free_in_group_[index(other)] == 0) {
            is_partner_[index(other)] = 0;
            --partners_;
        }
    }

    std::int32_t switches_per_group_;
    std::int32_t groups_;
    std::int32_t limit_;  // cables of two groups
    std::vector<std::int32_t> free_ports_;
    std::vector<std::int32_t> free_in_group_;
    std::vector<std::int32_t> joined_;
    std::vector<std::uint8_t> is_partner_;  // of the group being filled, by group
    std::int32_t partners_ = 0;
    std::int32_t target_group_ = 1;
    std::int32_t target_switch_ = 0;
    std::vector<std::int32_t> cables_;
};

}  // namespace

std::vector<std::int32_t> absolute_cables(std::int32_t switches_per_group, std::int32_t global_ports,
                                          std::int32_t groups) {
    return AbsoluteWiring(switches_per_group, global_ports, groups).cables();
}

}  // namespace tvlb
