"""The faults to plant, and the tests that `docs/rules.md` names for each rule."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
FAULTS = Path(__file__).with_name("faults.yaml")
HEAD = ["rule", "subject", "where", "tested besides by"]
GOLDEN = re.compile(r"tests/golden/runs/([\w-]+)\.yaml")
EXPLAINED = r"tests/golden/test_golden.py::test_an_explained_run_reads_as_it_did[\1]"


@dataclass(frozen=True)
class Fault:
    """One broken line.

    Attributes
    ----------
    rule, subject
        The row of `docs/rules.md`: its first cell, and how its second begins.
    fault
        What is wrong then, in words.
    file
        Path in the repository.
    line, broken
        Text that stands exactly once in the file, and what it becomes.
    """

    rule: str
    subject: str
    fault: str
    file: str
    line: str
    broken: str


@cache
def faults() -> tuple[Fault, ...]:
    """All faults, in the order of the rules."""
    return tuple(
        Fault(**{key: str(value) for key, value in row.items()})
        for row in yaml.safe_load(FAULTS.read_text(encoding="utf-8"))
    )


@cache
def rows() -> dict[tuple[str, str], list[str]]:
    """The tests named in each row of the table of rules, as arguments for pytest, by rule and subject."""
    lines = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8").splitlines()
    table = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]] for line in lines]
    found: dict[tuple[str, str], list[str]] = {}
    for row in table[table.index(HEAD) + 2 :]:
        if len(row) != len(HEAD):
            break
        found[row[0], row[1]] = [
            GOLDEN.sub(EXPLAINED, name) for name in re.findall(r"`(tests/[^`]+)`", row[-1])
        ]
    return found


def named_for(fault: Fault) -> list[str]:
    """What pytest is asked to run for a fault: the tests named in its row."""
    return next(
        tests
        for (rule, subject), tests in rows().items()
        if rule == fault.rule and subject.startswith(fault.subject)
    )
