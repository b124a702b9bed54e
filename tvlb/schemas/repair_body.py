"""What repairs can be asked for, as a JSON body."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import ConfigDict, Field

from tvlb.errors import InvalidInput
from tvlb.languages import asked, made
from tvlb.schemas.limits import RequestLimits
from tvlb.schemas.requests import AnyNetwork, Question, description_of, network_of
from tvlb.schemas.settings import with_options
from tvlb.schemas.table_body import TableBody
from tvlb.schemas.texts import told_digits
from tvlb.search import (
    Cost,
    RepairOptions,
    check_repair,
    repair_cost,
    traffic_texts,
)
from tvlb.table import COMPACT_REFUSED
from tvlb.topology import ExplicitTopology, Failures


class RepairBody(with_options(Question, RepairOptions)):
    """Rebuild a stored table by its rule for what failures left of its network."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"table": "9b6c" * 16, "without": {"links": [[0, 4]], "switches": []}}]
        }
    )
    kind: ClassVar[str] = "repair"

    table: Annotated[
        str,
        Field(pattern="^[0-9a-f]{64}$", description="Id of the table, of the whole network."),
        told_digits(64),
    ]
    without: Annotated[Failures, Field(description="What of its network is down.")]
    topology: Annotated[
        AnyNetwork | None, Field(description="The network of the table; null for just that.")
    ] = None

    if TYPE_CHECKING:
        # Which options there are is known only when the program runs.
        def __init__(self, **asked: Any) -> None: ...

        def __getattr__(self, name: str) -> Any: ...

    @classmethod
    def of(cls, table: str, failures: Failures, options: RepairOptions) -> Self:
        """Return the request for a repair; raises InvalidInput where a request cannot ask for it.

        Parameters
        ----------
        table : its id at the server.
        """
        return cls(table=table, without=failures, **asked(options))

    def options(self, workers: int | None = None) -> RepairOptions:
        """Return the settings of the repair."""
        return made(RepairOptions, dict(self), workers=workers)

    def usual(self) -> dict[str, Any]:
        """See `Question.usual`; the table tells its network."""
        return super().usual() | {"topology": self.topology}

    def about(self, table: TableBody, *, compact: bool) -> Self:
        """Return the request with the network of its table.

        Parameters
        ----------
        table : the request that it answers.
        compact : whether the table is.

        Raises
        ------
        InvalidInput : the table has no rows, or is of another network than the request says.
        """
        if compact:
            raise InvalidInput(COMPACT_REFUSED)
        if self.topology is not None and _canonical(self.topology) != _canonical(table.topology):
            raise InvalidInput(
                f"topology {description_of(self.topology)}: the table is of {table.description}"
            )
        return self.model_copy(update={"topology": table.topology})

    def examined(self, limits: RequestLimits | None = None) -> tuple[Self, Cost]:
        """See `Question.examined`; of a request with the network of its table."""
        if self.topology is None:
            raise InvalidInput(f"the network of the table {self.table} is not known")
        options = self.options()
        left = check_repair(network_of(self.topology, limits), self.without, options)
        cost = repair_cost(left, options)
        if limits is not None:
            limits.check_cost(cost)
        resolved = {"without": self.without.canonical(), "traffic": traffic_texts(self.traffic)}
        return self.model_copy(update=resolved), cost


def _canonical(topology: str | ExplicitTopology) -> str | ExplicitTopology:
    """Return what names a network, as it prints."""
    if isinstance(topology, str):
        return str(description_of(topology))
    return topology.canonical()
