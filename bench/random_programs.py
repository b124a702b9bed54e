"""Random linear programs against an independent solver.

    python -m bench.random_programs [--programs 1000] [--seed 0] [--workers 2]

Draws Dragonflies of every arrangement, path sets of every form, and patterns, traffic matrices
among them. Each program is solved by HiGHS from its vertices, by CBC from the path classes with one
row per order of rates, and bounded to 1e-3 by the product's own method. The optimum of CBC, which
has no code in common with the others, must lie within both pairs of bounds, and those of HiGHS may
be apart by no more than the tolerance. What the product refuses is counted. Exit code 1 if a bound
is wrong, or anything but a refusal is raised.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from threading import Event

from tvlb.errors import InvalidInput
from tvlb.model import throughput
from tvlb.paths import parse_expression
from tvlb.processes import gather, local_workers
from tvlb.topology import ARRANGEMENTS, Dragonfly
from tvlb.traffic import MatrixPattern, Pattern, parse_pattern

# CBC prints eight digits.
TOLERANCE = 1e-6
GAP = 1e-3
MOST_SWITCHES = 40
# Programs of dense patterns have a flow for every pair of switches.
MOST_SWITCHES_DENSE = 16
PATTERNS = ("shift", "type2", "permutation", "uniform", "mixed", "tmixed", "matrix")
DENSE = ("uniform", "mixed", "tmixed", "matrix")
SHAPES = ("g.?", "lg.?", "g.g", "lgl.?", "?.g", "lg.lg", "?")


@dataclass(frozen=True)
class Program:
    """One question, and the seed of the path set's random part."""

    topology: Dragonfly
    expression: str
    pattern: Pattern
    monotone: bool
    seed: int

    def __str__(self) -> str:
        return (
            f"{self.topology} {self.expression} {self.pattern} monotone={self.monotone} "
            f"seed={self.seed}"
        )


def drawn(seed: int) -> Program | str:
    """Draw a program, or return what was refused."""
    random = Random(seed)
    kind = random.choice(PATTERNS)
    try:
        topology = _topology(random, MOST_SWITCHES_DENSE if kind in DENSE else MOST_SWITCHES)
        return Program(
            topology,
            _path_set(random),
            _pattern(kind, topology, random),
            random.random() < 0.8,
            seed,
        )
    except InvalidInput as error:
        return str(error)


def _topology(random: Random, most: int) -> Dragonfly:
    while True:
        p, a, h = random.randint(1, 4), random.randint(1, 6), random.randint(1, 4)
        groups = random.randint(2, max(2, min(a * h + 1, most // a)))
        if a * groups <= most:
            return Dragonfly(p, a, h, groups, random.choice([*ARRANGEMENTS]))


def _path_set(random: Random) -> str:
    limit = random.choice(["none", "all", "<=2", "<=3", "<=4", "<=5"])
    parts = [
        f"{limit}+{random.randint(1, 99)}%" if limit[0] == "<" and random.random() < 0.5 else limit,
        random.choice(["short(2,3)", "short(3,2)", "short(<=4)", "short(all)", "<=4+(2,3)"]),
        _shapes(random),
        f"{_shapes(random)} & <={random.randint(3, 5)}",
    ]
    return random.choice(parts)


def _shapes(random: Random) -> str:
    chosen = random.sample(SHAPES[:-1], random.randint(1, 3)) if random.random() < 0.8 else ["?.?"]
    return f"shape({', '.join(f'{one}:{random.choice([1, 2, 7.5])}' for one in chosen)})"


def _pattern(kind: str, topology: Dragonfly, random: Random) -> Pattern:
    shift = (
        f"shift({random.randrange(1, topology.groups)},"
        f"{random.randrange(topology.switches_per_group)})"
    )
    match kind:
        case "shift":
            return parse_pattern(shift)
        case "mixed" | "tmixed":
            share = random.randint(1, 99)
            return parse_pattern(f"{kind}({share},{100 - share},{shift})")
        case "matrix":
            return _matrix(topology, random)
        case "uniform":
            return parse_pattern(kind)
        case _:
            return parse_pattern(f"{kind}(seed={random.randrange(1000)})")


def _matrix(topology: Dragonfly, random: Random) -> MatrixPattern:
    """Switches send to some others, no more than their nodes can send."""
    entries: list[tuple[int, int, float]] = []
    for switch in range(topology.num_switches):
        count = random.randint(0, min(3, topology.num_switches))
        for target in sorted(random.sample(range(topology.num_switches), count)):
            entries.append((switch, target, topology.nodes_per_switch * random.random() / count))
    return MatrixPattern("random", "switch", tuple(entries))


def solve(program: Program) -> Iterator[str]:
    """Solve in three ways; yields what is wrong."""
    path_set = parse_expression(program.expression, program.topology, program.seed)
    highs, cbc, bounded = (
        throughput(
            program.topology,
            path_set,
            program.pattern,
            monotone=program.monotone,
            solver=solver,
            seed=program.seed,
        )
        for solver in ("highs", "pulp:PULP_CBC_CMD", f"rm+:{GAP}")
    )
    slack = TOLERANCE * max(1.0, highs.theta_up)
    if highs.theta_up - highs.theta_low > slack:
        yield f"{program}: HiGHS between {highs.theta_low} and {highs.theta_up}"
    for name, found in (("HiGHS", highs), ("bounds", bounded)):
        if not found.theta_low - slack <= cbc.theta <= found.theta_up + slack:
            yield f"{program}: CBC {cbc.theta}, {name} {found.theta_low} to {found.theta_up}"


def check(seed: int) -> tuple[str, str]:
    """Draw and solve; returns how it ended, and what to say of it."""
    program = drawn(seed)
    if isinstance(program, str):
        return "refused", program
    try:
        wrong = list(solve(program))
    except InvalidInput as error:
        return "refused", f"{program}: {error}"
    except Exception as error:
        return "failed", f"{program}: {error!r}"
    return ("wrong", "; ".join(wrong)) if wrong else ("agree", "")


def main() -> int:
    """Command line entry."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    first = given.seed * 1_000_000
    with local_workers(given.workers) as workers:
        parts = [workers.submit(check, first + number) for number in range(given.programs)]
        ends = gather(parts, Event(), lambda: None)
    for end, text in ends:
        if end in {"wrong", "failed"}:
            print(f"{end}: {text}")
    counts = Counter(end for end, _ in ends)
    reasons = Counter(text.split(": ")[-1][:60] for end, text in ends if end == "refused")
    for reason, count in reasons.most_common():
        print(f"refused {count} times: {reason}")
    bad = counts["wrong"] + counts["failed"]
    print(
        f"{given.programs} programs: {counts['agree']} agree with CBC to {TOLERANCE}, "
        f"{counts['refused']} refused, {counts['wrong']} wrong, {counts['failed']} failed: "
        f"{'PASS' if not bad and counts['agree'] else 'FAIL'}"
    )
    return int(bad > 0 or not counts["agree"])


if __name__ == "__main__":
    sys.exit(main())
