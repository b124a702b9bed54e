"""Short real documents, one file each, that the schemas show as examples."""

import json
from importlib.resources import files
from typing import Any

__all__ = ["example"]


def example(name: str) -> dict[str, Any]:
    """Return the example of a name, that of its file."""
    return json.loads(files(__name__).joinpath(f"{name}.json").read_text("utf-8"))
