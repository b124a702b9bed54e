#include "engine.hpp"

#include <numeric>

#include "../interrupt.hpp"

namespace tvlb::forwarding {

void Engine::route(std::span<const std::int32_t> order, Table& table) {
    for (const auto node : order) {
        check_interrupt();
        add(static_cast<std::size_t>(node), table.to(static_cast<std::size_t>(node)));
    }
}

void Engine::route_again(std::span<const std::int32_t> order, int power, Table& table,
                         const Table* kept) {
    const auto total = std::accumulate(load_.begin(), load_.end(), std::uint64_t{0});
    if (total == 0) return;
    set_prices({static_cast<double>(total) / static_cast<double>(load_.size()), power});
    for (const auto node : order) {
        check_interrupt();
        const auto ports = table.to(static_cast<std::size_t>(node));
        remove(ports);
        if (kept != nullptr) std::ranges::copy(kept->to(static_cast<std::size_t>(node)), ports.begin());
        else std::ranges::fill(ports, kNone);
        add(static_cast<std::size_t>(node), ports);
    }
}

void Engine::set_prices(const Pricing& pricing) {
    pricing_ = pricing;
    std::ranges::transform(load_, price_.begin(), [&](auto load) { return pricing.price(load); });
}

void Engine::count(std::span<const Port> ports, int sign) {
    tree_.each(ports, [&](const Hop& hop, std::int64_t routes) { add_load(hop, sign * routes); });
}

}  // namespace tvlb::forwarding
