"""What tables can be asked for, as a JSON body."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import ConfigDict

from tvlb.languages import asked, made
from tvlb.requests.cost import Cost, table_cost
from tvlb.requests.request import Request, Seed
from tvlb.requests.settings import with_options
from tvlb.search import SearchOptions, budget_text, check_request
from tvlb.topology import Topology, described


class TableBody(with_options(Request, SearchOptions)):
    """Compute the T-VLB table of a network."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"topology": "4,8,4,9", "routing": "ugal-l", "seed": 0}]}
    )
    kind: ClassVar[str] = "table"

    seed: Seed = 0

    if TYPE_CHECKING:
        # Which options there are is known only when the program runs.
        def __init__(self, **asked: Any) -> None: ...

        def __getattr__(self, name: str) -> Any: ...

    @classmethod
    def of(cls, topology: object, network: Topology, options: SearchOptions) -> Self:
        """Return the request for a search.

        Parameters
        ----------
        topology : what the request calls the network.

        Raises
        ------
        InvalidInput : a request cannot ask for it, such as for traffic in a file.
        """
        named = replace(options, budget=budget_text(options.budget, network, options.searched))
        return cls(topology=topology, **asked(named), seed=options.seed)

    def options(self, workers: int | None = None) -> SearchOptions:
        """Return the settings of the search."""
        return made(SearchOptions, dict(self), seed=self.seed, workers=workers)

    def usual(self) -> dict[str, Any]:
        """See `Request.usual`; what depends on other options is that for those asked for."""
        bare = type(self)(topology=self.topology, method=self.method, traffic=self.traffic)
        same = bare.model_copy(update={"search": self.search, "routing": self.routing})
        usual = super().usual()
        filled = completed(same) | {"search": completed(bare)["search"]}
        return {name: filled[name] if value is None else value for name, value in usual.items()}

    def complete(self, network: Topology) -> Self:
        """Return the request with the defaults of the method filled in, texts as they print.

        Raises
        ------
        InvalidInput : an option is out of range, or has no meaning for the method.
        """
        options = self.options().resolved()
        # Equal questions are equal requests, whether or not they say what is usual there.
        options = replace(options, config=options.config.bare_on(network))
        return self.of(self.topology, network, options)

    def _resolved(self, network: Topology) -> Self:
        check_request(network, self.options())
        return self.complete(network).model_copy(update={"topology": described(network)})

    def _cost(self, network: Topology) -> Cost:
        return table_cost(network, self.options())


def completed(body: TableBody) -> dict[str, Any]:
    """Return the options with what `TableBody.complete` fills in, but for the budget."""
    filled = TableBody.model_validate(dict(body) | asked(body.options().resolved()))
    return dict(filled)
