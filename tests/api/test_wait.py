"""The Prefer header."""

import pytest

from api.submission import parse_wait


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (None, None),
        ("", None),
        ("wait=5", 5.0),
        ("Wait = 5", 5.0),
        ('respond-async, wait="7"; x=1', 7.0),
        ("wait=99999", 300.0),
        ("wait=0", 0.0),
        ("wait=-1", None),
        ("wait=1e3", None),
        ("wait", None),
        ("return=minimal", None),
    ],
)
def test_preferences_that_are_not_understood_are_passed_over(
    text: str | None, seconds: float | None
) -> None:
    assert parse_wait(text) == seconds
