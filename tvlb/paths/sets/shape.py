"""Sets by shape: paths weigh as the kinds of the links that their halves take."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from tvlb.languages import Call, one_of
from tvlb.paths.expression_set import ExpressionSet
from tvlb.paths.path_set import WeightedSet
from tvlb.paths.shape_rule import ShapeRule
from tvlb.paths.shapes import SHAPE_REGEX, shapes_of
from tvlb.topology import Topology


@dataclass(frozen=True, repr=False)
class ShapeSet(WeightedSet, ExpressionSet):
    """VLB paths by shape, each with the weight of its shape.

    Attributes
    ----------
    weights : by shape code (`tvlb.paths.shapes`), 0 to leave a shape out.

    Notes
    -----
    A pair that has no path of these shapes takes all paths of the nearest shape that it has.
    """

    weights: tuple[float, ...]

    name = "shape"
    examples = ("shape(g.g:8, g.lg)",)
    place = 3

    def __post_init__(self) -> None:
        shapes_of(self.topology).check_weights(self.weights)

    @classmethod
    def of_call(cls, call: Call, topology: Topology) -> Self | None:
        """See `ExpressionSet.of_call`."""
        if call.keywords or not call.arguments:
            return None
        return cls(topology, shapes_of(topology).parse_weights(call.arguments))

    @classmethod
    def forms(cls, topology: Topology) -> Sequence[str]:
        """See `ExpressionSet.forms`."""
        halves = one_of(shapes_of(topology).shown)
        return (f"{cls.name}(HALF.HALF[:WEIGHT], ...) with halves {halves}",)

    @classmethod
    def regex(cls) -> str:
        """See `ExpressionSet.regex`."""
        return rf"{cls.name} *\( *{SHAPE_REGEX} *(, *{SHAPE_REGEX} *)*\)"

    @property
    def rule(self) -> ShapeRule:
        """See `WeightedSet.rule`."""
        given = frozenset(code for code, weight in enumerate(self.weights) if weight)
        return ShapeRule(shapes_of(self.topology), self.weights, near_to=given)

    def __str__(self) -> str:
        return f"{self.name}({shapes_of(self.topology).weights_text(self.weights)})"


PATH_SET = ShapeSet
