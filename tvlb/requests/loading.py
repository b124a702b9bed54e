"""What it takes to load a table in place of another, switch by switch, and how it is told."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from tvlb.documents import Document
from tvlb.requests.common import Count, OptionalKey
from tvlb.table import Channel, RowChanges, StruckOut

_SHOWN = 16


@dataclass(frozen=True, eq=False)
class Loading:
    """What loading a table brings in place of the old one.

    Attributes
    ----------
    name : what sentences call it.
    paths : rows of it.
    left_out : paths that it would have besides if there were more virtual channels.
    vcs_needed : virtual channels that its routes need, and `vc_policy` gives.
    bare : pairs of switches that are up, had VLB paths and have none.
    changes : its rows against those of the old table.
    cycle : channels that wait for each other while both tables are in use; empty if none do.
    keeps_policy : whether by the policy of the old table it is free of deadlock, too, and needs no
        more virtual channels than that.
    labels : what its owner calls every switch; none without such names.
    """

    name: str
    paths: int
    left_out: int
    vcs_needed: int
    vc_policy: str
    bare: int
    changes: RowChanges
    cycle: tuple[Channel, ...]
    keeps_policy: bool
    labels: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class OldTable:
    """What a repair begins with.

    Attributes
    ----------
    paths : rows of it.
    struck : what failures left of it.
    vcs_needed, vc_policy : virtual channels of its routes on its own network.
    least_vcs : virtual channels that MIN paths of what is left need.
    keeps_policy : whether by `vc_policy` all that is left of it is free of deadlock, and needs no
        more virtual channels than before; False if that is how they are given anyway.
    """

    paths: int
    struck: StruckOut
    vcs_needed: int
    vc_policy: str
    least_vcs: int
    keeps_policy: bool


def loading_notes(
    chosen: Loading, others: Sequence[Loading], old: OldTable, *, vc_count: int | None
) -> tuple[str, ...]:
    """Say in sentences what to mind where a table is loaded in place of the old one.

    Parameters
    ----------
    chosen : the table that is to be loaded, of which it is said in a sentence before; `others`
        could be.
    vc_count : virtual channels that tables were made to need at most; None if none were given.
    """
    every = (chosen, *others)
    left_out = ", ".join(f"{one.left_out:,} of {one.name}" for one in every if one.left_out)
    return (
        _warned(chosen, old),
        f"{_begin(chosen.name)} has {_rows(chosen, old)}.",
        _together(f"the routes of {chosen.name}", chosen, old),
        _left_out(left_out, old, vc_count) if left_out else "",
        _failures(old),
        *(_bare(one) for one in every if one.bare),
    )


def _left_out(counts: str, old: OldTable, vc_count: int | None) -> str:
    told = f"Paths that need more than {vc_count} virtual channels are left out: {counts}"
    if vc_count is None or not old.keeps_policy or vc_count < old.vcs_needed:
        return f"{told}."
    return (
        f"{told}; with --vcs {old.vc_policy} the table in use needs no more and loses none of them."
    )


def _warned(one: Loading, old: OldTable) -> str:
    """Say how many virtual channels a table needs, and warn if these are more than before."""
    channels = f"virtual channel{'s' * (one.vcs_needed != 1)}"
    needs = f"needs {one.vcs_needed} {channels} ({one.vc_policy})"
    before = f"the table in use {old.vcs_needed} ({old.vc_policy})"
    if one.vcs_needed <= old.vcs_needed:
        return f"{_begin(one.name)} {needs}; {before}."
    keeps = f"keeps to {old.vcs_needed}"
    ways = [f"--vcs {old.vc_policy} {keeps} with all paths"] if one.keeps_policy else []
    if old.vcs_needed >= old.least_vcs:
        ways.append(f"--vc-count {old.vcs_needed} {keeps} by leaving out longer paths")
    fewer = ", ".join(ways) or f"MIN paths alone need {old.least_vcs} now"
    return (
        f"Warning: {one.name} {needs}, {before}: switches that are set up for {old.vcs_needed} "
        f"cannot take it; {fewer}."
    )


def _failures(old: OldTable) -> str:
    struck = old.struck
    told = (
        f"The failures take down {struck.struck:,} of the {old.paths:,} paths of the table in use"
    )
    if not (lost := struck.pairs_without_min_paths):
        return f"{told}; every pair of switches that are up keeps a MIN path."
    pairs = "1 pair of switches" if lost == 1 else f"{lost:,} pairs of switches"
    return (
        f"{told}, and all MIN paths of {pairs}: load the shortest paths that are left as MIN there."
    )


def _bare(one: Loading) -> str:
    pairs = "1 pair of switches has" if one.bare == 1 else f"{one.bare:,} pairs of switches have"
    return f"In {one.name} {pairs} no VLB path left: MIN alone there."


def _rows(one: Loading, old: OldTable) -> str:
    changes = one.changes
    counts = {
        "fewer": changes.removed.sum(),
        "more": changes.added.sum(),
        "of another weight": changes.reweighted.sum(),
    }
    switches = changes.switches
    if len(switches) == 0:
        return "the rows of the table in use at every switch"
    told = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
    number = len(switches)
    if number == np.count_nonzero(old.struck.rows.topology.is_end):
        return f"other rows than the table in use at all {number:,} switches: {told}"
    numbers: list[int] = switches[:_SHOWN].tolist()
    names = [one.labels[switch] if one.labels else str(switch) for switch in numbers]
    shown = ", ".join(names) + ", ..." * (number > _SHOWN)
    these = f"{number:,} switches" if number > 1 else "1 switch"
    return f"other rows than the table in use at {these} ({shown}): {told}"


def _together(subject: str, one: Loading, old: OldTable) -> str:
    both = f"{subject} ({one.vc_policy}) and those of the table in use ({old.vc_policy})"
    if not one.cycle:
        return f"While switches are loaded one after another, {both} together cannot deadlock."
    return (
        f"Warning: while switches are loaded one after another, {both} together may deadlock "
        f"({' waits for '.join(map(str, (*one.cycle, one.cycle[0])))}); hold traffic back until "
        "all have the same table."
    )


def _begin(text: str) -> str:
    return text[0].upper() + text[1:]


class SwitchRows(Document):
    """Rows of a source switch that a table has otherwise than the old one."""

    switch: Count
    label: OptionalKey[str] = Field(None, description="What its owner calls the switch.")
    removed: Count = Field(description="Rows that only the old table has.")
    added: Count = Field(description="Rows that only this table has.")
    reweighted: Count = Field(description="Rows of both with another draw weight.")


class LoadingDocument(Document):
    """What loading a table brings in place of the old one."""

    paths: Count = Field(description="Paths of it.")
    left_out_paths: Count = Field(
        description="Paths left out because they need more virtual channels than were asked for."
    )
    vcs_needed: Count = Field(description="Virtual channels that it needs.")
    vc_policy: str = Field(description="How they are assigned.")
    pairs_without_paths: Count = Field(
        description="Pairs of switches that are up and lost all VLB paths: these take MIN alone."
    )
    deadlock_free_beside_old: bool = Field(
        description="Whether its routes and those of the old table together are free of deadlock, "
        "while switches are loaded one after another."
    )
    switches: tuple[SwitchRows, ...] = Field(
        description="The switches at which rows differ from those of the old table."
    )

    @classmethod
    def of(cls, loading: Loading) -> "LoadingDocument":
        """Return the document of a table."""
        changes = loading.changes
        kinds = ("removed", "added", "reweighted")
        return cls.model_validate(
            {
                "paths": loading.paths,
                "left_out_paths": loading.left_out,
                "vcs_needed": loading.vcs_needed,
                "vc_policy": loading.vc_policy,
                "pairs_without_paths": loading.bare,
                "deadlock_free_beside_old": not loading.cycle,
                "switches": [
                    {"switch": one}
                    | ({"label": loading.labels[one]} if loading.labels else {})
                    | {kind: int(getattr(changes, kind)[one]) for kind in kinds}
                    for one in changes.switches.tolist()
                ],
            }
        )
