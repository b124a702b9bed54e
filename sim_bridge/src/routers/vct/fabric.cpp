#include "fabric.hpp"

#include <utility>

#include "common/wait_cycle.hpp"

namespace tvlb::sim::vct {

Fabric::Fabric(const Topology& network, const MinPorts* min_ports, const Config& config)
    : PortFabric(network, min_ports, config, config.packet_phits, wheel_span(config), config.server_latency),
      input_packets_(config.input_packets()),
      output_packets_(static_cast<std::uint8_t>(config.output_packets())),
      outputs_(num_vcs_),
      starts_(config.queue.find("waiting") == std::string::npos ? 0 : num_vcs_,
              Starts(static_cast<std::size_t>(config.input_packets()))),
      waiting_(output_ports_.size() * words_, 0),
      changed_(index(network.num_switches()) * words_, 0),
      claims_(per_switch_, 0),
      winner_(per_switch_, 0),
      written_(wheel_span(config)),
      sent_(wheel_span(config)),
      credits_from_(wheel_span(config)),
      credits_(wheel_span(config)) {
  for (OutputPort& port : output_ports_) port.open = first_vcs(vcs_);
  for (std::int32_t sw = 0; sw < network.num_switches(); ++sw) {
    streams_.emplace_back(config.seed, Purpose::revision, static_cast<std::uint64_t>(sw));
  }
}

int Fabric::wheel_span(const Config& config) {
  const int latency = *std::ranges::max_element(config.latency);
  return config.packet_phits + std::max(latency, config.server_latency) + 1;
}

void Fabric::send(std::int32_t id, std::int32_t node, int vc, std::int32_t cycle) {
  const std::uint32_t first = input_of(node);
  arrivals_.push(cycle + port_of(first).credit_time, {id, first + static_cast<unsigned>(vc)});
}

template <class Visit>
void Fabric::for_each_choice(std::uint32_t input_vc, Visit&& visit) const {
  const InputVc& input = inputs_[input_vc];
  if (input.vcs != 0) {
    visit(static_cast<int>(input.port), input.vcs);
    return;
  }
  const Packet& packet = packets_[input.head];
  const std::int32_t sw = switch_of(input_vc);
  for (const std::uint8_t port : ports_on(input.head, sw)) {
    visit(static_cast<int>(port), allowed(packet, output_ports_[index(sw * ports_ + port)]));
  }
}

void Fabric::request(std::uint32_t input_vc) {
  InputVc& input = inputs_[input_vc];
  const Packet& packet = packets_[input.head];
  const std::int32_t sw = switch_of(input_vc);
  const auto ports = ports_on(input.head, sw);
  if (ports.empty()) {
    input.port = static_cast<std::uint8_t>(packet.destination - network_.first_node(sw));
    input.vcs = first_vcs(vcs_);
  } else {
    input.port = ports.front();
    const OutputPort& output = output_ports_[index(sw * ports_ + input.port)];
    input.vcs = ports.size() > 1 ? VcMask{0} : allowed(packet, output);
  }
  const std::uint32_t local = input_vc - static_cast<std::uint32_t>(sw) * per_switch_;
  for_each_choice(input_vc, [&](int port, VcMask) {
    word_of(waiting_, sw * ports_ + port, local) |= bit(local);
  });
  mark(input_vc);
}

void Fabric::withdraw(std::uint32_t input_vc) {
  const std::int32_t sw = switch_of(input_vc);
  const std::uint32_t local = input_vc - static_cast<std::uint32_t>(sw) * per_switch_;
  for_each_choice(input_vc, [&](int port, VcMask) {
    word_of(waiting_, sw * ports_ + port, local) &= ~bit(local);
  });
}

void Fabric::mark(std::uint32_t input_vc) {
  const std::int32_t sw = switch_of(input_vc);
  const std::uint32_t local = input_vc - static_cast<std::uint32_t>(sw) * per_switch_;
  word_of(changed_, sw, local) |= bit(local);
  activate(sw);
}

void Fabric::open(std::uint32_t output_vc) {
  const OutputVc& vc = outputs_[output_vc];
  if (vc.is_written || vc.held == output_packets_) return;
  const std::uint32_t number = output_vc / static_cast<unsigned>(vcs_);
  OutputPort& port = output_ports_[number];
  const auto bit = static_cast<VcMask>(1U << (output_vc % static_cast<unsigned>(vcs_)));
  if ((port.open & bit) != 0) return;
  port.open |= bit;
  const std::int32_t sw = switch_of(output_vc);
  std::uint64_t any = 0;
  for (std::size_t word = 0; word < words_; ++word) {
    const std::uint64_t heads = waiting_[number * words_ + word];
    changed_[index(sw) * words_ + word] |= heads;
    any |= heads;
  }
  if (any != 0) activate(sw);
}

void Fabric::make_due(std::uint32_t number) {
  OutputPort& port = output_ports_[number];
  if (port.is_due || port.sends || port.ready == 0) return;
  port.is_due = true;
  due_ports_.push_back(static_cast<std::int32_t>(number));
}

void Fabric::credit_back(std::uint32_t output_vc) {
  OutputVc& vc = outputs_[output_vc];
  --vc.uncredited;
  --vc.downstream;
  vc.credits_from = kNever;
  if (vc.head < 0) return;
  const std::uint32_t number = output_vc / static_cast<unsigned>(vcs_);
  output_ports_[number].ready |= static_cast<VcMask>(1U << (output_vc % static_cast<unsigned>(vcs_)));
  make_due(number);
}

std::int32_t Fabric::queue(std::int32_t sw, std::int32_t port, std::int32_t cycle) const {
  std::int32_t phits = 0;
  const auto first = static_cast<std::uint32_t>((sw * ports_ + port) * vcs_);
  for (std::uint32_t vc = first; vc < first + static_cast<unsigned>(vcs_); ++vc) phits += queue(vc, cycle);
  return phits;
}

// Packets of which the credits are not all back: a phit is in transit for a round trip from the cycle in
// which it left on, that one included.
std::int32_t Fabric::in_transit(std::uint32_t output_vc, std::int32_t cycle) const {
  const std::int32_t round_trip = 2 * output_ports_[output_vc / static_cast<unsigned>(vcs_)].latency;
  const auto packets = static_cast<std::size_t>(outputs_[output_vc].downstream);
  std::int32_t phits = 0;
  for (std::size_t before = 0; before < packets; ++before) {
    const std::int32_t age = cycle - starts_[output_vc][before];
    phits += std::clamp(age, 0, phits_) - std::clamp(age - round_trip + 1, 0, phits_);
  }
  return phits;
}

// The shortest queue among the open VCs, ties uniformly.
std::int64_t Fabric::choose(std::uint32_t input_vc, std::int32_t sw, std::int32_t cycle) {
  std::int64_t chosen = -1;
  std::int32_t shortest = kNever;
  std::uint32_t ties = 0;
  Stream& stream = streams_[index(sw)];
  const auto consider = [&](int port, VcMask vcs) {
    const OutputPort& output = output_ports_[index(sw * ports_ + port)];
    for (unsigned open = output.open & vcs; open != 0; open &= open - 1) {
      const int vc = std::countr_zero(open);
      const auto id = static_cast<std::uint32_t>((sw * ports_ + port) * vcs_ + vc);
      // A node takes all there is.
      const std::int32_t length = output.downstream < 0 ? 0 : queue(id, cycle);
      if (length > shortest) continue;
      ties = length < shortest ? 1 : ties + 1;
      shortest = length;
      if (ties == 1 || stream.below(ties) == 0) chosen = id;
    }
  };
  const InputVc& input = inputs_[input_vc];
  if (input.vcs == 0) {
    for_each_choice(input_vc, consider);
    return chosen;
  }
  const unsigned open = output_ports_[index(sw * ports_ + input.port)].open & input.vcs;
  if ((open & (open - 1)) != 0) {
    consider(input.port, input.vcs);
    return chosen;
  }
  return open == 0 ? -1 : (sw * ports_ + input.port) * vcs_ + std::countr_zero(open);
}

void Fabric::allocate_outputs(std::int32_t cycle) {
  for_each_active([&](std::int32_t sw) { allocate_at(sw, cycle); });
}

// Requests in a random order: of those for one output VC any is the first with equal probability.
void Fabric::allocate_at(std::int32_t sw, std::int32_t cycle) {
  const std::uint32_t first = static_cast<std::uint32_t>(sw) * per_switch_;
  for (std::size_t word = 0; word < words_; ++word) {
    std::uint64_t heads = changed_[index(sw) * words_ + word];
    changed_[index(sw) * words_ + word] = 0;
    for (; heads != 0; heads &= heads - 1) {
      const auto input_vc = first + static_cast<std::uint32_t>(word * kWordBits) +
                            static_cast<std::uint32_t>(std::countr_zero(heads));
      const std::int64_t wanted = choose(input_vc, sw, cycle);
      if (wanted < 0) continue;
      const auto output_vc = static_cast<std::uint32_t>(wanted);
      const std::uint32_t local = output_vc - first;
      if (++claims_[local] == 1 || streams_[index(sw)].below(claims_[local]) == 0) {
        winner_[local] = input_vc;
      }
      requests_.push_back({input_vc, output_vc});
    }
  }
  for (const Request& one : requests_) {
    if (winner_[one.output_vc - first] == one.input_vc) grant(one, cycle);
    else mark(one.input_vc);
  }
  for (const Request& one : requests_) claims_[one.output_vc - first] = 0;
  requests_.clear();
}

void Fabric::grant(const Request& request, std::int32_t cycle) {
  withdraw(request.input_vc);
  InputVc& input = inputs_[request.input_vc];
  const std::int32_t id = input.head;
  input.head = packets_[id].next;
  input.moves = true;
  input.granted = request.output_vc;
  written_.push(cycle + phits_, request.input_vc);

  const PortIn& from = port_of(request.input_vc);
  const std::uint32_t upstream = upstream_of(request.input_vc);
  credits_.push(cycle + phits_ - 1 + from.credit_time, upstream);
  if (!is_node(upstream)) {
    // All credits of the packet before are back by then only over a link of one cycle.
    if (from.credit_time == 1) outputs_[upstream].credits_from = cycle + 1;
    else credits_from_.push(cycle + from.credit_time, upstream);
  }

  OutputVc& output = outputs_[request.output_vc];
  const std::uint32_t number = request.output_vc / static_cast<unsigned>(vcs_);
  OutputPort& port = output_ports_[number];
  const auto bit = static_cast<VcMask>(1U << (request.output_vc % static_cast<unsigned>(vcs_)));
  port.open &= static_cast<VcMask>(~bit);
  output.is_written = true;
  output.written_from = cycle;
  ++output.held;
  append(output, id);
  if (port.downstream >= 0) {
    ++output.uncredited;
    if (output.downstream == input_packets_) return;
  }
  port.ready |= bit;
  make_due(number);
}

bool Fabric::can_leave(std::uint32_t input_vc, const std::vector<bool>& moves) const {
  const std::int32_t sw = switch_of(input_vc);
  bool found = false;
  for_each_choice(input_vc, [&](int port, VcMask vcs) {
    const OutputPort& output = output_ports_[index(sw * ports_ + port)];
    for (unsigned left = vcs; left != 0; left &= left - 1) {
      const int vc = std::countr_zero(left);
      const OutputVc& to = outputs_[index((sw * ports_ + port) * vcs_ + vc)];
      const bool drains = output.downstream < 0 || to.held < output_packets_ || output.sends ||
                          to.downstream < input_packets_ ||
                          moves[index(output.downstream + vc)];
      found = found || drains;
    }
  });
  return found;
}

std::vector<Buffer> Fabric::find_wait_cycle() const {
  std::vector<bool> moves(num_vcs_);
  for (std::uint32_t vc = 0; vc < num_vcs_; ++vc) moves[vc] = inputs_[vc].head < 0 || inputs_[vc].moves;
  const auto waiting = wait_cycle(
      std::move(moves), [&](std::uint32_t vc, const auto& known) { return can_leave(vc, known); },
      [&](std::uint32_t vc) {
        std::uint32_t next = vc;
        for_each_choice(vc, [&](int port, VcMask vcs) {
          next = static_cast<std::uint32_t>(
              output_ports_[index(switch_of(vc) * ports_ + port)].downstream + std::countr_zero(vcs));
        });
        return next;
      });
  return buffers_at(network_, waiting, ports_, vcs_);
}

void Fabric::check(std::int32_t cycle, std::int64_t in_network) const {
  const auto require = [&](bool holds, const char* what) { PortFabric::require(holds, what, cycle); };
  std::vector<std::int32_t> below(num_vcs_, 0);  // packets whose credits are due to each output VC
  std::int64_t packets = 0;
  arrivals_.for_each([&](const Arrival& arrival) {
    ++packets;
    const auto upstream = upstream_of(arrival.input_vc);
    if (!is_node(upstream)) ++below[upstream];
  });
  credits_.for_each([&](std::uint32_t vc) {
    if (!is_node(vc)) ++below[vc];
  });
  std::vector<std::int32_t> leaving(num_vcs_, 0);
  sent_.for_each([&](std::uint32_t vc) { ++leaving[vc]; });
  for (std::uint32_t vc = 0; vc < num_vcs_; ++vc) {
    const std::int32_t here = length(inputs_[vc]);
    packets += here;
    const auto upstream = upstream_of(vc);
    if (!is_node(upstream)) below[upstream] += here;
    require(here <= input_packets_, "an input buffer holds too much");
  }
  for (std::uint32_t vc = 0; vc < num_vcs_; ++vc) {
    const OutputVc& output = outputs_[vc];
    const OutputPort& port = output_ports_[vc / static_cast<unsigned>(vcs_)];
    const std::int32_t here = length(output);
    packets += here;
    require(output.held == here + leaving[vc], "an output buffer lost count");
    require(output.held <= output_packets_, "an output buffer holds too much");
    const bool is_open = (port.open >> (vc % static_cast<unsigned>(vcs_))) & 1U;
    require(is_open == (!output.is_written && output.held < output_packets_), "a VC is not open");
    if (port.downstream < 0) continue;
    require(output.downstream == below[vc], "credits lost count");
    require(output.uncredited == output.downstream + here, "a queue lost count");
    require(starts_.empty() || in_transit(vc, cycle) <= queue(vc, cycle), "more is in transit than queued");
  }
  require(packets == in_network, "packets lost count");
}

}  // namespace tvlb::sim::vct
