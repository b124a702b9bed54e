// Policies of virtual channels, hop by hop: which VCs a packet may take on its next link. A policy
// is one source file in this folder: a function and a Registration of it.
// Reference: VC management of low-diameter networks, the paper of docs/virtual-cut-through.md.
#pragma once

#include <cstdint>
#include <string_view>

#include "../packet.hpp"
#include "registry.hpp"

namespace tvlb::sim::vct {

/// VCs of a port, a bit each.
using VcMask = std::uint16_t;
inline constexpr int kMaxVcs = 16;

[[nodiscard]] constexpr VcMask first_vcs(int count) {
  return static_cast<VcMask>((std::uint32_t{1} << count) - 1);
}

struct VcLimits {
  int count;          // VCs of a port
  bool splits_local;  // local links before the global link of a phase close cycles with those after
};

using AllowedVcs = VcMask (*)(const Progress& packet, bool is_global, const VcLimits& limits);

struct Policy {
  std::string_view name;
  int place;  // in lists of policies
  AllowedVcs allowed;
};

using Policies = Registry<Policy>;

/// A static object of this type makes a policy known.
struct PolicyRegistration {
  PolicyRegistration(std::string_view name, int place, AllowedVcs allowed) {
    Policies::add({name, place, allowed});
  }
};

}  // namespace tvlb::sim::vct
