// The baseline of subnet managers: every switch spreads destinations over its own shortest links.
#include "../engine.hpp"

namespace tvlb::forwarding {
namespace {

class MinHop final : public TreeEngine {
public:
    MinHop(const Graph& graph, const EngineSettings& settings)
        : TreeEngine(graph), ties_(settings.ties), ways_(graph), destinations_(graph.links(), 0) {}

    void choose(std::size_t node, std::span<Port> ports) override {
        ways_.find(graph().switch_of(node));
        const auto order = ways_.order();
        for (std::size_t at = 0; at < order.size(); ++at) {
            const auto is_before = [&](const Hop& one, const Hop& other) {
                if (sent_by(one) != sent_by(other)) return sent_by(one) < sent_by(other);
                return ties_.wins(one, other.port);
            };
            const auto fewest = std::ranges::min_element(ways_.nearer(at), is_before);
            ++sent_by(*fewest);
            ports[static_cast<std::size_t>(order[at])] = fewest->port;
        }
    }

    void remove(std::span<const Port> ports) override {
        TreeEngine::remove(ports);
        for (std::int32_t sw = 0; const auto port : ports) {
            if (port != kNone) --sent_by(graph().hop(sw, port));
            ++sw;
        }
    }

private:
    std::uint32_t& sent_by(const Hop& hop) {
        return destinations_[static_cast<std::size_t>(hop.link)];
    }

    Ties ties_;
    ShortestWays ways_;
    std::vector<std::uint32_t> destinations_;  // of every link, the nodes that its source sends by it
};

const Registration<MinHop> kMinHop("minhop", 3,
                                   "shortest ways, by the fewest destinations at every switch");

}  // namespace
}  // namespace tvlb::forwarding
