#include "drawn_paths.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

#include "interrupt.hpp"
#include "keyed_paths.hpp"

namespace tvlb {

// Counts paths over links, one slice at a time.
class DrawnPaths::Counter {
public:
    explicit Counter(const Dragonfly& dragonfly)
        : dragonfly_(dragonfly), locals_(static_cast<std::size_t>(dragonfly.num_local_links())), count_(dragonfly.num_links(), 0) {}

    void add(const PathLinks& path) {
        for (const auto link : path.view()) {
            auto& count = count_[static_cast<std::size_t>(link)];
            if (count == 0) touched_.push_back(link);
            if (count == std::numeric_limits<std::uint16_t>::max()) {
                throw std::invalid_argument("a pair has too many paths over one link to be counted");
            }
            ++count;
        }
    }

    [[nodiscard]] Slice finish() {
        Slice out;
        // An entry of the list takes three times the memory of a cell.
        if (3 * touched_.size() > locals_) {
            out.dense.assign(count_.begin(), count_.begin() + static_cast<std::ptrdiff_t>(locals_));
        }
        for (const auto link : touched_) {
            auto& count = count_[static_cast<std::size_t>(link)];
            if (out.dense.empty() || dragonfly_.is_global(link)) {
                out.link.push_back(link);
                out.count.push_back(count);
            }
            count = 0;
        }
        out.link.shrink_to_fit();
        out.count.shrink_to_fit();
        touched_.clear();
        return out;
    }

private:
    const Dragonfly& dragonfly_;
    std::size_t locals_;
    std::vector<std::uint16_t> count_;  // by link
    std::vector<std::int32_t> touched_;
};

namespace {

// Cuts paths into runs of the keyed order: the first cuts[i] paths come before the others.
void partition_at(std::span<KeyedPath> paths, std::span<const std::int64_t> cuts, std::int64_t before) {
    if (cuts.empty()) return;
    const auto middle = cuts.size() / 2;
    const auto at = std::min<std::int64_t>(cuts[middle] - before,
                                           static_cast<std::int64_t>(paths.size()));
    const auto position = static_cast<std::size_t>(at);
    if (position < paths.size()) {
        std::nth_element(paths.begin(), paths.begin() + at, paths.end(), in_keyed_order);
    }
    partition_at(paths.first(position), cuts.first(middle), before);
    partition_at(paths.subspan(position), cuts.subspan(middle + 1), before + at);
}

}  // namespace

DrawnPaths::DrawnPaths(const Dragonfly& dragonfly, Switches sources, Switches targets, int hops,
                       std::uint64_t seed, std::vector<int> percents)
    : hops_(hops), pairs_(sources.size()), percents_(std::move(percents)) {
    Counter counter(dragonfly);
    slices_.reserve(pairs_ * percents_.size());
    std::vector<KeyedPath> paths;
    std::vector<std::int64_t> cuts;
    for (std::size_t pair = 0; pair < pairs_; ++pair) {
        check_interrupt();
        const auto s = sources[pair];
        const auto d = targets[pair];
        paths.clear();
        cuts.clear();
        if (dragonfly.group(s) != dragonfly.group(d)) list_keyed(dragonfly, s, d, hops, seed, paths);
        for (const auto percent : percents_) {
            cuts.push_back(drawn_count(static_cast<std::int64_t>(paths.size()), percent));
        }
        partition_at(paths, cuts, 0);
        std::int64_t at = 0;
        for (const auto cut : cuts) {
            for (; at < cut; ++at) {
                const auto& path = paths[static_cast<std::size_t>(at)];
                counter.add(dragonfly.links_of({s, d, path.intermediate, path.first, path.second}));
            }
            slices_.push_back(counter.finish());
        }
    }
}

std::size_t DrawnPaths::slices(int percent) const {
    const auto found = std::find(percents_.begin(), percents_.end(), percent);
    if (found == percents_.end()) {
        throw std::invalid_argument("no slice ends at " + std::to_string(percent) + "%");
    }
    return static_cast<std::size_t>(found - percents_.begin()) + 1;
}

}  // namespace tvlb
