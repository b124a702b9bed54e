"""The columns of the result rows of a sweep: the one table of their types, units and meanings."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["COLUMNS", "Column"]


@dataclass(frozen=True)
class Column:
    """A column of the result rows.

    Attributes
    ----------
    name : the name, unique.
    type : integer (64 bits, signed), number (float64), boolean or text (UTF-8).
    unit : unit of the values; empty where there is none.
    description : what the values mean.
    always : whether every point of a Dragonfly has a value; elsewhere null stands for what does
        not exist.
    """

    name: str
    type: Literal["integer", "number", "boolean", "text"]
    unit: str
    description: str
    always: bool = False


_LOAD = "packets/cycle/node"
_THETA = "flits/cycle/node"
_SHARE = "share of all"
_LOW = "Lower end of its 95% interval"
_HIGH = "Upper end of its 95% interval"
_GRID = "never narrower than the grid of loads allows"
_OVER_PATTERNS = "standard error over the simulated patterns"

COLUMNS: tuple[Column, ...] = (
    Column("point", "integer", "", "Number of the point in the order of the sweep.", True),
    Column("key", "text", "", "Key of the request, SHA-256 in hex.", True),
    Column("status", "text", "", "succeeded or failed.", True),
    Column("error", "text", "", "Why the point failed."),
    Column("topology", "text", "", "Topology in the topology language.", True),
    Column("arrangement", "text", "", "Wiring of the global links.", True),
    Column("p", "integer", "", "Compute nodes per switch.", True),
    Column("a", "integer", "", "Switches per group.", True),
    Column("h", "integer", "", "Global ports per switch.", True),
    Column("g", "integer", "", "Groups.", True),
    Column(
        "links_per_pair",
        "number",
        "cables",
        "Mean number of cables between two groups: a*h/(g-1) where no global port is left over.",
        True,
    ),
    Column("links_per_pair_min", "integer", "cables", "Fewest cables between two groups.", True),
    Column("links_per_pair_max", "integer", "cables", "Most cables between two groups.", True),
    Column("radix", "integer", "ports", "Ports of a switch, p+a-1+h.", True),
    Column("nodes", "integer", "", "Compute nodes.", True),
    Column("switches", "integer", "", "Switches.", True),
    Column("global_cables", "integer", "cables", "Cables between groups.", True),
    Column("local_cables", "integer", "cables", "Cables between the switches of a group.", True),
    Column("cables", "integer", "cables", "Cables between switches, local and global.", True),
    Column("switches_per_node", "number", "switches/node", "Switches over compute nodes.", True),
    Column(
        "cables_per_node",
        "number",
        "cables/node",
        "Cables between switches over compute nodes; the cable of the node itself not counted.",
        True,
    ),
    Column("routing", "text", "", "Routing that will use the table.", True),
    Column("method", "text", "", "search for weighted sets, or paper: Algorithm 1.", True),
    Column(
        "objective",
        "text",
        "",
        "What makes a set good: saturation, latency@LOAD, worst-pattern or front.",
        True,
    ),
    Column("seed", "integer", "", "Seed of everything random.", True),
    Column("options", "text", "", "The other fields of the request, canonical JSON.", True),
    Column(
        "simulated_patterns",
        "integer",
        "",
        "Pairs of pattern and simulation seed behind each mean.",
    ),
    Column(
        "confirmed_candidates",
        "integer",
        "",
        "Candidates simulated closely enough to be chosen from.",
    ),
    Column("chosen", "text", "", "Name of the chosen set, unique among those of the point."),
    Column("path_set", "text", "", "VLB path set of the table."),
    Column("balancing", "text", "", "How it was balanced: removal or weights; null if it was not."),
    Column("replaces_all", "boolean", "", "Whether a candidate was chosen instead of `all`."),
    Column(
        "verdict",
        "text",
        "",
        "What the chosen set has over `all`: higher saturation, or equal saturation, lower "
        "latency; null where `all` was kept.",
    ),
    Column("theta_chosen", "number", _THETA, "Modelled throughput of the chosen set."),
    Column("theta_chosen_sem", "number", _THETA, "Its standard error over the modelled patterns."),
    Column("theta_all", "number", _THETA, "Modelled throughput of `all`."),
    Column("theta_all_sem", "number", _THETA, "Its standard error over the modelled patterns."),
    Column("mean_vlb_hops_chosen", "number", "hops", "Mean hops of a VLB path, chosen set."),
    Column("mean_vlb_hops_all", "number", "hops", "Mean hops of a VLB path, `all`."),
    Column("saturation_chosen", "number", _LOAD, "Simulated saturation throughput, chosen set."),
    Column("saturation_chosen_sem", "number", _LOAD, f"Its {_OVER_PATTERNS}."),
    Column("saturation_all", "number", _LOAD, "Simulated saturation throughput, `all`."),
    Column("saturation_all_sem", "number", _LOAD, f"Its {_OVER_PATTERNS}."),
    Column(
        "saturation_gain",
        "number",
        _SHARE,
        "Saturation throughput, chosen set less `all`, paired by pattern, over the mean of `all`; "
        "0 by definition where `all` was kept.",
    ),
    Column("saturation_gain_low", "number", _SHARE, f"{_LOW}, {_GRID}."),
    Column("saturation_gain_high", "number", _SHARE, f"{_HIGH}, {_GRID}."),
    Column("reference_load", "number", _LOAD, "Offered load at which latencies are compared."),
    Column("latency_chosen", "number", "cycles", "Mean latency at that load, chosen set."),
    Column("latency_chosen_sem", "number", "cycles", f"Its {_OVER_PATTERNS}."),
    Column("latency_all", "number", "cycles", "Mean latency at that load, `all`."),
    Column("latency_all_sem", "number", "cycles", f"Its {_OVER_PATTERNS}."),
    Column(
        "latency_change",
        "number",
        _SHARE,
        "Latency, chosen set less `all`, paired by pattern, over the mean of `all`; 0 by "
        "definition where `all` was kept.",
    ),
    Column("latency_change_low", "number", _SHARE, f"{_LOW}."),
    Column("latency_change_high", "number", _SHARE, f"{_HIGH}."),
    Column(
        "best",
        "text",
        "",
        "Confirmed candidate with the largest mean saturation throughput, chosen or not.",
    ),
    Column(
        "best_saturation_gain",
        "number",
        _SHARE,
        "Its saturation throughput less that of `all`, as measured, over the mean of `all`.",
    ),
    Column("best_saturation_gain_low", "number", _SHARE, f"{_LOW}, {_GRID}."),
    Column("best_saturation_gain_high", "number", _SHARE, f"{_HIGH}, {_GRID}."),
    Column(
        "best_latency_change",
        "number",
        _SHARE,
        "Its latency less that of `all`, as measured, over the mean of `all`.",
    ),
    Column("best_latency_change_low", "number", _SHARE, f"{_LOW}."),
    Column("best_latency_change_high", "number", _SHARE, f"{_HIGH}."),
    Column(
        "found",
        "text",
        "",
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
        for column in (
            Column(
                f"found_{figure}_over_{rival}",
                "number",
                f"share of {name}",
                f"Change of its {meaning} against {name}, mean over the held-out patterns; null "
                f"where it is {name} itself.",
            ),
            Column(
                f"found_{figure}_over_{rival}_low",
                "number",
                f"share of {name}",
                f"{_LOW}, which holds for all compared sets together.",
            ),
            Column(
                f"found_{figure}_over_{rival}_high",
                "number",
                f"share of {name}",
                f"{_HIGH}, which holds for all compared sets together.",
            ),
        )
    ),
    Column("paths", "integer", "paths", "Paths of the table."),
    Column("removed_by_balance", "integer", "paths", "Paths that balancing removed."),
    Column(
        "local_usage_before",
        "number",
        "",
        "Largest usage of a local link over the mean, chosen set before balancing.",
    ),
    Column("local_usage_after", "number", "", "The same after balancing."),
    Column(
        "global_usage_before",
        "number",
        "",
        "Largest usage of a global link over the mean, chosen set before balancing.",
    ),
    Column("global_usage_after", "number", "", "The same after balancing."),
    Column("programs", "integer", "", "Path sets times the patterns each was modelled for."),
    Column("flit_hops", "integer", "", "Links traversed by flits in all simulations."),
    Column("table_id", "text", "", "Table id, SHA-256 of the content in hex."),
    Column("version", "text", "", "Version of tvlb that computed the point.", True),
)
