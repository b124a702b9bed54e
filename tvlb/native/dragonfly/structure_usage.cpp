#include "structure_usage.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "interrupt.hpp"
#include "paths.hpp"

namespace tvlb {
namespace {

// Hop counts of VLB paths, 0..6.
constexpr int kClasses = 7;

// Where a pair of global links meets the intermediate group: positions in it, and the bits of the
// local hops at the source and the target.
struct Meeting {
    std::int32_t first;
    std::int32_t second;
    std::int32_t entry;  // where the first link lands
    std::int32_t exit;   // where the second link begins
    std::size_t ends;
};

// All paths through two global links: the intermediate switch adds a local hop on either side that
// it differs from. `sink` is told the weight of the paths that use the links, and the inner links by
// three sums: row (from a switch to every other), column (from every other to a switch) and direct.
template <class Sink>
void visit_meeting(const ByShape<double>& weight, std::int32_t a, const Meeting& at, Sink& sink) {
    const auto hops = shape_hops(at.ends);
    const double detours = weight[at.ends | kBefore | kAfter];
    if (at.entry == at.exit) {
        if (weight[at.ends] > 0.0) sink.ends(at, hops, weight[at.ends]);
        if (detours == 0.0 || a < 2) return;
        sink.ends(at, hops + 2, (a - 1.0) * detours);
        sink.row(at.entry, hops + 2, detours);
        sink.column(at.entry, hops + 2, detours);
        return;
    }
    const double straight = weight[at.ends | kAfter] + weight[at.ends | kBefore];
    if (straight > 0.0) {
        sink.ends(at, hops + 1, straight);
        sink.direct(at.entry, at.exit, hops + 1, straight);
    }
    if (detours == 0.0 || a < 3) return;
    sink.ends(at, hops + 2, (a - 2.0) * detours);
    // The row and the column count entry -> exit, which no detour takes.
    sink.row(at.entry, hops + 2, detours);
    sink.column(at.exit, hops + 2, detours);
    sink.direct(at.entry, at.exit, hops + 2, -2.0 * detours);
}

template <class Sink>
void visit_shapes(const Dragonfly& w, const ByShape<double>& weight, std::int32_t s, std::int32_t d,
                  Sink& sink) {
    const auto a = w.group_size();
    for (std::int32_t g = 0; g < w.num_groups(); ++g) {
        if (g == w.group(s) || g == w.group(d)) continue;
        const auto in = w.global_links(g, w.group(d));
        sink.enter(g);
        for (const auto first : w.global_links(w.group(s), g)) {
            for (const auto second : in) {
                visit_meeting(weight, a,
                              {first, second, w.target(first) % a, w.source(second) % a,
                               end_bits(w, s, first, second, d)},
                              sink);
            }
        }
        sink.leave();
    }
}

// Sums of one pair by hop count and link, handed over in order.
class ClassSums {
public:
    explicit ClassSums(std::size_t links) : sum_(kClasses, std::vector<double>(links, 0.0)) {}

    void add(std::int32_t link, int hops, double value) {
        const auto cls = static_cast<std::size_t>(hops);
        auto& cell = sum_[cls][static_cast<std::size_t>(link)];
        if (cell == 0.0) touched_[cls].push_back(link);
        cell += value;
    }

    void emit(std::size_t pair, ClassUsage& out) {
        for (std::size_t hops = 0; hops < kClasses; ++hops) {
            auto& touched = touched_[hops];
            std::sort(touched.begin(), touched.end());
            for (const auto link : touched) {
                auto& cell = sum_[hops][static_cast<std::size_t>(link)];
                out.cls.push_back(static_cast<std::int64_t>(pair * kClasses + hops));
                out.link.push_back(link);
                out.value.push_back(cell);
                cell = 0.0;
            }
            touched.clear();
        }
    }

private:
    std::vector<std::vector<double>> sum_;
    std::array<std::vector<std::int32_t>, kClasses> touched_;
};

// A local link by the positions of its ends.
struct Local {
    std::int32_t from;
    std::int32_t to;
    std::int32_t link;
};

[[nodiscard]] std::vector<std::vector<Local>> listed_by_group(const Dragonfly& w,
                                                              std::span<const std::uint8_t> listed) {
    std::vector<std::vector<Local>> out(static_cast<std::size_t>(w.num_groups()));
    const auto a = w.group_size();
    for (std::int32_t id = 0; id < w.num_local_links(); ++id) {
        if (listed[static_cast<std::size_t>(id)] == 0) continue;
        out[static_cast<std::size_t>(w.group(w.source(id)))].push_back(
            {w.source(id) % a, w.target(id) % a, id});
    }
    return out;
}

// Tells the inner links of a pair: local ones of the groups that its paths only pass through.
class InnerLinks {
public:
    InnerLinks() = default;
    InnerLinks(const Dragonfly& w, std::int32_t s, std::int32_t d)
        : own_(w.group(s) * w.group_size()), other_(w.group(d) * w.group_size()) {}

    [[nodiscard]] bool contains(const Dragonfly& w, std::int32_t link) const {
        if (w.is_global(link)) return false;
        return !within(w, own_, w.source(link)) && !within(w, other_, w.source(link));
    }

private:
    // Every link of every path asks, so no division.
    static bool within(const Dragonfly& w, std::int32_t first, std::int32_t sw) {
        return sw >= first && sw < first + w.group_size();
    }

    std::int32_t own_ = 0;    // first switch of the source's group
    std::int32_t other_ = 0;  // and of the destination's
};

// Lists the usage of one pair after another.
class Lister {
public:
    Lister(const Dragonfly& dragonfly, std::span<const std::uint8_t> listed)
        : w_(dragonfly), listed_(listed), inner_(listed_by_group(dragonfly, listed)), sums_(dragonfly.num_links()),
          row_(cells(1)), column_(cells(1)), direct_(cells(2)) {}

    void begin(std::int32_t s, std::int32_t d) {
        s_ = s;
        d_ = d;
        inner_links_ = InnerLinks(w_, s, d);
    }
    void finish(std::size_t pair, ClassUsage& out) { sums_.emit(pair, out); }

    void ends(const Meeting& at, int hops, double paths) {
        sums_.add(at.first, hops, paths);
        sums_.add(at.second, hops, paths);
        add_local(s_, w_.source(at.first), hops, paths);
        add_local(w_.target(at.second), d_, hops, paths);
    }
    void enter(std::int32_t group) { wanted_ = inner_[static_cast<std::size_t>(group)]; }
    void row(std::int32_t from, int hops, double paths) {
        if (!wanted_.empty()) row_[cell(from, hops)] += paths;
    }
    void column(std::int32_t to, int hops, double paths) {
        if (!wanted_.empty()) column_[cell(to, hops)] += paths;
    }
    void direct(std::int32_t from, std::int32_t to, int hops, double paths) {
        if (wanted_.empty()) return;
        direct_[cell(from * w_.group_size() + to, hops)] += paths;
    }
    // Any link of a path, wherever it lies.
    void any(std::int32_t link, int hops, double value) {
        if (listed_[static_cast<std::size_t>(link)] == 0 && inner_links_.contains(w_, link)) return;
        sums_.add(link, hops, value);
    }

    void leave() {
        if (wanted_.empty()) return;
        for (const auto& local : wanted_) {
            for (int hops = 2; hops < kClasses; ++hops) {
                const double paths =
                    row_[cell(local.from, hops)] + column_[cell(local.to, hops)] +
                    direct_[cell(local.from * w_.group_size() + local.to, hops)];
                if (paths > 0.0) sums_.add(local.link, hops, paths);
            }
        }
        for (auto* sums : {&row_, &column_, &direct_}) std::fill(sums->begin(), sums->end(), 0.0);
    }

private:
    [[nodiscard]] std::vector<double> cells(int dimensions) const {
        const auto a = static_cast<std::size_t>(w_.group_size());
        return std::vector<double>((dimensions == 1 ? a : a * a) * kClasses, 0.0);
    }
    static std::size_t cell(std::int32_t position, int hops) {
        return static_cast<std::size_t>(position) * kClasses + static_cast<std::size_t>(hops);
    }
    void add_local(std::int32_t from, std::int32_t to, int hops, double value) {
        if (from == to) return;
        sums_.add(w_.local_link(from, to), hops, value);
    }
    const Dragonfly& w_;
    std::span<const std::uint8_t> listed_;
    std::vector<std::vector<Local>> inner_;  // listed ones, by group
    std::span<const Local> wanted_;          // of the group being visited
    ClassSums sums_;
    std::vector<double> row_;     // of the group being visited
    std::vector<double> column_;
    std::vector<double> direct_;
    std::int32_t s_ = 0;
    std::int32_t d_ = 0;
    InnerLinks inner_links_;
};

// Adds up the loads of all inner links, all pairs together.
class Loader {
public:
    explicit Loader(const Dragonfly& dragonfly)
        : w_(dragonfly), row_(static_cast<std::size_t>(dragonfly.num_switches()), 0.0), column_(row_),
          direct_(dragonfly.num_links(), 0.0) {}

    void begin(std::int32_t s, std::int32_t d, std::span<const double> rate) {
        inner_links_ = InnerLinks(w_, s, d);
        rate_ = rate;
    }

    void ends(const Meeting& /*at*/, int /*hops*/, double /*paths*/) {}
    void enter(std::int32_t group) { start_ = group * w_.group_size(); }
    void row(std::int32_t from, int hops, double paths) { at(row_, from) += rate(hops) * paths; }
    void column(std::int32_t to, int hops, double paths) { at(column_, to) += rate(hops) * paths; }
    void direct(std::int32_t from, std::int32_t to, int hops, double paths) {
        direct_[static_cast<std::size_t>(w_.local_link(start_ + from, start_ + to))] += rate(hops) * paths;
    }
    void any(std::int32_t link, int hops, double value) {
        if (!inner_links_.contains(w_, link)) return;
        direct_[static_cast<std::size_t>(link)] += rate(hops) * value;
    }
    void leave() {}

    [[nodiscard]] std::vector<double> finish() && {
        for (std::int32_t id = 0; id < w_.num_local_links(); ++id) {
            direct_[static_cast<std::size_t>(id)] += row_[static_cast<std::size_t>(w_.source(id))] +
                             column_[static_cast<std::size_t>(w_.target(id))];
        }
        return std::move(direct_);
    }

private:
    [[nodiscard]] double rate(int hops) const { return rate_[static_cast<std::size_t>(hops)]; }
    [[nodiscard]] double& at(std::vector<double>& sums, std::int32_t position) const {
        return sums[static_cast<std::size_t>(start_ + position)];
    }

    const Dragonfly& w_;
    std::vector<double> row_;     // by switch
    std::vector<double> column_;
    std::vector<double> direct_;  // by link
    std::span<const double> rate_;
    InnerLinks inner_links_;
    std::int32_t start_ = 0;  // first switch of the group being visited
};

template <class Sink>
void visit_local_detours(const Dragonfly& w, std::int32_t s, std::int32_t d, double value, Sink& sink) {
    const auto start = w.group(s) * w.group_size();
    for (auto via = start; via < start + w.group_size(); ++via) {
        if (via == s || via == d) continue;
        sink.any(w.local_link(s, via), 2, value);
        sink.any(w.local_link(via, d), 2, value);
    }
}

// One pair of a rule by shape.
class ShapeVisitor {
public:
    ShapeVisitor(const ShapeRule& rule, const DrawnPaths* drawn)
        : rule_(rule), drawn_(drawn),
          slices_(drawn == nullptr ? 0 : drawn->slices(rule.percent)) {
        for (std::size_t shape = 0; shape < kShapes; ++shape) {
            (rule.is_drawn(shape) ? kept_weight_ : whole_[shape]) = rule.weight[shape];
        }
    }

    template <class Sink>
    void operator()(const Dragonfly& w, std::size_t pair, std::int32_t s, std::int32_t d,
                    Sink& sink) const {
        if (w.group(s) == w.group(d)) {
            visit_local_detours(w, s, d, 1.0, sink);
            return;
        }
        // Most rules leave no pair without a path, or no choice where they do.
        if (!rule_.nearest.empty()) {
            const auto found = pair_weights(rule_, count_shapes(w, s, d), ByShape<double>{});
            if (found.is_nearest) {
                visit_shapes(w, found.weight, s, d, sink);
                return;
            }
        }
        visit_shapes(w, whole_, s, d, sink);
        if (drawn_ == nullptr) return;
        drawn_->for_each_link(pair, slices_, [&](std::int32_t link, double paths) {
            sink.any(link, drawn_->hops(), kept_weight_ * paths);
        });
    }

private:
    const ShapeRule& rule_;
    ByShape<double> whole_{};   // of the paths that need not be listed
    double kept_weight_ = 0.0;  // of a path of the drawn length
    const DrawnPaths* drawn_;
    std::size_t slices_;
};

// One pair of the shortest halves.
class ShortVisitor {
public:
    explicit ShortVisitor(const ShortRule& rule) : rule_(rule) {}

    template <class Sink>
    void operator()(const Dragonfly& w, std::size_t /*pair*/, std::int32_t s, std::int32_t d,
                    Sink& sink) const {
        if (w.group(s) == w.group(d)) {
            visit_local_detours(w, s, d, 1.0 / (w.group_size() - 2), sink);
            return;
        }
        const auto vias = short_intermediates(w, rule_, s, d);
        for (const auto& via : vias) {
            const double weight = 1.0 / static_cast<double>(vias.size());
            const int hops = via.first.hops + via.second.hops;
            visit_half(w, s, via.intermediate, via.first, hops, weight, sink);
            visit_half(w, via.intermediate, d, via.second, hops, weight, sink);
        }
    }

private:
    template <class Sink>
    static void visit_half(const Dragonfly& w, std::int32_t from, std::int32_t to, const Shortest& half,
                           int hops, double weight, Sink& sink) {
        for (const auto link : w.global_links(w.group(from), w.group(to))) {
            if (w.min_hops(from, link, to) != half.hops) continue;
            PathLinks links;
            w.append_min(links, from, link, to);
            for (const auto id : links.view()) sink.any(id, hops, weight / half.count);
        }
    }

    ShortRule rule_;
};

template <class Visitor>
ClassUsage list_usage(const Dragonfly& w, const Visitor& visit, Switches sources, Switches targets,
                      std::span<const std::uint8_t> listed) {
    ClassUsage out;
    Lister lister(w, listed);
    for (std::size_t pair = 0; pair < sources.size(); ++pair) {
        check_interrupt();
        if (sources[pair] == targets[pair]) continue;
        lister.begin(sources[pair], targets[pair]);
        visit(w, pair, sources[pair], targets[pair], lister);
        lister.finish(pair, out);
    }
    return out;
}

template <class Visitor>
std::vector<double> add_loads(const Dragonfly& w, const Visitor& visit, Switches sources,
                              Switches targets, std::span<const double> rate) {
    Loader loader(w);
    for (std::size_t pair = 0; pair < sources.size(); ++pair) {
        check_interrupt();
        if (sources[pair] == targets[pair]) continue;
        loader.begin(sources[pair], targets[pair], rate.subspan(pair * kClasses, kClasses));
        visit(w, pair, sources[pair], targets[pair], loader);
    }
    return std::move(loader).finish();
}

}  // namespace

ClassUsage structure_usage(const Dragonfly& dragonfly, const ShapeRule& rule, const DrawnPaths* drawn,
                           Switches sources, Switches targets, std::span<const std::uint8_t> listed) {
    return list_usage(dragonfly, ShapeVisitor(rule, drawn), sources, targets, listed);
}

ClassUsage structure_usage(const Dragonfly& dragonfly, const ShortRule& rule, Switches sources,
                           Switches targets, std::span<const std::uint8_t> listed) {
    return list_usage(dragonfly, ShortVisitor(rule), sources, targets, listed);
}

std::vector<double> inner_loads(const Dragonfly& dragonfly, const ShapeRule& rule,
                                const DrawnPaths* drawn, Switches sources, Switches targets,
                                std::span<const double> rate) {
    return add_loads(dragonfly, ShapeVisitor(rule, drawn), sources, targets, rate);
}

std::vector<double> inner_loads(const Dragonfly& dragonfly, const ShortRule& rule, Switches sources,
                                Switches targets, std::span<const double> rate) {
    return add_loads(dragonfly, ShortVisitor(rule), sources, targets, rate);
}

}  // namespace tvlb
