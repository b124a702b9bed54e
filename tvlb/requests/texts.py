"""The small languages as JSON Schema: what a text must look like before its parser sees it.

Only texts that cannot name a file pass, so that no request ever reaches the file system.
"""

import re
from collections.abc import Callable, Hashable, Iterable
from itertools import groupby
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

from sim_bridge import MOST_LEVELS, parse_warmup
from sim_bridge.latencies import LatenciesText as Latencies
from sim_bridge.routers.vct import VC_POLICIES, parse_vcs
from tvlb.errors import InvalidInput
from tvlb.forwarding import MeasureOptions, Order
from tvlb.languages import one_of
from tvlb.model import parse_solver, solver_kinds
from tvlb.paths import LONGEST_EXPRESSION, expression_examples, expression_regex
from tvlb.requests.problems import InWords, refusal, violation
from tvlb.search import parse_asked_traffic, parse_objective
from tvlb.table import TABLE_SUFFIXES, foreign_formats, table_formats, written_formats
from tvlb.topology import (
    is_network_file,
    named_families,
    parse_named_topology,
    topology_forms,
    topology_regex,
)
from tvlb.traffic import named_patterns, parse_asked_pattern, pattern_regex, signature_of

_Item = TypeVar("_Item", bound=Hashable)
_WEIGHT = r"([0-9]+\.?|[0-9]*\.[0-9]+)([eE][+-]?[0-9]+)?"
_LONGEST_MATRIX = 1 << 20
_PATTERN = pattern_regex()
# What is in it, its parser says.
_MATRIX = r"#[\s\S]*"
_MATRIX_TEXT = "or what the CSV file of a traffic matrix holds, from its first line # level=node on"
_TABLE_ID = "[0-9a-f]{8,64}"
_FORMS = [signature_of(one).form for one in named_patterns()]
_EXAMPLES = expression_examples()

_SERVED = [kind for kind in solver_kinds().values() if kind.served is not None]
_SHOWN = 80


def _is_table(text: str) -> bool:
    return text.endswith(TABLE_SUFFIXES)


def is_table_id(text: str) -> bool:
    """Whether a text is the id of a table, or how one begins."""
    return re.fullmatch(_TABLE_ID, text) is not None


def _is_matrix(text: str) -> bool:
    # A share may follow.
    return text.partition(":")[0].endswith(".csv")


def _no_file(text: str) -> bool:
    return False


def _parsed_by(
    parse: Callable[[str], object], what: str, is_file: Callable[[str], bool] = _no_file
) -> InWords:
    """Refuse a text as its parser does, and the name of a file because a request has no files."""

    def check(value: object) -> None:
        if isinstance(value, str):
            _check_no_file(value, what, is_file)
            parse(value)

    return InWords(check)


def _check_no_file(text: str, what: str, is_file: Callable[[str], bool]) -> None:
    if is_file(text.strip()):
        raise InvalidInput(f"{what} {text[:_SHOWN]!r}: a request cannot name a file")


def _expression(value: object, validate: ValidatorFunctionWrapHandler) -> object:
    """Refuse the names of files, and pass on wrong texts of which the network will say more."""
    try:
        return validate(value)
    except ValidationError:
        if not isinstance(value, str) or not value.isprintable() or len(value) > LONGEST_EXPRESSION:
            raise
    try:
        for part in value.split("&"):
            _check_no_file(part, "path set", _is_table)
    except InvalidInput as error:
        raise violation(error) from error
    return value


def checked(value: object, canonical: Callable[[str], str]) -> object:
    """Write a text in its canonical form; what is no text is for the schema to refuse."""
    if not isinstance(value, str):
        return value
    try:
        return canonical(value)
    except InvalidInput as error:
        raise refusal(error) from error


def distinct(values: tuple[_Item, ...]) -> tuple[_Item, ...]:
    """Leave repeats out."""
    return tuple(dict.fromkeys(values))


def told_digits(digits: int | str) -> InWords:
    """Refuse in words what is no id of so many hexadecimal digits, whatever its pattern says."""

    def refuse(value: object) -> None:
        raise InvalidInput(f"{str(value)[:_SHOWN]!r} is no id: {digits} digits 0..9 and a..f")

    return InWords(refuse)


class OneOf:
    """Metadata of a text that is one of these names: a `Literal` of what is declared elsewhere."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = [str(name) for name in names]

    def __get_pydantic_core_schema__(self, _: object, __: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.literal_schema(self._names)


class _NamedTopology:
    """Metadata of a text that names a topology of a family, of which more may be registered."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(_checked_topology, handler(source))

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return handler(core) | {"pattern": f"^{topology_regex()}$"}


def _checked_topology(text: str) -> str:
    if re.fullmatch(topology_regex(), text) is None:
        raise PydanticKnownError("string_pattern_mismatch", {"pattern": f"^{topology_regex()}$"})
    return text


def _row_limits() -> str:
    """Say how many paths the formats hold that do not hold any table."""
    groups = groupby(table_formats().values(), key=lambda each: each.max_rows)
    _, *limited = ((rows, [each.name.upper() for each in alike]) for rows, alike in groups)
    return "".join(f"; {' and '.join(names)} hold up to {rows:,} paths" for rows, names in limited)


TopologyText = Annotated[
    str,
    _NamedTopology(),
    Field(
        description=f"{topology_forms()}.",
        examples=["4,8,4,9", *(one.example for one in named_families().values())],
    ),
    _parsed_by(parse_named_topology, "topology", is_network_file),
]
PathSetText = Annotated[
    str,
    Field(
        pattern=f"^({expression_regex()}|{_TABLE_ID})$",
        max_length=LONGEST_EXPRESSION,
        description=f"VLB path set: {', '.join(_EXAMPLES)}, or the id of a table of this server, "
        "or its first digits, 8 or more. MIN paths are always all MIN paths.",
        examples=_EXAMPLES,
    ),
    WrapValidator(_expression),
]
ExpressionText = Annotated[
    str,
    Field(
        pattern=f"^({expression_regex()})$",
        max_length=LONGEST_EXPRESSION,
        description=f"VLB path set: {', '.join(_EXAMPLES)}. MIN paths are always all MIN paths.",
        examples=_EXAMPLES,
    ),
    WrapValidator(_expression),
]
PathSetTexts = Annotated[
    PathSetText
    | Annotated[
        tuple[PathSetText, ...],
        Field(min_length=1, max_length=MOST_LEVELS, strict=False),
        # One in a list is that one.
        AfterValidator(lambda texts: texts if len(texts) > 1 else texts[0]),
    ],
    Field(
        description=f"VLB path set: {', '.join(_EXAMPLES)}, or the id of a table of this server, "
        f"or its first digits, 8 or more; of routings by level 2 to {MOST_LEVELS} of them, short "
        "paths first. MIN paths are always all MIN paths.",
        examples=[*_EXAMPLES, ["shape(g.?)", "all"]],
    ),
]
PatternText = Annotated[
    str,
    Field(
        pattern=rf"^({_PATTERN}|{_MATRIX})$",
        max_length=_LONGEST_MATRIX,
        description=f"Traffic pattern: {', '.join(_FORMS)}, {_MATRIX_TEXT}.",
        examples=["uniform", "shift(2,0)", "mixed(75,25,shift(1,0))"],
    ),
    _parsed_by(parse_asked_pattern, "pattern", _is_matrix),
]
TrafficText = Annotated[
    str,
    Field(
        pattern=rf"^({_PATTERN}( *: *{_WEIGHT} *)?|{_MATRIX})$",
        max_length=_LONGEST_MATRIX,
        description="PATTERN or PATTERN:SHARE; shares are 1 without a number, and relative to "
        f"each other. A pattern is a name, {_MATRIX_TEXT}.",
        examples=["uniform", "shift(2,0):3"],
    ),
    _parsed_by(parse_asked_traffic, "pattern", _is_matrix),
]
OrderText = Annotated[
    str,
    Field(
        pattern=r"^(id|interleave|auto|random\((seed=)?[0-9]{1,19}\))$",
        examples=["interleave", "random(seed=1)"],
    ),
    _parsed_by(Order.parse, "order"),
]
ObjectiveText = Annotated[
    str,
    Field(
        pattern=r"^(saturation|worst-pattern|guaranteed|front|latency@(0?\.[0-9]{1,9}|1(\.0{1,9})?))$",
        examples=["saturation", "latency@0.2"],
    ),
    BeforeValidator(lambda value: checked(value, lambda text: str(parse_objective(text)))),
]
LatenciesText = Annotated[
    str,
    Field(pattern=f"^{Latencies.pattern}$", examples=["x=10,y=30"]),
    BeforeValidator(
        lambda value: checked(value, lambda text: Latencies("").checked("link_latencies", text))
    ),
]
SolverText = Annotated[
    str,
    Field(
        pattern=rf"^({'|'.join(kind.served for kind in _SERVED if kind.served)})$",
        description=f"{', or '.join(map(str, _SERVED))}.",
        examples=[kind.installed()[0] for kind in _SERVED],
    ),
    _parsed_by(parse_solver, "solver"),
]
TableIdText = Annotated[
    str,
    Field(
        pattern=f"^{_TABLE_ID}$",
        examples=["0" * 64],
        description="Id of a forwarding table, or its first digits, 8 or more.",
    ),
    told_digits("8 to 64"),
]
FollowedTableText = Annotated[
    TableIdText | None,
    Field(
        description="Table of routing table, a forwarding table, or of routing static, a split "
        "table: its id on this server, or its first digits, 8 or more; null for none."
    ),
]
JobText = Annotated[
    str,
    Field(pattern=r"^[0-9]{1,8}(,[0-9]{1,8}){0,63}$", examples=["16", "8,32,64"]),
    _parsed_by(lambda text: MeasureOptions(job=text), "job"),
]
TableFormatText = Annotated[
    str,
    OneOf([*written_formats(), *foreign_formats()]),
    Field(
        description=f"Of the file{_row_limits()}. {one_of(foreign_formats())} are those of other "
        "tools; several files come in an archive."
    ),
]
VcsText = Annotated[
    str,
    Field(
        pattern=rf"^({'|'.join(VC_POLICIES)})(:[0-9]{{1,2}})?$",
        description="POLICY or POLICY:COUNT: virtual channels that a packet may take on its next "
        "link, and how many of them a port has, if not what the policy needs.",
        examples=["reuse", "2phases:4"],
    ),
    _parsed_by(parse_vcs, "vcs"),
]
WarmupText = Annotated[
    str,
    Field(
        pattern=r"^detect(:[0-9]{1,9})?$",
        description="detect or detect:CYCLES: until the network is steady, at most 30,000 or "
        "CYCLES cycles.",
        examples=["detect", "detect:20000"],
    ),
    _parsed_by(parse_warmup, "warm-up"),
]
