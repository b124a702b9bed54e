// The baseline of subnet managers: every switch spreads destinations over its own shortest links.
#include "../shortest_trees.hpp"

namespace tvlb::forwarding {
namespace {

class MinHop final : public ShortestEngine {
public:
    MinHop(const Graph& graph, const EngineSettings& settings)
        : ShortestEngine(graph), ties_(settings.ties), destinations_(graph.links(), 0) {}

    void remove(std::size_t node, std::span<const Port> ports) override {
        ShortestEngine::remove(node, ports);
        for (std::int32_t sw = 0; const auto port : ports) {
            if (port != kNone) --sent_by(graph().hop(sw, port));
            ++sw;
        }
    }

private:
    void choose(std::span<Port> ports) override {
        const auto is_before = [&](const Hop& one, const Hop& other) {
            if (sent_by(one) != sent_by(other)) return sent_by(one) < sent_by(other);
            return ties_.wins(one, other.port);
        };
        for (std::size_t at = 0; at < ways().order().size(); ++at) {
            const Hop& fewest = *std::ranges::min_element(ways().nearer(at), is_before);
            ++sent_by(fewest);
            take(at, fewest, ports);
        }
    }

    std::uint32_t& sent_by(const Hop& hop) {
        return destinations_[static_cast<std::size_t>(hop.link)];
    }

    Ties ties_;
    std::vector<std::uint32_t> destinations_;  // of every link, the nodes that its source sends by it
};

const Registration<MinHop> kMinHop("minhop", 3,
                                   "shortest ways, by the fewest destinations at every switch");

}  // namespace
}  // namespace tvlb::forwarding
