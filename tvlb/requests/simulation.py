"""The document of simulated loads and saturation searches: `tvlb simulate --json`.

Every router has a class of its own, made of what it declares (`tvlb.requests.routers`).
"""

from collections.abc import Mapping, Sequence
from functools import cache
from math import nan
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, create_model, model_validator

from sim_bridge import RunResult, Simulated, SimulationRequest, half_width
from tvlb.documents import Document, versions
from tvlb.languages import Whole
from tvlb.languages.figures import OVER_SEEDS, Figure, figures
from tvlb.requests.common import (
    Count,
    Load,
    NonNegative,
    OptionalKey,
    PatternText,
    Seed,
    TopologyText,
    Versions,
    drop_default,
)
from tvlb.requests.examples import example
from tvlb.requests.figures import key_of, there, told_of
from tvlb.requests.routers import Router, router_named
from tvlb.requests.settings import written
from tvlb.topology import Topology
from tvlb.traffic import idle_warnings

_SEARCH_KEYS = ("saturation_load", "saturation_ci95", "saturation_by_seed", "saturation_runs")


class Run(Document):
    """One run; the routers have classes of their own."""

    load: Load
    seed: Seed

    @classmethod
    def of(cls, result: RunResult, topology: Topology) -> Self:
        """Describe the result of a run."""
        known = figures(type(result))
        told = {name: told_of(one, result, topology) for name, one in known.items()}
        for one in known.values():
            if one.interval:
                told[one.interval] = getattr(result, one.interval, nan)
        more = {"load": result.load, "seed": result.seed, "population": result.population[0]}
        return cls.model_validate(there(more | told, known))


class Runs(Document):
    """One load with several seeds: means, totals, and intervals from seed to seed."""

    load: Load

    @classmethod
    def of(cls, results: Sequence[RunResult], runs: Sequence[Run]) -> Self:
        """Describe the results of one load; `runs` are their documents."""
        told: dict[str, Any] = {"load": results[0].load, "population": results[0].population[0]}
        for name, one in figures(type(results[0])).items():
            values = [getattr(result, name) for result in results]
            if one.over_seeds:
                told[name] = OVER_SEEDS[one.over_seeds](values)
            if one.over_seeds == "most":
                told[f"{name}_runs"] = values.count(True)
                if one.null is not None:
                    told[f"{name}_unknown_runs"] = values.count(None)
            if one.interval:
                told[one.interval] = half_width(np.array(values, dtype=np.float64))
        return cls.model_validate(there({**told, "runs": runs}, figures(type(results[0]))))


def _run_models(router: Router) -> tuple[type[Run], type[Runs]]:
    """Return the documents of a run of a router, and of runs that differ in the seed."""
    known = router.figures.values()
    # A mean of whole numbers is not one of what a run has.
    means = [one for one in known if one.over_seeds == "mean" and not isinstance(one.kind, Whole)]
    others = [one for one in known if one not in means]
    name, population = router.result.population
    shared: dict[str, Any] = {
        "load": (Load, Field(description=f"Offered load, {router.load_unit}.")),
        **{one.name: key_of(one) for one in means},
        "population": router.key(Literal[name], f"Whose latency and hops are told: {population}."),
        **{one.interval: _interval(one, router) for one in known if one.interval},
    }
    single = {one.name: key_of(one) for one in others}
    run = _made(Run, f"{router.prefix}Run", router.result.about, shared | single)
    # What changes its meaning over seeds comes last.
    told = sorted(
        (one for one in others if one.over_seeds), key=lambda one: one.over_seeds != "sum"
    )
    several = {name: key for one in told for name, key in _keys_over_seeds(one).items()}
    runs = tuple[run, ...], Field(min_length=2, description="The single runs, by seed.")
    keys = shared | several | {"runs": runs}
    return run, _made(Runs, f"{router.prefix or 'Simulated'}Runs", str(Runs.__doc__), keys)


def _made(base: Any, name: str, text: str, keys: Mapping[str, Any]) -> Any:
    return create_model(name, __base__=base, __doc__=text, **keys)


def _interval(one: Figure, router: Router) -> Any:
    unit = "in its unit" if one.unit == router.load_unit else one.unit
    return NonNegative, Field(
        description=f"Half the 95% confidence interval of {one.name}, {unit}; null where it cannot "
        "be told."
    )


def _keys_over_seeds(one: Figure) -> dict[str, Any]:
    """Return the keys of what is told of several runs."""
    if one.over_seeds == "mean":
        text = f"Mean {one.text[0].lower()}{one.text[1:]}."
        return {one.name: (float, Field(ge=0.0, description=text))}
    if one.over_seeds == "most":
        counted = Field(description=f"How many of the runs are {one.name}.")
        keys = {one.name: key_of(one), f"{one.name}_runs": (Count, counted)}
        if one.null is not None:
            unknown = Field(
                default=None, description=f"Of how many of them it is null, {one.null}."
            )
            keys[f"{one.name}_unknown_runs"] = OptionalKey[Count], unknown
        return keys
    return {one.name: key_of(one)}


class SimulatedDocument(Document):
    """Simulated loads; `simulation_document` has the class of a router."""

    model: ClassVar[Router]
    one_run: ClassVar[type[Run]]
    several_runs: ClassVar[type[Runs]]
    if TYPE_CHECKING:
        rows: tuple[Any, ...]

    @classmethod
    def of(cls, request: SimulationRequest, simulated: Simulated) -> Self:
        """Describe what was simulated.

        Notes
        -----
        With one seed, a row describes its run. With several, a row has what is told of all of them,
        intervals from seed to seed, and the single runs under ``runs``.
        """
        scenario, model = request.scenario, cls.model
        topology, searches = scenario.topology, simulated.searches
        return cls.model_validate(
            {
                "topology": str(topology),
                "router": model.name,
                "load_unit": model.load_unit,
                "routing": scenario.routing,
                "pattern": str(scenario.pattern),
                "seed": scenario.seed,
                "seeds": request.seeds,
                "config": request.config,
                "warnings": (
                    *scenario.warnings(request.config),
                    *idle_warnings([scenario.pattern], topology, scenario.seed),
                ),
                "rows": [cls._row(results, topology) for results in simulated.results],
                "provenance": versions(),
                **model.described(request),
                **(cls._found(searches, topology) if searches else {}),
            }
        )

    @classmethod
    def _row(cls, results: Sequence[Any], topology: Topology) -> Document:
        runs = [cls.one_run.of(one, topology) for one in results]
        return runs[0] if len(runs) == 1 else cls.several_runs.of(results, runs)

    @classmethod
    def _found(cls, searches: Sequence[Any], topology: Topology) -> dict[str, Any]:
        loads = np.array([search.load for search in searches])
        runs = [cls.one_run.of(run, topology) for one in searches for run in one.evaluated]
        values = round(float(loads.mean()), 10), half_width(loads), loads.tolist(), runs
        return dict(zip(_SEARCH_KEYS, values, strict=True))


class _Searched(SimulatedDocument):
    """Also the saturation load if it was searched."""

    @model_validator(mode="after")
    def _all_or_none(self) -> Self:
        given = [key for key in _SEARCH_KEYS if key in self.model_fields_set]
        if len(given) not in (0, len(_SEARCH_KEYS)):
            raise ValueError(f"{', '.join(_SEARCH_KEYS)} come together; given: {', '.join(given)}")
        return self


@cache
def simulation_document(name: str) -> type[SimulatedDocument]:
    """Return the document of simulations by a router; the keys saturation_* come together."""
    model = router_named(name)
    run, runs = _run_models(model)
    document: Any = create_model(
        f"{model.prefix or 'Simulation'}Document",
        __base__=_Searched if model.is_searched else SimulatedDocument,
        __doc__=model.answers,
        **_keys(model, tuple[run | runs, ...]),
        **(_search_keys(model, run) if model.is_searched else {}),
    )
    document.model, document.one_run, document.several_runs = model, run, runs
    more: dict[str, Any] = {}
    if model.is_searched:
        more["dependentRequired"] = {key: list(_SEARCH_KEYS) for key in _SEARCH_KEYS}
    if model.example:
        more["examples"] = [example(model.example)]
    document.model_config["json_schema_extra"] = more
    return document


def _keys(model: Router, rows: Any) -> dict[str, Any]:
    searched = "; empty if only the saturation was searched" if model.is_searched else ""
    text = (
        "One entry per load, in the order asked for: the run, or with several seeds the figures "
        f"of all of them{searched}."
    )
    routing = written(model.options["routing"].kind)
    warnings = Field(description="What limits such runs beyond their routing.")
    return {
        "topology": (TopologyText, ...),
        "router": model.key(Literal[model.name], f"Model of the routers: {model.text}."),
        "load_unit": model.key(Literal[model.load_unit], "Unit of offered and accepted load."),
        "routing": (routing, Field(description="How a packet gets its route.")),
        **model.scenario_keys,
        "pattern": (PatternText, ...),
        "seed": (Seed, ...),
        "seeds": (int, Field(ge=1, description="Runs per load, with seeds seed, seed + 1, ...")),
        "config": (model.told_settings, ...),
        **model.proof_keys,
        "warnings": (tuple[str, ...], warnings),
        "rows": (
            rows,
            Field(min_length=None if model.is_searched else 1, description=text),
        ),
        "provenance": (Versions, ...),
    }


def _search_keys(model: Router, run: type[Run]) -> dict[str, Any]:
    def key(values: Any, text: str) -> Any:
        return OptionalKey[values], Field(default=None, description=text)

    interval = Field(
        default=None,
        json_schema_extra=drop_default,
        description=f"Half its 95% confidence interval from seed to seed, {model.load_unit}; null "
        "with a single seed.",
    )
    largest = "Largest sustained load"
    return {
        "saturation_load": key(Load, f"{largest}, mean over the seeds, {model.load_unit}."),
        "saturation_ci95": (NonNegative, interval),
        "saturation_by_seed": key(tuple[Load, ...], f"{largest} of every seed, {model.load_unit}."),
        "saturation_runs": key(tuple[run, ...], "Runs of the searches, by seed and rising load."),
    }
