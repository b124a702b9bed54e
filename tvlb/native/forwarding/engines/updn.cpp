// Up*/down* as subnet managers know it, below roots that are named or found.
#include <stdexcept>

#include "../up_down.hpp"

namespace tvlb::forwarding {
namespace {

UpDown order_of(const Graph& graph, const EngineSettings& settings) {
    if (settings.roots.empty()) return good_orders(graph).front();
    UpDown order(graph, below(graph, settings.roots));
    if (!order.worth()) {
        throw std::invalid_argument("below these roots some switches have no way up and then down");
    }
    return order;
}

class Updn final : public UpDownEngine {
public:
    Updn(const Graph& graph, const EngineSettings& settings)
        : UpDownEngine(graph, order_of(graph, settings)) {}
};

const Registration<Updn> kUpdn("updn", 4, "no route goes up once it has gone down, the shortest of these",
                               {.is_shortest = false, .takes_roots = true});

}  // namespace
}  // namespace tvlb::forwarding
