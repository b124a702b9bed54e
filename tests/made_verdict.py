"""Verdicts on documents of tables that nobody computed, from the figures that these tell."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tvlb.requests.verdict import VerdictDocument
from tvlb.search import Measured, VerdictRecord
from tvlb.search.verdict import SetMeans, called, described_cases
from tvlb.statistics import Judgement, Pairing, SetFigures, judgements
from tvlb.statistics.judged import by_pattern
from tvlb.topology import parse_topology

Document = dict[str, Any]


def with_verdict(document: Document, given: Sequence[Judgement] | None = None) -> Document:
    """Return a document with the verdict on its figures, or from given judgements."""
    patterns = [one["pattern"] for one in document["baseline"]["per_pattern"]]
    figures = _figures(document)
    base = document["baseline"]["expression"]
    name = document["decision"]["expression"]
    found = tuple(given or _judged(document, figures, patterns, base))
    topology = parse_topology("dfly(2,4,2,5)")
    record = VerdictRecord(
        expression=name,
        replaces=document["decision"]["replaces_all"],
        sets=tuple(
            sorted(
                (_means(called(topology, one.name), one) for one in figures),
                key=lambda one: one.expression != name,
            )
        ),
        judgements=tuple(sorted(found, key=lambda one: one.expression != name)),
        loads=tuple(document["search"]["loads"] if document["search"] else [0.1]),
        cases=described_cases(patterns),
        vcs=4,
        vc_policy="won",
        paths=document["table"]["paths"],
        balancing="",
        undecided_runs=0,
    )
    return document | {"verdict": VerdictDocument.of(record).plain()}


def _judged(
    document: Document, figures: Sequence[SetFigures], patterns: Sequence[str], base: str
) -> tuple[Judgement, ...]:
    share = np.full(len(patterns), 1.0 / len(patterns))
    rounds = len(patterns) // len(set(patterns))
    grid = document["baseline"]["windows"]["grid"]
    pairing = Pairing(tuple(patterns), share, rounds, grid)
    return judgements(figures, [base, "short(2,3)"], pairing)


def _figures(document: Document) -> list[SetFigures]:
    if document["search"] is None:
        confirmed = [one for one in document["candidates"] if one["confirmed"]]
        return [
            SetFigures(
                one["expression"], by_pattern(one, "saturation"), by_pattern(one, "latency")[None]
            )
            for one in (document["baseline"], *confirmed)
        ]
    return [
        SetFigures(
            one["expression"], np.array(one["saturation"], float), np.array(one["latency"], float)
        )
        for one in document["search"]["held_out"]
    ]


def _means(called: str, one: SetFigures) -> SetMeans:
    by_load = [Measured(one.name, one.saturation, latency) for latency in one.latency]
    return SetMeans.of(called, by_load, 3.5)
