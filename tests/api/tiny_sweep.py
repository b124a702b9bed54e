"""A sweep of two points that takes seconds."""

from typing import Any

WINDOWS = {"warmup": 200, "measured": 200, "grid": 0.05}
OPTIONS: dict[str, Any] = {
    "method": "paper",
    "patterns": 1,
    "screening": WINDOWS,
    "confirmation": WINDOWS,
    "finalists": 1,
    "data_points": 1,
    "simulated_patterns": 2,
}
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
