// P2-SSSP (section III): pair by pair, each along the least loaded shortest way that the entries set so
// far leave, and counted before the next pair.
#include <limits>

#include "../../interrupt.hpp"
#include "../engine.hpp"

namespace tvlb::forwarding {
namespace {

class P2sssp final : public Engine {
public:
    explicit P2sssp(const Graph& graph)
        : Engine(graph), hops_(graph.switches()), cost_(graph.switches()), seen_(graph.switches(), 0) {}

    void add(std::size_t node, std::span<Port> ports) override {
        for (std::size_t source = 0; source < graph().nodes(); ++source) {
            pair(graph().switch_of(source), node, ports);
        }
        complete(node, ports);
    }

    void route(std::span<const std::int32_t> order, Table& table) override {
        for (const auto source : order) {
            check_interrupt();
            for (const auto node : order) {
                pair(graph().switch_of(static_cast<std::size_t>(source)), static_cast<std::size_t>(node),
                     table.to(static_cast<std::size_t>(node)));
            }
        }
        for (const auto node : order) complete(static_cast<std::size_t>(node), table.to(static_cast<std::size_t>(node)));
    }

private:
    // Sets the entries of switches that no route passes.
    void complete(std::size_t node, std::span<Port> ports) {
        const auto target = graph().switch_of(node);
        for (const auto sw : graph().joined()) {
            if (sw != target && ports[static_cast<std::size_t>(sw)] == kNone) open_way(sw, target, ports);
        }
    }

    void pair(std::int32_t from, std::size_t node, std::span<Port> ports) {
        const auto target = graph().switch_of(node);
        if (ports[static_cast<std::size_t>(from)] == kNone && from != target) open_way(from, target, ports);
        for (auto at = from; at != target;) {
            const Hop& hop = graph().hop(at, ports[static_cast<std::size_t>(at)]);
            add_load(hop, 1);
            at = hop.target;
        }
    }

    // Sets the entries that are missing on the least loaded way.
    void open_way(std::int32_t from, std::int32_t target, std::span<Port> ports) {
        const auto& hops = hops_to(target);
        const auto ways = [&](std::int32_t at, auto&& take) {
            const auto port = ports[static_cast<std::size_t>(at)];
            if (port != kNone) return take(graph().hop(at, port));
            const auto left = hops[static_cast<std::size_t>(at)] - 1;
            for (const Hop& hop : graph().leaving(at)) {
                if (hops[static_cast<std::size_t>(hop.target)] == left) take(hop);
            }
        };
        ++round_;
        reached_.assign(1, from);
        for (std::size_t i = 0; i < reached_.size(); ++i) {
            ways(reached_[i], [&](const Hop& hop) {
                auto& seen = seen_[static_cast<std::size_t>(hop.target)];
                if (seen == round_ || hop.target == target) return;
                seen = round_;
                reached_.push_back(hop.target);
            });
        }
        cost_[static_cast<std::size_t>(target)] = 0;
        chosen_.resize(reached_.size());
        for (std::size_t i = reached_.size(); i-- > 0;) {
            double least = std::numeric_limits<double>::infinity();
            ways(reached_[i], [&](const Hop& hop) {
                const double cost = price(hop) + cost_[static_cast<std::size_t>(hop.target)];
                if (cost >= least) return;
                least = cost;
                chosen_[i] = hop.port;
            });
            cost_[static_cast<std::size_t>(reached_[i])] = least;
        }
        // Those on the way, in the order in which it passes them.
        for (std::size_t i = 0; from != target; ++i) {
            if (reached_[i] != from) continue;
            ports[static_cast<std::size_t>(from)] = chosen_[i];
            from = graph().hop(from, chosen_[i]).target;
        }
    }

    const std::vector<std::uint16_t>& hops_to(std::int32_t target) {
        auto& hops = hops_[static_cast<std::size_t>(target)];
        if (hops.empty()) {
            ShortestWays ways(graph());
            ways.find(target);
            hops.assign(ways.hops().begin(), ways.hops().end());
        }
        return hops;
    }

    std::vector<std::vector<std::uint16_t>> hops_;  // by target, then by switch
    std::vector<double> cost_;                      // by switch, like what follows
    std::vector<std::uint32_t> seen_;               // round in which it was reached
    std::uint32_t round_ = 0;
    std::vector<std::int32_t> reached_;
    std::vector<Port> chosen_;  // of those reached
};

const Registration<P2sssp> kP2sssp("p2sssp", 2, "shortest ways pair by pair, by the loads of all before");

}  // namespace
}  // namespace tvlb::forwarding
