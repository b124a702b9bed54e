"""The path-set language, from `all` to `shape(g.?) & <=4`, and the data points.

Paths of saved tables belong to the same language and are added by `tvlb.table`.
"""

from collections.abc import Iterable
from functools import cache
from importlib import import_module

from tvlb.errors import InvalidInput
from tvlb.languages import declared, one_of, read_as
from tvlb.paths.expression_set import ExpressionSet
from tvlb.paths.meet_set import MeetSet
from tvlb.paths.path_set import PathSet
from tvlb.topology import Topology

_FOLDER = "tvlb.paths.sets"
_MOST_PARTS = 8
_SHOWN = 80


@cache
def expression_sets() -> tuple[type[ExpressionSet], ...]:
    """Return the kinds of sets that expressions are made of, as lists name them."""
    found = [one for one in declared(_FOLDER, "PATH_SET", type) if issubclass(one, ExpressionSet)]
    return tuple(sorted(found, key=lambda one: (one.place, one.name)))


def parse_expression(text: str, topology: Topology, seed: int = 0) -> PathSet:
    """Parse a path-set expression.

    Parameters
    ----------
    seed : keys the random fractions.

    Raises
    ------
    InvalidInput : the text is no expression or a number is out of range; shows the grammar.

    Examples
    --------
    >>> from tvlb.topology import Dragonfly
    >>> topology = Dragonfly(2, 4, 2, 9)
    >>> [str(parse_expression(text, topology)) for text in ("<=6", "<=4 + 60%", "short(2, 3)")]
    ['all', '<=4+60%', 'short(2,3)']
    >>> str(parse_expression("shape(g.g:2,g.gl)&<=4", topology))
    'shape(g.g:2, g.gl) & <=4'
    """
    parts = [part.strip() for part in " ".join(text.split()).split("&")]
    try:
        if len(parts) > _MOST_PARTS:
            raise InvalidInput(f"{len(parts)} sets are too many to meet")
        found = tuple(_parse_one(part, topology, seed) for part in parts)
        return found[0] if len(found) == 1 else MeetSet(found)
    except InvalidInput as error:
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        raise InvalidInput(f"path set {shown!r}: {error}; {_grammar(topology)}") from error


def as_path_set(value: PathSet | str, topology: Topology | None, seed: int = 0) -> PathSet:
    """Return a path set, given as itself or as the text that commands take for one.

    Parameters
    ----------
    topology : whose paths a text means.
    seed : keys the random fractions of a text.

    Raises
    ------
    InvalidInput : it is no path set, the text is neither an expression nor a saved table of the
        network, or there is no network to it.
    """

    def parsed(text: str) -> PathSet:
        if topology is None:
            raise InvalidInput(f"path set {text!r}: the text of one needs a topology")
        # By its name: saved tables are of a layer above.
        return import_module("tvlb.table").parse_path_set(text, topology, seed)

    return read_as(value, PathSet, parsed)


def _parse_one(text: str, topology: Topology, seed: int) -> ExpressionSet:
    for kind in expression_sets():
        known = len(kind.forms(topology)) > 0
        if known and (found := kind.parse(text, topology, seed)) is not None:
            return found
    raise InvalidInput(f"{text!r} is unknown")


def _grammar(topology: Topology) -> str:
    forms = _words_first(form for kind in expression_sets() for form in kind.forms(topology))
    alone = one_of(kind.name for kind in expression_sets() if not kind.may_meet)
    return (
        f"expected {', '.join(forms)}, or up to {_MOST_PARTS} of these other than {alone}, "
        "joined by &"
    )


def expression_examples() -> list[str]:
    """Return expressions of every kind for help; each is one of some network."""
    single = _words_first(text for kind in expression_sets() for text in kind.examples)
    return [*single, MeetSet.example]


def _words_first(texts: Iterable[str]) -> list[str]:
    return sorted(texts, key=lambda text: not text.isalnum())


def expression_regex() -> str:
    """Regular expression of expressions, as in JSON Schema, for networks of any family."""
    met, alone = (
        "|".join(kind.regex() for kind in expression_sets() if kind.may_meet is may_meet)
        for may_meet in (True, False)
    )
    return f"({alone}|({met})( *& *({met}))*)"


def data_points(topology: Topology, seed: int = 0) -> list[PathSet]:
    """Return the sets that Step 1 probes, shortest first; on a Dragonfly those of Table 1."""
    return [parse_expression(text, topology, seed) for text in topology.data_points()]


def strategic_choices(topology: Topology, seed: int = 0) -> list[PathSet]:
    """Return the deterministic choices that Step 2 adds to the data points."""
    return [parse_expression(text, topology, seed) for text in topology.strategic_choices()]
