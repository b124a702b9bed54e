"""What is kept of a stage comes back exactly; whole searches are in test_checkpoint.py."""

import math

import numpy as np
import pytest

from tvlb.search import ProbePoint, ProbeResult, Sample, Work
from tvlb.search.codecs import PROBE, figures_codec
from tvlb.search.figures import Figures


def test_numbers_come_back_to_the_last_bit_and_nan_as_nan() -> None:
    values = np.array([[0.1 + 0.2, math.nan], [5e-324, -0.0]])
    codec = figures_codec((2, 2))
    found = codec.decode(codec.encode(Figures({"latency": values}, Work(0, 2**60, 3))))
    assert found.values["latency"].tobytes() == values.tobytes()
    assert found.work == Work(0, 2**60, 3)
    assert codec.units(found) == 4


def test_figures_of_other_shapes_are_refused() -> None:
    data = figures_codec((2, 2)).encode(Figures({"latency": np.zeros((2, 2))}, Work()))
    with pytest.raises(ValueError, match="reshape"):
        figures_codec((2, 3)).decode(data)


def test_stages_without_entrants_are_kept() -> None:
    codec = figures_codec((0, 5))
    found = codec.decode(codec.encode(Figures({"saturation": np.zeros((0, 5))}, Work())))
    assert found.values["saturation"].shape == (0, 5)


def test_a_probe_of_a_single_pattern_has_no_errors_and_comes_back() -> None:
    point = ProbePoint("<=3", 0.1, math.nan, 0.1, 0.3, 1, 2.9, -0.2)
    sample = Sample(("shift(1,0)",), 20, math.nan, "as many patterns as were asked for")
    result = ProbeResult((point, point), (point,), "<=3", 0.3, sample)
    assert repr(PROBE.decode(PROBE.encode(result))) == repr(result)
    assert result.programs == 3
