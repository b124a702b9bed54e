#include "usage.hpp"

#include <algorithm>
#include <array>

#include "interrupt.hpp"

namespace tvlb {
namespace {

// Sums per link of one hop class of one pair; cleared by emitting.
class ClassAccumulator {
public:
    explicit ClassAccumulator(std::size_t links) : sum_(links, 0.0) {}

    void add(const PathLinks& path, double weight) {
        for (const auto link : path.view()) {
            auto& cell = sum_[static_cast<std::size_t>(link)];
            if (cell == 0.0) touched_.push_back(link);
            cell += weight;
        }
    }

    void emit(std::int64_t cls, ClassUsage& out) {
        std::sort(touched_.begin(), touched_.end());
        for (const auto link : touched_) {
            auto& cell = sum_[static_cast<std::size_t>(link)];
            out.cls.push_back(cls);
            out.link.push_back(link);
            out.value.push_back(cell);
            cell = 0.0;
        }
        touched_.clear();
    }

private:
    std::vector<double> sum_;
    std::vector<std::int32_t> touched_;
};

}  // namespace

ClassUsage class_usage(const Topology& topology, const RowsView& rows) {
    ClassUsage out;
    const auto count = topology.num_classes();
    std::vector<ClassAccumulator> classes(count, ClassAccumulator(topology.num_links()));
    for (std::size_t pair = 0; pair < rows.pairs(); ++pair) {
        check_interrupt();
        for (auto row = rows.begin(pair); row < rows.end(pair); ++row) {
            const auto hops = static_cast<std::size_t>(rows.hops[row]);
            classes[hops].add(topology.links_of(rows.path(pair, row)), rows.weight[row]);
        }
        for (std::size_t hops = 0; hops < count; ++hops) {
            classes[hops].emit(static_cast<std::int64_t>(pair * count + hops), out);
        }
    }
    return out;
}

std::vector<double> total_usage(const Topology& topology, const RowsView& rows) {
    std::vector<double> usage(topology.num_links(), 0.0);
    for (std::size_t pair = 0; pair < rows.pairs(); ++pair) {
        check_interrupt();
        for (auto row = rows.begin(pair); row < rows.end(pair); ++row) {
            const auto links = topology.links_of(rows.path(pair, row));
            for (const auto link : links.view()) {
                usage[static_cast<std::size_t>(link)] += rows.weight[row];
            }
        }
    }
    return usage;
}

}  // namespace tvlb
