"""One linear program as a JSON document."""

from dataclasses import asdict

from tvlb.documents import plain
from tvlb.model.throughput import Throughput
from tvlb.paths import PathSet
from tvlb.provenance import versions
from tvlb.topology import Topology
from tvlb.traffic import Pattern

__all__ = ["model_document", "question_document"]

Document = dict[str, object]


def question_document(
    topology: Topology, path_set: PathSet, pattern: Pattern, *, monotone: bool, seed: int
) -> Document:
    """Return what was asked, the first part of a model document."""
    return {
        "topology": str(topology),
        "path_set": str(path_set),
        "pattern": str(pattern),
        "monotone": monotone,
        "seed": seed,
    }


def model_document(question: Document, solved: Throughput) -> Document:
    """Return the document of `throughput`, given that of the question."""
    figures = {name: plain(value) for name, value in asdict(solved).items()}
    return question | figures | {"provenance": versions()}
