"""The rules of UGAL that a search may choose, and which of them to try."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from sim_bridge import Routing, SimulationConfig
from tvlb.paths import RULE_SETTINGS, QueueFactor, UgalRule

_MOST_CANDIDATES = 4
_STEP, _MOST_THRESHOLD = 8, 96
_RATIO, _DIGITS, _LEAST_FACTOR, _MOST_FACTOR = 1.25, 2, 0.25, 4.0
# Where long searches mostly end, on one network or another; the first sustains much with any paths.
# None counts `waiting` for MIN: where the nodes of a switch fill its own link, flits wait before it
# and nothing waits behind it, so that no packet takes a detour.
_LIKELY: tuple[dict[str, Any], ...] = (
    {"queue": "port/vc"},
    {"queue": "vc", "threshold": 8},
    {"queue": "vc", "threshold": 8, "vlb_factor": 0.8},
    {"queue": "vc", "threshold": 8, "vlb_factor": 0.8, "candidates": 2},
    {"queue": "vc", "threshold": 8, "vlb_factor": 0.5, "candidates": 2},
)


class RuleSpace:
    """The rules that a search may choose: what the settings of the routers leave open.

    Parameters
    ----------
    config, routing : of the simulations; what is given there stays.

    Attributes
    ----------
    base : the published rule with what is given.
    """

    def __init__(self, config: SimulationConfig, routing: str) -> None:
        self.base = config.rule
        chosen = Routing(routing)
        self._open = {
            name
            for name in RULE_SETTINGS
            if getattr(config, name) is None and chosen.takes_of_rule(name)
        }

    @property
    def is_open(self) -> bool:
        """Whether there is anything to choose."""
        return bool(self._open)

    def starts(self) -> list[UgalRule]:
        """Return different rules to begin with, others than the base: what is given stays."""
        likely = ({name: one[name] for name in one.keys() & self._open} for one in _LIKELY)
        rules = dict.fromkeys(replace(self.base, **one) for one in likely)
        return [one for one in rules if one != self.base]

    def beside(self, rule: UgalRule) -> list[UgalRule]:
        """Return the rules that count the same and differ from one by a step in one respect."""
        return self._allowed(_steps(rule), rule)

    def _allowed(self, rules: Iterable[UgalRule], other: UgalRule) -> list[UgalRule]:
        """Return those that differ, but in nothing that is given."""
        return [
            one
            for one in dict.fromkeys(rules)
            if one != other
            and all(
                name in self._open or getattr(one, name) == getattr(self.base, name)
                for name in RULE_SETTINGS
            )
        ]


def _steps(rule: UgalRule) -> Iterator[UgalRule]:
    for step in (-_STEP, _STEP):
        threshold = min(max(rule.threshold + step, -_MOST_THRESHOLD), _MOST_THRESHOLD)
        yield replace(rule, threshold=threshold)
    for ratio in (_RATIO, 1 / _RATIO):
        rounded = float(f"{rule.vlb_factor * ratio:.{_DIGITS}g}")
        yield replace(rule, vlb_factor=min(max(rounded, _LEAST_FACTOR), _MOST_FACTOR))
    for count in (rule.candidates - 1, rule.candidates + 1):
        yield replace(rule, candidates=min(max(count, 1), _MOST_CANDIDATES))
    for factor in QueueFactor:
        yield replace(rule, ugal_rule=factor)
