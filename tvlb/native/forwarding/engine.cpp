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
    set_prices(power);
    for (const auto node : order) {
        check_interrupt();
        const auto ports = table.to(static_cast<std::size_t>(node));
        remove(static_cast<std::size_t>(node), ports);
        if (kept != nullptr) std::ranges::copy(kept->to(static_cast<std::size_t>(node)), ports.begin());
        else std::ranges::fill(ports, kNone);
        add(static_cast<std::size_t>(node), ports);
    }
}

void Engine::remove(std::size_t /*node*/, std::span<const Port> ports) { count(ports, -1); }

std::size_t Engine::improve(std::span<const std::int32_t> order, int power, Table& table) {
    set_prices(power);
    std::size_t changed = 0;
    for (const auto node : order) {
        check_interrupt();
        changed += improve(static_cast<std::size_t>(node), table.to(static_cast<std::size_t>(node)));
    }
    return changed;
}

void Engine::set_prices(int power) {
    const auto total = std::accumulate(load_.begin(), load_.end(), std::uint64_t{0});
    if (total == 0) return;
    pricing_ = {static_cast<double>(total) / static_cast<double>(load_.size()), power};
    std::ranges::transform(load_, price_.begin(), [&](auto load) { return pricing_.price(load); });
}

void Engine::count(std::span<const Port> ports, int sign) {
    tree_.each(ports, [&](const Hop& hop, std::int64_t routes) { add_load(hop, sign * routes); });
}

}  // namespace tvlb::forwarding
