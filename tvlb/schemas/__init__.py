"""The JSON documents that tvlb prints and serves, as pydantic models.

The models describe the documents and check them; they are built by `tvlb.search.table_document`,
`tvlb.model.model_document` and `tvlb.search.simulation_document`.
"""

from tvlb.schemas.examples import example
from tvlb.schemas.model import ModelDocument
from tvlb.schemas.simulation import SimulationDocument
from tvlb.schemas.table import TableDocument

__all__ = ["ModelDocument", "SimulationDocument", "TableDocument", "example"]
