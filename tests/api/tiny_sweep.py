"""A sweep of two points that takes seconds."""

from typing import Any

from tests.service import quick_options

OPTIONS = quick_options(200, 200, 0.05)
WINDOWS = OPTIONS["screening"]
SWEEP: dict[str, Any] = {
    "name": "two",
    "generators": [{"p": 1, "a": 2, "h": "1..2", "g": 3, "constraints": ["radix<=4"]}],
    "options": OPTIONS,
}
# The same in the language of sweep files.
FILE = """
name = "two"
[[generators]]
p = 1
a = 2
h = [1, 2]
g = 3
constraints = ["radix <= 4"]
[options]
method = "paper"
patterns = 1
finalists = 1
data_points = 1
simulated_patterns = 2
screening = { warmup = 200, measured = 200, grid = 0.05 }
confirmation = { warmup = 200, measured = 200, grid = 0.05 }
"""
