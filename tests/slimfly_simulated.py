"""Simulated Slim Flies as the rows of tests/data/slimfly.csv ask for them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sim_bridge import Scenario, SimulationConfig
from tests.slimfly_reference import Row
from tvlb.paths import parse_expression
from tvlb.traffic import parse_pattern


@dataclass(frozen=True)
class Case:
    """What a reference tells of one thing: a row of it, and all figures."""

    row: Row
    figures: dict[str, str]

    @property
    def name(self) -> str:
        """That of its row without the figure."""
        return str(self.row).removesuffix(f"-{self.row.item}")

    @property
    def values(self) -> dict[str, float]:
        """The figures as numbers."""
        return {name: float(one) for name, one in self.figures.items()}

    def found_in(self, figures: Mapping[str, float]) -> dict[str, float | None]:
        """Return our figures of the same names; None where there is none."""
        return {name: figures.get(name) for name in self.figures}

    @property
    def settings(self) -> dict[str, str]:
        """Windows and router."""
        return dict(one.split("=") for one in self.row.params.split(";"))

    @property
    def config(self) -> SimulationConfig:
        """The same as the simulator takes it."""
        settings = self.settings
        latency = int(settings["L"])
        return SimulationConfig(
            warmup_cycles=int(settings["warmup"]),
            measured_cycles=int(settings["window"]),
            drain_limit_cycles=int(settings.get("drain", 20_000)),
            vc_count=int(settings["vcs"]),
            buffer_flits=int(settings["B"]),
            local_latency=latency,
            global_latency=latency,
            ugal_rule=settings["rule"],
            queue=settings["queue"],
        )

    def scenario(self, seed: int) -> Scenario:
        """Return what is run at some load."""
        row = self.row
        path_set = parse_expression(row.path_set, row.topology)
        return Scenario(row.topology, row.routing, path_set, parse_pattern(row.pattern), seed)

    def __str__(self) -> str:
        row = self.row
        texts = (f"slimfly({row.q})", row.routing, row.path_set, row.pattern, row.load)
        rule = f"{self.settings['rule']}/{self.settings['queue']}"
        return " ".join((*texts, rule, self.settings["source"]))


def cases_of(rows: Iterable[Row]) -> list[Case]:
    """Gather the figures of each run."""
    found: dict[tuple[object, ...], Case] = {}
    for row in rows:
        key = (row.q, row.xi, row.p, row.pattern, row.path_set, row.routing, row.load, row.params)
        found.setdefault(key, Case(row, {})).figures[row.item] = row.value
    return list(found.values())


def allowed_deviations(wanted: dict[str, float]) -> dict[str, float]:
    """Return by how much each figure may be off."""
    latency = wanted["latency_mean"]
    if latency > 150:
        return {"accepted": 0.02 * wanted["accepted"]}
    of_latency, of_hops, of_share = (
        (0.01, 0.01, 0.01) if latency < 60
        else (0.02, 0.01, 0.01) if latency < 70
        else (0.10, 0.015, 0.02)
    )  # fmt: skip
    found = {"latency_mean": of_latency * latency, "hops_mean": of_hops * wanted["hops_mean"]}
    return found | ({"vlb_share": of_share} if "vlb_share" in wanted else {})
