"""The links of the documents lead somewhere, and the commands and options that they name exist."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_group

from tvlb.cli.app import app

_ROOT = Path(__file__).parents[1]
_GUIDES = [
    _ROOT / "README.md",
    *sorted((_ROOT / "docs").glob("**/*.md")),
    *sorted((_ROOT / "api").glob("**/*.md")),
]
_BLOCK = re.compile(r"(?:^    .*\n)+|^```\w*\n(?:.*\n)*?```$", re.MULTILINE)
_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_OURS = re.compile(r"(?:^|/bin/|exec \w+ |=\S+ )tvlb ([a-z]+)(?: (\w+))?")
_BENCH = re.compile(r"(?:^|python |python -m )bench[./](\w+)")
_OPTION = re.compile(r"(?<![\w-])--[a-z]+(?:-[a-z]+)*\b(?!-)")
# An example of an option of sbatch.
_FOREIGN = {"--qos", "--tls-ca-file", "--tls-cert", "--tls-key"}


@pytest.mark.parametrize("page", [*_GUIDES, _ROOT / "CHANGELOG.md"], ids=lambda page: page.stem)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    text = page.read_text()
    assert "@@" not in text
    for target in re.findall(r"\]\(([^)]+)\)", _BLOCK.sub("", text)):
        if target.startswith("http"):
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        assert file.exists(), target
        assert not anchor or anchor in map(_anchor, _HEADING.findall(file.read_text())), target


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")


@pytest.mark.parametrize("page", _GUIDES, ids=lambda page: page.stem)
def test_commands_and_options_exist(page: Path) -> None:
    text = page.read_text()
    lines = [line for block in _BLOCK.findall(text) for line in _lines(block)]
    spans = [" ".join(span.split()) for span in _SPAN.findall(_BLOCK.sub("", text))]
    for code in lines + spans:
        for command in re.split(r" && | \| |; ", code):
            named = set(_OPTION.findall(command))
            assert named <= _known(command.removeprefix("$ "), named), command


def _lines(block: str) -> list[str]:
    """The lines of a block as the shell reads them, without comments."""
    joined = re.sub(r"\\\n\s*", "", block)
    return [re.sub(r"(^|\s)#.*", "", line).strip() for line in joined.splitlines()]


def _known(command: str, named: set[str]) -> set[str]:
    """The options that a command may name: those named, of programs that are not ours."""
    if ours := _OURS.search(command):
        return _options(*ours.groups())
    if script := _BENCH.search(command):
        return _script_options(script[1])
    if command.startswith("--"):
        scripts = (path.stem for path in (_ROOT / "bench").glob("*.py"))
        return _FOREIGN.union(_all_options(), *map(_script_options, scripts))
    return named


@cache
def _commands() -> dict[str, Any]:
    group = get_group(app)
    context = group.make_context("tvlb", [], resilient_parsing=True)
    return {name: group.get_command(context, name) for name in group.list_commands(context)}


@cache
def _all_options() -> set[str]:
    return {option for name in _commands() for option in _options(name)}


def _options(name: str, action: str | None = None) -> set[str]:
    command = _commands()[name]
    actions: dict[str, Any] = getattr(command, "commands", {})
    if action is not None and actions:
        command, actions = actions[action], {}
    parameters = [one for each in (command, *actions.values()) for one in each.params]
    return {"--help"}.union(*({*one.opts, *one.secondary_opts} for one in parameters))


@cache
def _script_options(name: str) -> set[str]:
    folder = _ROOT / "bench" / name
    script = folder / "__main__.py" if folder.is_dir() else folder.with_suffix(".py")
    return set(re.findall(r'"(--[a-z-]+)"', script.read_text()))
