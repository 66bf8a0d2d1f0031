"""CONTRIBUTING.md and the pre-commit hooks name commands, options and files that are there, and check what
.ci/run checks."""

from __future__ import annotations

import re
import shlex
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from tests.docs.test_readme import links
from tests.faults.planted import faults

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "CONTRIBUTING.md"
HOOKS = ROOT / ".pre-commit-config.yaml"
CI = ROOT / ".ci" / "run"


def commands() -> list[list[str]]:
    """Every command of the page's shell blocks, as words, without comments."""
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [
        words
        for block in blocks
        for line in block.splitlines()
        if (words := shlex.split(line, comments=True))
    ]


def hooks() -> list[dict[str, Any]]:
    (repository,) = yaml.safe_load(HOOKS.read_text(encoding="utf-8"))["repos"]
    assert repository["repo"] == "local", "a hook from elsewhere needs a network"
    found: list[dict[str, Any]] = repository["hooks"]
    return found


def test_the_hooks_are_the_checks_of_the_continuous_integration() -> None:
    checks = [
        line.replace(" --check", "").removesuffix(" .")
        for line in CI.read_text(encoding="utf-8").splitlines()
        if line.startswith(".venv/")
    ]
    assert [hook["entry"] for hook in hooks()] == checks
    assert {hook["language"] for hook in hooks()} == {"system"}


def test_the_page_shows_those_checks() -> None:
    shown = [" ".join(words) for words in commands()]
    assert [
        entry
        for hook in hooks()
        for entry in [hook["entry"]]
        if entry not in shown and f"{entry} ." not in shown
    ] == []


def test_every_module_and_file_of_a_command_is_there() -> None:
    for words in commands():
        for module in (
            after
            for before, after in pairwise(words)
            if before == "-m" and words[0].endswith(("python3", "python"))
        ):
            if module in ("pytest", "fuzz", "bench"):
                continue
            path = ROOT / module.replace(".", "/")
            assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), module
        for word in words:
            if "/" in word and not word.startswith(".venv/"):
                assert (ROOT / word).exists(), word


def test_every_marker_and_option_of_a_command_is_known() -> None:
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"][
        "ini_options"
    ]
    markers = {marker.partition(":")[0] for marker in configuration["markers"]}
    options = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8") + (
        ROOT / "tests" / "faults" / "__main__.py"
    ).read_text(encoding="utf-8")
    rules = {fault.rule for fault in faults()}
    seen = set()
    for words in commands():
        for before, after in pairwise(words):
            if before == "-m" and after in markers:
                seen.add(after)
            if before == "--rule":
                assert after in rules
        assert [word for word in words if word.startswith("--") and f'"{word}"' not in options] == []
    assert seen == {"bench", "fuzz"}


def test_every_link_of_the_page_leads_to_a_file() -> None:
    found = links(PAGE)
    assert len(found) > 4
    assert [target for target in found if not (ROOT / target).exists()] == []


def test_the_tests_readme_names_every_folder_and_shared_module() -> None:
    """A folder of tests, or a module that tests share, without its line is one that nobody finds."""
    here = ROOT / "tests"
    named = set(
        re.findall(r"^\| `([\w/.]+)`", (here / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert [name for name in named if not (here / name).exists()] == []
    folders = {f"{path.parent.name}/" for path in here.glob("*/__init__.py")}
    shared = {
        path.relative_to(here).as_posix()
        for folder in (here, here / "agreement", here / "fuzz")
        for path in folder.glob("[a-z]*.py")
    }
    shared = {name for name in shared if not Path(name).name.startswith("test_") and name != "conftest.py"}
    assert folders | shared <= named
