"""The columns of the result rows of a sweep: the one table of their types, units and meanings.

Those that only networks of some family have are declared by the family, see `tvlb.topology.Sizing`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tvlb.topology import SizeColumn, sized_families
from tvlb.topology.sizing import ValueType


@dataclass(frozen=True)
class ResultColumn:
    """A column of the result rows.

    Attributes
    ----------
    name : the name, unique.
    type : integer (64 bits, signed), number (float64), boolean or text (UTF-8).
    unit : unit of the values; empty where there is none.
    description : what the values mean.
    always : whether every point has a value, of those of a family every point of it; elsewhere null
        stands for what does not exist.
    """

    name: str
    type: ValueType
    unit: str
    description: str
    always: bool = False


_LOAD = "packets/cycle/node"
_SHARE = "share of all"
_MONEY = "currency"
_SETS = (("chosen", "chosen set"), ("all", "`all`"))
_GRID = ", never narrower than the grid of loads allows"
_TOGETHER = ", which holds for all compared sets together"


def _text(name: str, description: str, *, always: bool = False) -> ResultColumn:
    return ResultColumn(name, "text", "", description, always)


def _integer(name: str, unit: str, description: str, *, always: bool = False) -> ResultColumn:
    return ResultColumn(name, "integer", unit, description, always)


def _number(name: str, unit: str, description: str, *, always: bool = False) -> ResultColumn:
    return ResultColumn(name, "number", unit, description, always)


def _with_error(
    name: str, unit: str, description: str, patterns: str, note: str = ""
) -> tuple[ResultColumn, ...]:
    """Return the columns of a mean over patterns of this sort, of its error and its interval."""
    error = f"Its standard error over the {patterns} patterns."
    return (
        _number(name, unit, description),
        _number(f"{name}_sem", unit, error),
        *_ends(name, unit, note),
    )


def _with_interval(name: str, unit: str, description: str, note: str) -> tuple[ResultColumn, ...]:
    """Return the column of a figure, and those of the ends of its interval."""
    return _number(name, unit, description), *_ends(name, unit, note)


def _ends(name: str, unit: str, note: str) -> tuple[ResultColumn, ...]:
    return (
        _number(f"{name}_low", unit, f"Lower end of its 95% interval{note}."),
        _number(f"{name}_high", unit, f"Upper end of its 95% interval{note}."),
    )


def columns_of(
    names: Collection[str], results: Sequence[ResultColumn] | None = None
) -> tuple[ResultColumn, ...]:
    """Return the columns of a sweep over networks of these families, in order.

    Parameters
    ----------
    results : those of what is computed of the networks; None for those of tables.
    """
    sizings = {name: one.sizing for name, one in sized_families().items() if name in names}
    declared: dict[str, dict[str, SizeColumn]] = {}
    cables: set[str] = set()
    for name, sizing in sizings.items():
        assert sizing is not None
        cables |= {f"{kind}_cables" for kind in sizing.cables}
        for column in sizing.columns:
            declared.setdefault(column.name, {})[name] = column
    own = [_merged(by_family) for by_family in declared.values()]
    network = (
        *_POINT,
        *(column for column in own if column.name not in cables),
        *_SIZES,
        *(column for column in own if column.name in cables),
        *_NETWORK,
    )
    known = {column.name for column in network}
    found = _RESULTS if results is None else results
    return (*network, *(column for column in found if column.name not in known))


def _merged(by_family: Mapping[str, SizeColumn]) -> ResultColumn:
    """Return a column that families share; each says what it means unless they agree."""
    first, *_ = by_family.values()
    text = first.description
    if any(column.description != text for column in by_family.values()):
        told = (f"{name}: {column.description}" for name, column in by_family.items())
        text = " ".join(told)
    return ResultColumn(first.name, first.type, first.unit, text, always=True)


VERSION_COLUMN = _text("version", "Version of tvlb that computed the point.", always=True)
"""The last one."""
_POINT = (
    _integer("point", "", "Number of the point in the order of the sweep.", always=True),
    _text("key", "Key of the request, SHA-256 in hex.", always=True),
    _text("status", "succeeded or failed.", always=True),
    _text("error", "Why the point failed."),
    _text("topology", "Topology in the topology language.", always=True),
)
_SIZES = (
    _integer("nodes", "", "Compute nodes.", always=True),
    _integer("switches", "", "Switches.", always=True),
)
_NETWORK = (
    _integer("cables", "cables", "Cables between switches, local and global.", always=True),
    _number("switches_per_node", "switches/node", "Switches over compute nodes.", always=True),
    _number(
        "cables_per_node",
        "cables/node",
        "Cables between switches over compute nodes; the cable of the node itself not counted.",
        always=True,
    ),
    _text("currency", "What costs are in, as the sweep's prices say; null without prices."),
    _number("cost", _MONEY, "Switches and cables between them by the prices of the sweep."),
    _number("cost_per_node", "currency/node", "That over compute nodes."),
    _number("watts", "W", "Power of these switches and cables; null if prices do not say."),
)
_RESULTS = (
    *(
        _number(
            f"cost_per_flit_{name}",
            "currency/(packet/cycle)",
            f"Cost over what all nodes together have accepted at saturation, {of}: cost_per_node "
            f"over saturation_{name}.",
        )
        for name, of in _SETS
    ),
    *(
        _number(
            f"cost_per_common_{name}",
            "currency/(packet/cycle)",
            f"The same of common traffic, {of}: cost_per_node over common_{name}.",
        )
        for name, of in _SETS
    ),
    _text("routing", "Routing that will use the table.", always=True),
    _text("method", "search for weighted sets, or paper: Algorithm 1.", always=True),
    _text(
        "objective",
        "What makes a set good: saturation, latency@LOAD, worst-pattern, guaranteed or front.",
        always=True,
    ),
    _integer("seed", "", "Seed of everything random.", always=True),
    _text("options", "The other fields of the request, canonical JSON.", always=True),
    _integer("simulated_patterns", "", "Pairs of pattern and simulation seed behind each mean."),
    _integer("confirmed_candidates", "", "Candidates simulated closely enough to be chosen from."),
    _text("chosen", "Name of the chosen set, unique among those of the point."),
    _text("path_set", "VLB path set of the table."),
    _text("balancing", "How it was balanced: removal or weights; null if it was not."),
    ResultColumn("replaces_all", "boolean", "", "Whether a candidate was chosen instead of `all`."),
    _text(
        "verdict",
        "What the chosen set has over `all` or, where that was kept, the best candidate, in words "
        "of the table of verdicts.",
    ),
    *_with_error("theta_chosen", _LOAD, "Modelled throughput of the chosen set.", "modelled"),
    *_with_error("theta_all", _LOAD, "Modelled throughput of `all`.", "modelled"),
    _number("mean_vlb_hops_chosen", "hops", "Mean hops of a VLB path, chosen set."),
    _number("mean_vlb_hops_all", "hops", "Mean hops of a VLB path, `all`."),
    *(
        column
        for name, of in _SETS
        for column in _with_error(
            f"saturation_{name}",
            _LOAD,
            f"Simulated saturation throughput, {of}.",
            "simulated",
            _GRID,
        )
    ),
    *(
        column
        for name, of in _SETS
        for column in (
            _number(f"uniform_{name}", _LOAD, f"Saturation load of uniform(others), {of}."),
            _number(
                f"permutation_{name}",
                _LOAD,
                f"Of random permutations of the nodes (seeds 1 and 2), the mean, {of}.",
            ),
            _number(
                f"all_to_all_{name}",
                _LOAD,
                "Of an all-to-all exchange in order, node-shift(K) round by round: harmonic mean "
                f"over three drawn rounds, {of}.",
            ),
            _number(
                f"common_{name}",
                _LOAD,
                f"Mean of these three, which mean the same on all networks, {of}.",
            ),
            _number(
                f"worst_{name}",
                _LOAD,
                f"Smallest saturation load of any pattern that was simulated, {of}.",
            ),
            _text(f"worst_pattern_{name}", f"That pattern, {of}."),
        )
    ),
    *_with_interval(
        "saturation_gain",
        _SHARE,
        "Change of saturation throughput of the chosen set against `all`, paired by run, mean over "
        "the patterns; 0 by definition where `all` was kept.",
        _TOGETHER + _GRID,
    ),
    _number("reference_load", _LOAD, "Offered load at which latencies are compared."),
    *_with_error("latency_chosen", "cycles", "Mean latency at that load, chosen set.", "simulated"),
    *_with_error("latency_all", "cycles", "Mean latency at that load, `all`.", "simulated"),
    *_with_interval(
        "latency_change",
        _SHARE,
        "Change of latency at the reference load of the chosen set against `all`, paired by run, "
        "mean over the patterns; 0 by definition where `all` was kept.",
        _TOGETHER,
    ),
    *_with_interval(
        "vct_saturation_gain",
        _SHARE,
        "Change of what the chosen set accepts beyond saturation by virtual cut-through against "
        "`all`; null where only the input-queued router judges.",
        _TOGETHER,
    ),
    *_with_interval(
        "vct_latency_change",
        _SHARE,
        "The same of latency at the reference load.",
        _TOGETHER,
    ),
    _text(
        "best", "Confirmed candidate with the largest mean saturation throughput, chosen or not."
    ),
    *_with_interval(
        "best_saturation_gain",
        _SHARE,
        "Change of its saturation throughput against `all`, as measured, chosen or not.",
        _TOGETHER + _GRID,
    ),
    *_with_interval(
        "best_latency_change",
        _SHARE,
        "Change of its latency at the reference load against `all`, as measured.",
        _TOGETHER,
    ),
    _text(
        "found",
        "What a search for weighted sets found: the chosen set if it is among its answers, else "
        "the answer with the largest mean saturation throughput; null by the paper's method.",
    ),
    *(
        column
        for rival, name in (("all", "`all`"), ("published", "short(2,3)"))
        for figure, meaning in (
            ("saturation_gain", "saturation load"),
            ("latency_change", "latency at the reference load"),
        )
        for column in _with_interval(
            f"found_{figure}_over_{rival}",
            f"share of {name}",
            f"Change of its {meaning} against {name}, mean over the held-out patterns; null "
            f"where it is {name} itself.",
            _TOGETHER + (_GRID if figure == "saturation_gain" else ""),
        )
    ),
    _integer("paths", "paths", "Paths of the table."),
    _integer("removed_by_balance", "paths", "Paths that balancing removed."),
    *(
        column
        for kind in ("local", "global")
        for column in (
            _number(
                f"{kind}_usage_before",
                "",
                f"Largest usage of a {kind} link over the mean, chosen set before balancing.",
            ),
            _number(f"{kind}_usage_after", "", "The same after balancing."),
        )
    ),
    _integer("programs", "", "Path sets times the patterns each was modelled for."),
    _integer("flit_hops", "", "Links traversed by flits in all simulations."),
    _text("table_id", "Table id, SHA-256 of the content in hex."),
    VERSION_COLUMN,
)
