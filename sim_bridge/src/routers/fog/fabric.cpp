#include "fabric.hpp"

#include <utility>

#include "common/wait_cycle.hpp"

namespace tvlb::sim::fog {

Fabric::Fabric(const Topology& network, const MinPorts& min_ports, const Config& config, bool attempts)
    : PortFabric(network, &min_ports, config, config.packet_phits, wheel_span(config), 0),
      attempts_(attempts),
      transfer_(config.packet_phits / config.speedup),
      crossbar_(config.crossbar_latency),
      rounds_(config.rounds),
      output_packets_(config.output_buffer_phits / config.packet_phits),
      most_queued_(config.injection_buffer_phits / config.packet_phits),
      transit_first_(config.arbiter == "transit-first"),
      used_(inputs_.size(), 0),
      leaves_(output_ports_.size() * index(output_packets_), kLongAgo),
      granted_(output_ports_.size() * index(ports_), 0),
      sleeping_(output_ports_.size() * words_, 0),
      ready_ports_(index(network.num_switches())),
      held_(index(network.num_switches())),
      fifos_(index(network.num_nodes())),
      waiting_(network.num_nodes(), most_queued_),
      credits_(wheel_span(config)),
      transfers_(wheel_span(config)),
      wakings_(wheel_span(config)) {
  for (OutputPort& port : output_ports_) {
    if (port.downstream >= 0) port.buffer = config.buffer_phits[port.kind];
  }
  for (std::int32_t sw = 0; sw < network.num_switches(); ++sw) {
    streams_.emplace_back(config.seed, Purpose::route, static_cast<std::uint64_t>(sw));
  }
}

// A packet leaves behind all others in its output FIFO.
int Fabric::wheel_span(const Config& config) {
  return config.crossbar_latency + config.output_buffer_phits + 2 * config.packet_phits +
         *std::ranges::max_element(config.latency) + 1;
}

void Fabric::deliver(std::int32_t cycle) {
  credits_.drain(cycle, [&](std::uint32_t output_vc) {
    used_[output_vc] -= phits_;
    wake(static_cast<std::int32_t>(output_vc) / vcs_, cycle);
  });
  wakings_.drain(cycle, [&](std::int32_t output) { wake(output, cycle); });
  transfers_.drain(cycle, [&](std::int32_t number) {
    const auto first = static_cast<std::uint32_t>(number * vcs_);
    for (std::uint32_t input_vc = first; input_vc < first + static_cast<unsigned>(vcs_); ++input_vc) {
      if (inputs_[input_vc].head >= 0 && !inputs_[input_vc].sleeps) make_ready(input_vc);
    }
  });
  arrivals_.drain(cycle, [&](const Arrival& arrival) {
    Packet& packet = packets_[arrival.packet];
    const std::int32_t sw = switch_of(arrival.input_vc);
    packet.arrived = cycle;
    const std::int32_t via = packet.intermediate;
    if (packet.phase == 0 &&
        (via == sw || (packet.to_group && network_.group(via) == network_.group(sw)))) {
      packet.phase = 1;
    }
    enter(arrival.input_vc, arrival.packet, cycle);
  });
}

void Fabric::inject(const Waiting& packet, std::int32_t node, bool is_traced) {
  const std::uint32_t input_vc = input_of(node);
  if (inputs_[input_vc].head < 0) return enter(input_vc, make(packet, is_traced), packet.created + 1);
  ++held_[index(switch_of(input_vc))].inputs;
  const std::int32_t behind = is_traced ? ~make(packet, true) : packet.destination;
  waiting_.push(node, fifos_[index(node)], {packet.created, behind});
}

std::int32_t Fabric::make(const Waiting& packet, bool is_traced) {
  const auto& [created, destination] = packet;
  const std::int32_t id = packets_.allocate();
  Packet& made = packets_[id] = {created, network_.node_switch(destination), created + 1};
  made.exit = static_cast<std::uint8_t>(destination - network_.first_node(made.target));
  made.is_traced = is_traced;
  return id;
}

void Fabric::enter(std::uint32_t input_vc, std::int32_t id, std::int32_t cycle) {
  ++held_[index(switch_of(input_vc))].inputs;
  if (append(inputs_[input_vc], id)) advance(input_vc, cycle);
}

void Fabric::advance(std::uint32_t input_vc, std::int32_t cycle) {
  InputVc& input = inputs_[input_vc];
  const Packet& packet = packets_[input.head];
  const std::int32_t sw = switch_of(input_vc);
  const InputPort& from = port_of(input_vc);
  input.sleeps = false;
  input.is_open = is_node(from.upstream) && attempts_;
  if (is_at_end(packet, sw)) {
    head_for(input, sw, packet.exit);
  } else if (!input.is_open) {
    const auto ports = (*min_ports_)(sw, packet.heading());
    input.is_open = ports.size() > 1;
    head_for(input, sw, ports.front());
  }
  if (from.busy_until <= cycle) make_ready(input_vc);
}

void Fabric::make_ready(std::uint32_t input_vc) {
  const std::uint32_t number = input_vc / static_cast<unsigned>(vcs_);
  const std::int32_t sw = switch_of(input_vc);
  const std::uint32_t port = number - static_cast<std::uint32_t>(sw * ports_);
  input_ports_[number].ready |= static_cast<std::uint8_t>(1U << (input_vc % static_cast<unsigned>(vcs_)));
  ready_ports_[index(sw)][port / kWordBits] |= std::uint64_t{1} << (port % kWordBits);
  activate(sw);
}

void Fabric::sleep(std::uint32_t input_vc, std::int32_t output, std::int32_t cycle) {
  inputs_[input_vc].sleeps = true;
  const std::uint32_t number = input_vc / static_cast<unsigned>(vcs_);
  const std::int32_t sw = switch_of(input_vc);
  InputPort& from = input_ports_[number];
  from.ready &= static_cast<std::uint8_t>(~(1U << (input_vc % static_cast<unsigned>(vcs_))));
  if (from.ready == 0) {
    const std::uint32_t port = number - static_cast<std::uint32_t>(sw * ports_);
    ready_ports_[index(sw)][port / kWordBits] &= ~(std::uint64_t{1} << (port % kWordBits));
  }
  const std::uint32_t local = input_vc - static_cast<std::uint32_t>(sw) * per_switch_;
  word_of(sleeping_, output, local) |= bit(local);
  OutputPort& port = output_ports_[index(output)];
  // Where credits are missing, they wake it.
  const std::int32_t due = std::max(oldest(output) + 1, port.downstream < 0 ? 0 : port.busy_until);
  if (due <= cycle || (port.wakes_at > cycle && port.wakes_at <= due)) return;
  port.wakes_at = due;
  wakings_.push(due, output);
}

void Fabric::wake(std::int32_t output, std::int32_t cycle) {
  for (std::size_t word = 0; word < words_; ++word) {
    std::uint64_t heads = std::exchange(sleeping_[index(output) * words_ + word], std::uint64_t{0});
    if (heads == 0) continue;
    const std::uint32_t first = static_cast<std::uint32_t>(output / ports_) * per_switch_ +
                                static_cast<std::uint32_t>(word * kWordBits);
    for (; heads != 0; heads &= heads - 1) {
      const std::uint32_t input_vc = first + static_cast<std::uint32_t>(std::countr_zero(heads));
      inputs_[input_vc].sleeps = false;
      if (port_of(input_vc).busy_until <= cycle) make_ready(input_vc);
    }
  }
}

void Fabric::release_input(const Nomination& of, std::int32_t sw, std::int32_t cycle) {
  InputVc& input = inputs_[of.input_vc];
  InputPort& from = input_ports_[index(sw * ports_ + of.port)];
  const Packet& packet = packets_[input.head];
  --held_[index(sw)].inputs;
  from.busy_until = std::max(cycle + transfer_, packet.arrived + phits_);
  transfers_.push(from.busy_until, sw * ports_ + of.port);
  from.ready = 0;
  ready_ports_[index(sw)][static_cast<unsigned>(of.port) / kWordBits] &=
      ~(std::uint64_t{1} << (static_cast<unsigned>(of.port) % kWordBits));
  input.head = packet.next;
  if (!is_node(from.upstream)) {
    credits_.push(cycle + from.credit_time, upstream_of(of.input_vc));
  } else {
    const std::int32_t node = node_of(from.upstream);
    WaitingPackets::Fifo& fifo = fifos_[index(node)];
    if (fifo.count > 0) {
      const Waiting& next = waiting_.pop(node, fifo);
      input.head = next.destination < 0 ? ~next.destination : make(next, false);
    }
  }
  if (input.head >= 0) advance(of.input_vc, cycle);
}

// A head of a node is waited for by none.
std::vector<Buffer> Fabric::find_wait_cycle() const {
  std::vector<bool> moves(inputs_.size());
  for (std::uint32_t vc = 0; vc < inputs_.size(); ++vc) {
    moves[vc] = inputs_[vc].head < 0 || is_node(port_of(vc).upstream);
  }
  // Calls `visit(output VC, VC downstream)` for those that a head may take until one says yes.
  const auto any = [&](std::uint32_t input_vc, auto&& visit) {
    const Packet& packet = packets_[inputs_[input_vc].head];
    const std::int32_t sw = switch_of(input_vc);
    if (is_at_end(packet, sw)) return true;
    return std::ranges::any_of((*min_ports_)(sw, packet.heading()), [&](int port) {
      const OutputPort& output = output_ports_[index(sw * ports_ + port)];
      const int vc = policy_.step(packet.vc_state, output.kind, packet.phase).first;
      return visit(sw * ports_ + port, vc, static_cast<std::uint32_t>(output.downstream + vc));
    });
  };
  const auto waiting = wait_cycle(
      std::move(moves),
      [&](std::uint32_t input_vc, const auto& known) {
        return any(input_vc, [&](std::int32_t output, int vc, std::uint32_t behind) {
          const OutputPort& port = output_ports_[index(output)];
          return has_credits(port, output, vc) || known[behind];
        });
      },
      [&](std::uint32_t input_vc) {
        std::uint32_t next = input_vc;
        any(input_vc, [&](std::int32_t, int, std::uint32_t behind) {
          next = behind;
          return true;
        });
        return next;
      });
  return buffers_at(network_, waiting, ports_, vcs_);
}

void Fabric::check(std::int32_t cycle, std::int64_t in_network) const {
  const auto require = [&](bool holds, const char* what) { PortFabric::require(holds, what, cycle); };
  std::vector<std::int32_t> granted(used_.size(), 0);  // packets towards each output VC without credit
  std::vector<std::int32_t> held(held_.size(), 0);
  std::int64_t packets = 0;
  arrivals_.for_each([&](const Arrival& arrival) {
    ++packets;
    ++granted[upstream_of(arrival.input_vc)];
  });
  credits_.for_each([&](std::uint32_t output_vc) { ++granted[output_vc]; });
  for (std::uint32_t vc = 0; vc < inputs_.size(); ++vc) {
    std::int32_t here = length(inputs_[vc]);
    const InputPort& from = port_of(vc);
    const bool of_node = is_node(from.upstream);
    if (of_node && vc % static_cast<unsigned>(vcs_) == 0) {
      const std::int32_t behind = fifos_[index(node_of(from.upstream))].count;
      require(here + behind <= most_queued_ && (here == 1 || behind == 0), "an injection FIFO lost count");
      here += behind;
    }
    packets += here;
    held[index(switch_of(vc))] += here;
    if (!of_node && here > 0) granted[upstream_of(vc)] += here;
    const bool is_ready = (from.ready >> (vc % static_cast<unsigned>(vcs_))) & 1U;
    require(!is_ready || (here > 0 && !inputs_[vc].sleeps), "a head is not ready");
    require(is_ready || here == 0 || inputs_[vc].sleeps || from.busy_until > cycle,
            "a head is forgotten");
    require(!is_ready || is_active(switch_of(vc)), "a switch is forgotten");
    const std::int32_t output = switch_of(vc) * ports_ + inputs_[vc].port;
    require(here == 0 || !inputs_[vc].sleeps || !passes(inputs_[vc], output, cycle),
            "a head sleeps too long");
  }
  std::vector<std::int32_t> until(held_.size(), -1);
  for (std::int32_t output = 0; output < static_cast<std::int32_t>(output_ports_.size()); ++output) {
    const OutputPort& port = output_ports_[index(output)];
    std::int32_t before = kLongAgo;
    for (int place = 0; place < output_packets_; ++place) {
      const std::int32_t leaves =
          leaves_[index(output * output_packets_ + (port.oldest + place) % output_packets_)];
      require(before == kLongAgo || leaves >= before + phits_, "a link carries two packets");
      before = leaves;
    }
    require(before == port.last_leaves, "an output FIFO lost count");
    until[index(output / ports_)] = std::max(until[index(output / ports_)], before);
  }
  for (std::size_t vc = 0; vc < used_.size(); ++vc) {
    const OutputPort& port = output_ports_[vc / static_cast<std::size_t>(vcs_)];
    require(used_[vc] == granted[vc] * phits_, "credits lost count");
    require(port.downstream < 0 || used_[vc] <= port.buffer, "a buffer holds too much");
  }
  for (std::size_t sw = 0; sw < held.size(); ++sw) {
    require(held[sw] == held_[sw].inputs && until[sw] == held_[sw].until, "a switch lost count");
  }
  require(packets == in_network, "packets lost count");
}

}  // namespace tvlb::sim::fog
