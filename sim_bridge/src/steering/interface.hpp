// What routers and steerings tell each other.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "common/rng.hpp"
#include "topology.hpp"

namespace tvlb::sim {

class TableRoutes;

/// A MIN path (no intermediate) or a VLB path between two switches, as its draws name it.
struct Candidate {
  std::int32_t intermediate = -1;
  std::int32_t first_half = -1;   // name of the only or first half
  std::int32_t second_half = -1;  // of the second half
  int hops = 0;                   // none: there is no such path; -1: not counted
};

/// What a packet goes by, kept until a steering chooses anew.
struct Choice {
  Candidate path;
  bool vlb = false;
  bool again = false;      // ask the steering again behind the first link
  std::uint8_t phase = 0;  // if its intermediate is its first or last switch: 1 takes the VCs of the
                           // way on from one
  std::uint8_t level = 0;  // of detours, from the shortest; see misrouting/levels.hpp
  bool to_group = false;   // passes any switch of its intermediate's group instead
  std::int16_t port = -1;  // that it leaves by, -1 for any
  bool was_vlb = false;    // it or an earlier one of the packet was `vlb`; kept by routers
};

/// The head of a queue, as a steering sees it.
struct Head {
  std::int32_t sw;              // where it is
  std::int32_t target;          // the switch of its destination
  std::int32_t taken = kAbsent;  // the link that led it there
  std::int32_t destination = kAbsent;  // its node, told by input-queued routers
  const Choice* before = nullptr;  // what it went by until now, told to `attempt`; none at first
};

/// Whether a steering takes VLB paths.
enum class Detours : std::uint8_t {
  never,
  always,    // wherever a pair has one
  adaptive,  // as the queues say
  split,     // as often as the shares of a split say
};

/// The switches of which a decision looks at the queues. Steerings are asked on several threads at once but
/// for those that say `network` and decide behind the first switch, too.
enum class Reach : std::uint8_t {
  own_switch,
  second_switch,  // and that behind the first link of a MIN path
  network,
};

/// An argument of a steering: one of some words, the first one where it is left out, or a whole number
/// that is given by its key.
struct Parameter {
  std::string_view key;
  std::vector<std::string_view> words;  // none: a number
  int usual = 0;                        // number where it is left out
  int low = 0;
  int high = 0;
  std::vector<std::string_view> only_with{};  // words without any of which it cannot be given

  static Parameter number(std::string_view key, int usual, int low, int high,
                          std::vector<std::string_view> only_with = {}) {
    return {key, {}, usual, low, high, std::move(only_with)};
  }
};

/// What a steering is made from. Of every parameter the number, or the position of the word given; the
/// routes of a forwarding table where it follows one, and how many of its layers have VCs of their own;
/// and how many path sets a run has.
struct Setup {
  const Topology& network;
  std::span<const int> arguments;
  const TableRoutes* routes = nullptr;
  int layers = 1;
  int path_sets = 1;
};

template <class Type>
[[nodiscard]] Type made(const Setup& setup) {
  if constexpr (requires { Type(setup); }) return Type(setup);
  else return Type();
}

// Which hooks a steering has (steering.hpp), for the view of a router.
template <class T, class View>
concept Starts = requires(T t, const View& v, const Head& h, Draws& d) { t.start(v, h, d); };
template <class T, class View>
concept Attempts = requires(T t, const View& v, const Head& h, Draws& d) { t.attempt(v, h, d); };
template <class T, class View>
concept Arrives = requires(T t, const View& v, const Head& h, Draws& d) { t.arrive(v, h, d); };
template <class T>
concept Follows = requires(const T& t, const Head& h, void (*append)(std::int32_t)) {
  { t.follow(h, append) } -> std::same_as<int>;
};
template <class T, class View>
concept Ticks = requires(T t, const View& v) { t.tick(v, 0); };

/// How far a steering looks: as it says, or anywhere if it looks at all.
template <class Type, class View>
[[nodiscard]] constexpr Reach reach_of() {
  if constexpr (requires { Type::kReach; }) return Type::kReach;
  constexpr bool looks =
      Starts<Type, View> || Attempts<Type, View> || Arrives<Type, View> || Ticks<Type, View>;
  return looks ? Reach::network : Reach::own_switch;
}

/// Of the views of all routers: what ports lead to.
class NetworkView {
 public:
  explicit NetworkView(const Topology& network) : network_(network) {}

  /// Of the link at an output port; -1 for that of a node.
  [[nodiscard]] int kind(std::int32_t sw, std::int32_t port) const {
    const std::int32_t link = network_.output_link(sw, port);
    return link < 0 ? -1 : network_.link(link).kind;
  }
  [[nodiscard]] std::int32_t group(std::int32_t sw) const { return network_.group(sw); }

 protected:
  const Topology& network_;
};

}  // namespace tvlb::sim
