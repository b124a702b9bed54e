// Python module sim_bridge._core: arrays in, plain records out. Runs hold no Python lock.
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <concepts>
#include <tuple>
#include <type_traits>

#include "bindings.hpp"
#include "paths/dragonfly/samplers.hpp"
#include "paths/dragonfly/shape_paths.hpp"
#include "paths/explicit_rows.hpp"
#include "paths/families.hpp"
#include "paths/min_halves.hpp"
#include "paths/rule_paths.hpp"
#include "paths/shortcut_sampler.hpp"
#include "paths/table_routes.hpp"
#include "routers/iq/simulator.hpp"
#include "routers/iq/statistics.hpp"
#include "steering/steering.hpp"

namespace nb = nanobind;
using binding::Array;
using binding::Unlocked;
using binding::copy;
using binding::view;

template <>
std::vector<tvlb::sim::Steering>& tvlb::Registry<tvlb::sim::Steering>::members() {
  static std::vector<sim::Steering> all;
  return all;
}

namespace tvlb::sim {
namespace {

void bind_traffic(nb::module_& module) {
  nb::class_<Traffic>(module, "Traffic")
      .def(
          "__init__",
          [](Traffic* self, const Network& network, const Array<double>& rate,
             const Array<double>& uniform_fraction, const Array<std::int32_t>& destination,
             const Array<std::int32_t>& matrix_row, const Array<std::int64_t>& matrix_offset,
             const Array<std::int32_t>& matrix_target, const Array<double>& matrix_cumulative,
             bool matrix_target_is_switch, bool uniform_to_others, bool matrix_to_others) {
            new (self) Traffic(
                network, {copy(rate), copy(uniform_fraction), copy(destination), copy(matrix_row),
                          copy(matrix_offset), copy(matrix_target), copy(matrix_cumulative),
                          matrix_target_is_switch, uniform_to_others, matrix_to_others});
          },
          nb::arg("network"), nb::kw_only(), nb::arg("rate"), nb::arg("uniform_fraction"),
          nb::arg("destination"), nb::arg("matrix_row"), nb::arg("matrix_offset"),
          nb::arg("matrix_target"), nb::arg("matrix_cumulative"),
          nb::arg("matrix_target_is_switch"), nb::arg("uniform_to_others"),
          nb::arg("matrix_to_others"), Unlocked())
      .def(
          "draw_destinations",
          [](const Traffic& self, const Network& network, int node, std::uint64_t seed, int count) {
            Stream stream(seed, Purpose::destination, static_cast<std::uint64_t>(node));
            std::vector<int> drawn(static_cast<std::size_t>(count));
            for (int& one : drawn) one = self.draw_destination(network, node, stream);
            return drawn;
          },
          nb::arg("network"), nb::arg("node"), nb::arg("seed"), nb::arg("count"), Unlocked())
      .def_prop_ro("max_rate", &Traffic::max_rate);
}

nb::object draw_once(const PathSampler& sampler, int source, int target, std::uint64_t seed,
                     std::uint64_t number) {
  Stream stream(seed, Purpose::route, number);
  Draws draws(stream);
  const auto triple = sampler.draw(source, target, draws);
  if (!triple) return nb::none();
  return nb::make_tuple(triple->intermediate, triple->first_half, triple->second_half);
}

void bind_samplers(nb::module_& module) {
  nb::class_<PathSampler>(module, "PathSampler")
      .def(
          "pairs_without_path",
          [](const PathSampler& self, const Array<std::int32_t>& sources,
             const Array<std::int32_t>& targets) {
            return pairs_without_path(self, view(sources), view(targets));
          },
          nb::arg("sources"), nb::arg("targets"), Unlocked())
      .def("draw", &draw_once, nb::arg("source"), nb::arg("target"), nb::arg("seed"),
           nb::arg("number"));
  nb::class_<ExplicitRows, PathSampler>(module, "ExplicitRows")
      .def(
          "append",
          [](ExplicitRows& self, const Array<std::int32_t>& sources,
             const Array<std::int32_t>& targets, const Array<std::int64_t>& offset,
             const Array<std::int32_t>& intermediate, const Array<std::int32_t>& first_link,
             const Array<std::int32_t>& second_link, const Array<double>& cumulative) {
            self.append({view(sources), view(targets), view(offset), view(intermediate),
                         view(first_link), view(second_link), view(cumulative)});
          },
          nb::kw_only(), nb::arg("sources"), nb::arg("targets"), nb::arg("offset"),
          nb::arg("intermediate"), nb::arg("first_link"), nb::arg("second_link"),
          nb::arg("cumulative"), Unlocked())
      .def("finish", &ExplicitRows::finish, Unlocked());
}

void bind_table_routes(nb::module_& module) {
  using Entries = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
  using Layers = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
  nb::class_<TableRoutes>(module, "TableRoutes")
      .def(
          "__init__",
          [](TableRoutes* self, const Topology& network, const Entries& links, const Layers& layers) {
            new (self) TableRoutes(network, {links.data(), links.size()},
                                   {layers.data(), layers.size()});
          },
          nb::arg("network"), nb::arg("links"), nb::arg("layers"), nb::keep_alive<1, 2>(), Unlocked())
      .def_prop_ro("most_hops", &TableRoutes::most_hops)
      .def(
          "needs",
          [](const TableRoutes& self, const vc::Table& vcs, const std::vector<int>& cycles) {
            const auto needs = binding::unlocked([&] { return self.needs(vcs, cycles); });
            return std::pair(needs.vcs, needs.cycles);
          },
          nb::arg("vcs"), nb::arg("cycles"))
      .def("add_dependencies", &TableRoutes::add_dependencies, nb::kw_only(), nb::arg("vcs"),
           nb::arg("layers"), nb::arg("vc_count"), nb::arg("graph"), Unlocked());
}

template <class Family, class Sampler, class Rule>
void bind_rule_sampler(nb::module_& module) {
  module.def("rule_sampler", [](const Family& network, const Rule& rule) -> PathSampler* {
    if constexpr (std::derived_from<Sampler, PathSampler>) {
      return new Sampler(network, rule);
    } else {
      if constexpr (requires { rule.is_compact(); }) {
        if (!rule.is_compact()) return new RulePaths<Family>(network, rule);
      }
      return new Bound<Family, Sampler>(network, rule);
    }
  }, nb::arg("network"), nb::arg("rule"), nb::rv_policy::take_ownership, nb::keep_alive<0, 1>(),
             Unlocked());
}

// What draws from whole sets without listing them: what a family has of its own comes first.
void bind_rule_samplers(nb::module_& module) {
  module.def("rule_sampler", [](const Topology&, const EmptyRule&) -> PathSampler* {
    return new NoPaths;
  }, nb::arg("network"), nb::arg("rule"), nb::rv_policy::take_ownership);
  bind_rule_sampler<Dragonfly, AllTriples, AllRule>(module);
  bind_rule_sampler<Dragonfly, ShapePaths, ShapeRule>(module);
  bind_rule_sampler<Dragonfly, ShortHalves, ShortRule>(module);
  bind_rule_sampler<ShortestPaths, ShortcutSampler, ShortcutRule>(module);
  const auto bind_general = [&]<class... Family>(std::type_identity<std::tuple<Family...>>) {
    (bind_rule_sampler<Family, RulePaths<Family>, AllRule>(module), ...);
    (bind_rule_sampler<Family, RulePaths<Family>, ShapeRule>(module), ...);
    (bind_rule_sampler<Family, RulePaths<Family>, ShortRule>(module), ...);
  };
  bind_general(std::type_identity<OverFamilies<std::tuple>>{});
}

int most_hops(const Topology& network, const Steering& steering, const Config& config) {
  if (steering.follows_table) {
    if (config.routes == nullptr || &config.routes->network() != &network || config.layers < 1 ||
        config.layers > config.vc_count) {
      throw std::invalid_argument("a steering follows a forwarding table of another network, or none");
    }
    return config.routes->most_hops();
  }
  const int halves = steering.facts.detours == Detours::never ? 1 : 2;
  return halves * network.half_links() + static_cast<int>(steering.decides_again);
}

// What every family has.
template <class... Family>
struct FamilyBindings {
  static void bind(nb::module_& module) { (bind_one<Family>(module), ...); }

 private:
  template <class Each>
  static void bind_one(nb::module_& module) {
    module.def(
        "explicit_rows",
        [](const Each& network, std::size_t expected, bool weighted) -> ExplicitRows* {
          return new ExplicitRowsOf<Each>(network, expected, weighted);
        },
        nb::arg("network"), nb::kw_only(), nb::arg("expected"), nb::arg("weighted"),
        nb::rv_policy::take_ownership, nb::keep_alive<0, 1>(), Unlocked());
    module.def(
        "simulate",
        [](const Each& network, const Traffic& traffic,
           const std::vector<const PathSampler*>& samplers, const Config& config, StopFlag& stop) {
          const Steering& steering = Steerings::find(config.routing);
          const int hops = most_hops(network, steering, config);
          const auto make = std::get<RouteMaker<Each>>(steering.routes);
          const auto routes = [&](CreditView credits) {
            return make(network, samplers, config, credits);
          };
          return simulate(network, traffic, {hops, static_cast<int>(samplers.size()), routes}, config,
                          stop);
        },
        nb::arg("network"), nb::arg("traffic"), nb::arg("samplers"), nb::arg("config"),
        nb::arg("stop"), Unlocked());
    module.def(
        "simulate_vct",
        [](const Each& network, const Traffic& traffic,
           const std::vector<const PathSampler*>& samplers, const vct::Config& config, StopFlag& stop,
           const vct::Watch& watch) {
          const Steering& steering = Steerings::find(config.routing);
          const auto make = std::get<vct::PathMaker<Each>>(steering.cut_through_paths);
          if (2 * network.half_links() + static_cast<int>(steering.decides_again) > kMaxHops) {
            throw std::invalid_argument("routes are too long");
          }
          const auto paths = [&](const vct::Fabric& fabric, const std::int32_t& cycle) {
            return make(network, samplers, config, fabric, cycle);
          };
          return vct::simulate_paths(network, traffic, paths, config, stop, watch);
        },
        nb::arg("network"), nb::arg("traffic"), nb::arg("samplers"), nb::arg("config"),
        nb::arg("stop"), nb::arg("watch").none(), Unlocked());
  }
};

void bind_steerings(nb::module_& module) {
  nb::enum_<Detours>(module, "Detours")
      .value("NEVER", Detours::never)
      .value("ALWAYS", Detours::always)
      .value("ADAPTIVE", Detours::adaptive)
      .value("SPLIT", Detours::split);
  nb::class_<Parameter>(module, "Parameter")
      .def_ro("key", &Parameter::key)
      .def_ro("words", &Parameter::words)
      .def_ro("usual", &Parameter::usual)
      .def_ro("low", &Parameter::low)
      .def_ro("high", &Parameter::high)
      .def_ro("only_with", &Parameter::only_with);
  nb::class_<Steering>(module, "Steering")
      .def_ro("name", &Steering::name)
      .def_ro("parameters", &Steering::parameters)
      .def_prop_ro("takes_input_queues",
                   [](const Steering& self) { return std::get<0>(self.routes) != nullptr; })
      .def_prop_ro("takes_cut_through",
                   [](const Steering& self) { return self.cut_through != nullptr; })
      .def_prop_ro("takes_cut_through_paths",
                   [](const Steering& self) { return std::get<0>(self.cut_through_paths) != nullptr; })
      .def_prop_ro("takes_misrouting",
                   [](const Steering& self) { return self.misrouting != nullptr; })
      .def_ro("decides_again", &Steering::decides_again)
      .def_prop_ro("detours", [](const Steering& self) { return self.facts.detours; })
      .def_ro("compares_first_queues", &Steering::compares_first_queues)
      .def_ro("follows_table", &Steering::follows_table)
      .def_ro("attempts", &Steering::attempts)
      .def_prop_ro("seconds_per_packet",
                   [](const Steering& self) { return self.facts.seconds_per_packet; });
  module.def("steerings", [] {
    return std::vector<Steering>(Steerings::all().begin(), Steerings::all().end());
  });
}

// Every setting by name, and nothing else.
template <class Type>
void bind_config(nb::module_& module, const char* name) {
  nb::class_<Type>(module, name).def("__init__", [](Type* self, const nb::kwargs& given) {
    new (self) Type();
    std::size_t settings = 0;
    const auto read = [&]<class Value>(const char* setting, Value& value) {
      value = nb::cast<Value>(nb::object(given[setting]));
      ++settings;
    };
    self->RunConfig::visit_settings(read);
    self->visit_settings(read);
    if (given.size() != settings) throw nb::type_error("a setting that the core does not know");
  });
}

// The virtual cut-through router.
void bind_vct(nb::module_& module) {
  bind_config<vct::Config>(module, "VctConfig");
  nb::class_<MinPorts>(module, "MinPorts")
      .def(nb::init<const Topology&>(), nb::arg("network"),
           Unlocked())
      .def("ports", [](const MinPorts& self, int from, int to) {
        const auto ports = self(from, to);
        return std::vector<int>(ports.begin(), ports.end());
      }, nb::arg("source"), nb::arg("target"))
      .def_prop_ro("longest", &MinPorts::longest)
      .def("halves", &MinPorts::halves, nb::arg("network"), Unlocked())
      .def("add_dependencies", [](const MinPorts& self, const Network& network, const Array<std::uint16_t>& then,
                                  const Array<std::uint16_t>& part, std::size_t parts,
                                  const Array<std::uint16_t>& starts, bool begins,
                                  vc::DependencyGraph& graph) {
        self.add_dependencies(network, {view(then), view(part), parts, view(starts), begins}, graph);
      }, nb::arg("network"), nb::arg("then"), nb::arg("part"), nb::arg("parts"), nb::arg("starts"),
         nb::arg("begins") = false, nb::arg("graph"), Unlocked());
  nb::class_<MinHalves>(module, "MinHalves")
      .def(nb::init<const Topology&, bool>(), nb::arg("network"), nb::arg("decides_again"),
           nb::keep_alive<1, 2>())
      .def_prop_ro("longest", &MinHalves::longest)
      .def("halves", [](const MinHalves& self, const Network&) { return self.halves(); }, nb::arg("network"))
      .def("add_dependencies", [](const MinHalves& self, const Network&, const Array<std::uint16_t>& then,
                                  const Array<std::uint16_t>& part, std::size_t parts,
                                  const Array<std::uint16_t>& starts, bool begins,
                                  vc::DependencyGraph& graph) {
        self.add_dependencies({view(then), view(part), parts, view(starts), begins}, graph);
      }, nb::arg("network"), nb::arg("then"), nb::arg("part"), nb::arg("parts"), nb::arg("starts"),
         nb::arg("begins") = false, nb::arg("graph"), Unlocked());
  module.def(
      "simulate_vct",
      [](const Topology& network, const Traffic& traffic, const MinPorts& min_ports,
         const vct::Config& config, StopFlag& stop, const vct::Watch& watch) {
        return Steerings::find(config.routing).cut_through(network, traffic, min_ports, config,
                                                           stop, watch);
      },
      nb::arg("network"), nb::arg("traffic"), nb::arg("min_ports"), nb::arg("config"),
      nb::arg("stop"), nb::arg("watch").none(), Unlocked());
}

// The router with misrouting policies.
void bind_fog(nb::module_& module) {
  bind_config<fog::Config>(module, "FogConfig");
  module.def(
      "simulate_fog",
      [](const Topology& network, const Traffic& traffic, const MinPorts& min_ports,
         const fog::Config& config, StopFlag& stop) {
        return Steerings::find(config.routing).misrouting(network, traffic, min_ports, config, stop);
      },
      nb::arg("network"), nb::arg("traffic"), nb::arg("min_ports"), nb::arg("config"),
      nb::arg("stop"), Unlocked());
}

void bind_trace(nb::module_& module) {
  nb::class_<TraceHop>(module, "TraceHop")
      .def_ro("sw", &TraceHop::sw)
      .def_ro("port", &TraceHop::port)
      .def_ro("vc", &TraceHop::vc)
      .def_ro("departure", &TraceHop::departure);
  nb::class_<Trace>(module, "Trace")
      .def_ro("source", &Trace::source)
      .def_ro("destination", &Trace::destination)
      .def_ro("created", &Trace::created)
      .def_ro("injected", &Trace::injected)
      .def_ro("delivered", &Trace::delivered)
      .def_ro("took_vlb", &Trace::took_vlb)
      .def_ro("hops", &Trace::hops);
  nb::class_<Buffer>(module, "Buffer").def_ro("link", &Buffer::link).def_ro("vc", &Buffer::vc);
}

void bind_run(nb::module_& module) {
  module.attr("CHECKS_EVERY_CYCLE") = kChecksEveryCycle;
  nb::class_<StopFlag>(module, "StopFlag")
      .def(nb::init<>())
      .def("set", [](StopFlag& self) { self.requested.store(true); })
      .def("is_set", [](const StopFlag& self) { return self.requested.load(); })
      .def_prop_ro("cycles_done", [](const StopFlag& self) { return self.cycles_done.load(); });
  module.def("mser_truncation", [](const Array<double>& values) {
    return mser_truncation(view(values));
  }, nb::arg("values"));
  OverFamilies<FamilyBindings>::bind(module);
}

}  // namespace
}  // namespace tvlb::sim

NB_MODULE(_core, module) {
  // Networks are of its types.
  nb::module_::import_("tvlb.native.kernels");
  module.doc() = "Cycle-level flit simulator: the compiled core of sim_bridge.";
  tvlb::sim::bind_traffic(module);
  tvlb::sim::bind_samplers(module);
  tvlb::sim::bind_rule_samplers(module);
  tvlb::sim::bind_table_routes(module);
  tvlb::sim::bind_steerings(module);
  tvlb::sim::bind_config<tvlb::sim::Config>(module, "Config");
  tvlb::sim::bind_trace(module);
  tvlb::sim::bind_run(module);
  tvlb::sim::bind_vct(module);
  tvlb::sim::bind_fog(module);
  module.attr("MAX_PORTS") = tvlb::sim::kMaxPorts;
  module.attr("MAX_VCT_VCS") = tvlb::sim::vct::kMaxVcs;
  module.attr("NEVER") = tvlb::sim::kNever;
  module.attr("MAX_HOPS") = tvlb::sim::kMaxHops;
}
