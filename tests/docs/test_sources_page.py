"""docs/sources.md says what every source stands for that a shipped rule set, a switch, a modifier or the
program itself prints."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sim.report.narration import explain
from sim.rulesets import catalogue, shipped
from sim.rulesets.sources import SOURCE, TAGS
from sim.units import scenarios

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
READINGS = (
    (ROOT / "docs" / "rules.md")
    .read_text(encoding="utf-8")
    .partition("\n## 3. Readings")[2]
    .partition("\n## ")[0]
)

PAGES = r"(?:(?:SR|special) )?(?:p|fb)\d+(?:-\d+)?"
CHAPTERS = r"scenarios \d+\.\d+|D N\d+(?:\.\d+)?|D6 R1|D14 \d+|[A-E]\d+(?:\.\d+)*"
REFERENCES = re.compile(rf"\b(?:rule \d+|p=\d+|(?:Sept )?20[12]\d|{CHAPTERS})\b")


def rows(head: str) -> Iterator[tuple[list[str], str]]:
    """The names in the first cell of each row of the table under a head, and the rest of the row."""
    for line in PAGE.partition(f"\n| {head} |")[2].partition("\n\n")[0].splitlines()[1:]:
        first, _, rest = line.removeprefix("| ").partition(" | ")
        if names := re.findall(r"`([^`]+)`", first):
            yield names, rest


def listed(head: str) -> set[str]:
    return {name for names, _ in rows(head) for name in names}


BOOKS = {name: set(re.findall(r"`([^`]+)`", rest)) for names, rest in rows("book") for name in names}
KNOWN = listed("chapter") | listed("year")
TAGGED = listed("tag")
DECISIONS = listed("decision")
SEEDS = listed("page")


def unresolved(source: str) -> list[str]:
    """What a source refers to without being on the page."""
    missing = [tag for tag in re.findall(r"\[[A-Z]+\]", source) if tag not in TAGGED]
    text, found = re.sub(r"\[[A-Z]+\]", "", source), 0
    for book in sorted(BOOKS, key=len, reverse=True):
        for match in re.finditer(rf"\b{book}\b((?:,? ?{PAGES})*)", text):
            missing += [f"{book} {page}" for page in re.findall(PAGES, match[1]) if page not in BOOKS[book]]
            found += 1
        text = re.sub(rf"\b{book}\b((?:,? ?{PAGES})*)", " ", text)
    for match in re.finditer(r"\bseeds? (\d{3}(?:, \d{3})*)", text):
        missing += [f"seed {number}" for number in match[1].split(", ") if f"seed {number}" not in SEEDS]
        found += 1
    for number, part in re.findall(r"\b0-decisions (\d+)(?:\.(\d+))?", text):
        missing += [f"0-decisions {number}"] * (f"0-decisions {number}" not in DECISIONS)
        missing += [f"0-decisions {number}.{part}"] * bool(
            part and not re.search(rf"^{part}\. ", READINGS, re.MULTILINE)
        )
        found += 1
    text = re.sub(r"\bseeds? \d{3}(?:, \d{3})*|\b0-decisions \d+(?:\.\d+)?", " ", text)
    for name in REFERENCES.findall(text):
        missing += [name] * (name not in KNOWN)
        found += 1
    if not found and not re.search(r"\bas (the )?[A-Z]", text):
        missing.append("no reference")
    return missing


def sources_of(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "source":
                yield str(inner)
            elif name == "sources":
                yield from map(str, inner.values())
            else:
                yield from sources_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from sources_of(inner)


@pytest.mark.parametrize("name", [*shipped.names(), shipped.BASE])
def test_every_source_of_a_shipped_rule_set_resolves(name: str) -> None:
    found = set(sources_of(catalogue.load(name, partial=True).merged))
    assert {source: missing for source in found if (missing := unresolved(source))} == {}


def test_every_source_that_the_program_itself_names_resolves() -> None:
    found = set()
    for path in (ROOT / "sim").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and re.match(r"\[[A-Z]+\] (?!our)", node.value)
            ):
                found.add(node.value)
    assert len(found) > 5
    assert {source: missing for source in found if (missing := unresolved(source))} == {}


def test_what_an_explained_run_prints_resolves() -> None:
    printed = {
        one["source"]
        for run in range(12)
        for step in explain(scenarios.load(scenarios.DEFAULT), "stand", run)["steps"]
        for one in step.get("modifiers", ())
    }
    assert printed
    assert {source: missing for source in printed if (missing := unresolved(source))} == {}


def test_the_page_has_every_tag_and_says_that_the_notes_are_not_here() -> None:
    assert {f"[{tag}]" for tag in TAGS} == TAGGED
    assert all(SOURCE.match(tag) for tag in TAGGED)
    assert "are not part of it either" in " ".join(PAGE.split())


@pytest.mark.parametrize(
    ("source", "missing"),
    [
        ("[AID] D11; number [PRINT] LZ fb154", []),
        ("[AID] D99", ["D99"]),
        ("[PRINT] P17 p36, p399", ["P17 p399"]),
        ("[PRINT] seeds 001, 009", ["seed 009"]),
        ("[AID] 0-decisions 5.6", []),
        ("[AID] 0-decisions 5.99", ["0-decisions 5.99"]),
        ("[GOSSIP] D11", ["[GOSSIP]"]),
        ("[RECOMMENDED] as Rheinbund", []),
        ("[PRINT] somewhere", ["no reference"]),
    ],
)
def test_what_does_not_resolve_is_seen(source: str, missing: list[str]) -> None:
    assert unresolved(source) == missing
