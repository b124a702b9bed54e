"""The examples in docstrings print what they say.

Collecting them with pytest would have it import every test file a second time.
"""

import doctest
import importlib
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]
_MODULES = [
    ".".join(file.relative_to(_ROOT).with_suffix("").parts).removesuffix(".__init__")
    for folder in ("tvlb", "sim_bridge", "api")
    for file in sorted((_ROOT / folder).rglob("*.py"))
    if ">>> " in file.read_text()
]


@pytest.mark.parametrize("name", _MODULES)
def test_examples_print_what_they_say(name: str) -> None:
    done = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert done.attempted
    assert not done.failed
