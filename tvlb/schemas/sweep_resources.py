"""What the service answers with for sweeps."""

from pydantic import Field

from tvlb.documents import Document
from tvlb.schemas.resources import EXAMPLE_ID, Identity, Item, example_of
from tvlb.schemas.sweep import SweepBody

_NAMES = ("results.parquet", "results.csv", "report.html", "timings.parquet")
_ROW = {
    "point": 0,
    "key": EXAMPLE_ID,
    "status": "succeeded",
    "topology": "dfly(2,4,2,5)",
    "routing": "ugal-l",
    "seed": 0,
    "chosen": "<=4+60%",
    "saturation_gain": 0.05,
}


class _SweepFacts(Identity):
    """What is said of a sweep in a list, too."""

    name: str = Field(description="Of the sweep, as it was asked for.")
    points: int = Field(ge=1, description="Number of points.")
    failed: int = Field(
        ge=0, description="Points that could not be computed; asking again tries them again."
    )
    download_url: str = Field(description="Of the result rows; format is parquet or csv.")
    report_url: str = Field(description="Of the report, an HTML page.")


class SweepItem(_SweepFacts, Item):
    """A sweep among others."""


class SweepResource(_SweepFacts):
    """Many tables, a row for each."""

    model_config = example_of(
        lambda: SweepBody(name="one small network", topologies=("dfly(2,4,2,5)",)),
        {
            "name": "one small network",
            "points": 1,
            "failed": 0,
            "rows": [_ROW],
            "files": dict.fromkeys(_NAMES, EXAMPLE_ID),
        },
    )

    request: SweepBody = Field(description="The resolved request.")
    rows: tuple[dict[str, str | int | float | bool | None], ...] = Field(
        description="A row for each point, with the columns of the file of results; the example "
        "has some of them. `key` is the id of the point's table."
    )
    files: dict[str, str] = Field(
        description="SHA-256 of the files that were written. timings.parquet, which tells what "
        "computing them took, is in the store only."
    )


class SweepList(Document):
    """Sweeps, newest first."""

    sweeps: tuple[SweepItem, ...]
    next: str | None = Field(description="URL of the page of older ones; null if there are none.")
