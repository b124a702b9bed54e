"""What the compiled modules make is gone at the end of a program."""

import subprocess
import sys
from pathlib import Path


def test_no_instance_of_a_bound_class_is_left_at_the_end_of_a_program() -> None:
    # nanobind reports those on stderr. On stdout are the classes that the program does not use.
    ended = subprocess.run(
        [sys.executable, "-m", "tests.all_bound_classes"],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        check=False,
        text=True,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
