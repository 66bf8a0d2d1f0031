"""What a rulebook says as arrays is what its file says; no room but that of the rule sets reads their data as
written."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim.rulesets import catalogue, shipped
from sim.rulesets.compiled import BLANK, DD, DS, SHAPES
from sim.rulesets.conditions import Setting
from sim.rulesets.modifiers import facts
from sim.rulesets.rulebook import Rulebook, rulebook
from sim.vocabulary import (
    CAVALRY,
    COLUMN,
    DISORDERED,
    ELIMINATED,
    FORMATIONS,
    GONE,
    GOOD,
    INFANTRY,
    LIMBERED,
    LINE,
    ROUTED,
    SQUARE,
    SURRENDERED,
    UNLIMBERED,
    Arm,
    Kind,
)


def book_of(name: str = "prusse-1806", switches: Mapping[str, Setting] | None = None) -> Rulebook:
    """A rule set's rulebook under its own switches, but for those given."""
    rules = catalogue.load(name)
    return rulebook(rules, rules.switches(changes=switches))


@pytest.mark.parametrize(
    ("arm", "state", "formation", "letter", "effect"),
    [
        (INFANTRY, GOOD, COLUMN, DD, "D-dis"),
        (INFANTRY, DISORDERED, LINE, BLANK, "BACK1"),
        (INFANTRY, ROUTED, COLUMN, DS, "S"),
        (INFANTRY, GOOD, SQUARE, 1, "A-dis-sq"),
        (CAVALRY, GOOD, COLUMN, DD, "D-rout"),
        (CAVALRY, ROUTED, LINE, BLANK, "D-fall6"),
        (int(Arm.ARTILLERY), DISORDERED, LIMBERED, DD, "G-dis3"),
        (int(Arm.ARTILLERY), DISORDERED, UNLIMBERED, DD, "G-lose1"),
        (INFANTRY, GOOD, COLUMN, -1, ""),
        (INFANTRY, GONE, COLUMN, DD, ""),
        (CAVALRY, DISORDERED, COLUMN, DD, ""),
    ],
)
def test_the_matrix_by_number(arm: int, state: int, formation: int, letter: int, effect: str) -> None:
    matrix = book_of().matrix
    assert matrix.effects[matrix.effect[arm, state, formation, letter]].name == effect


def test_switches_are_in_the_matrix() -> None:
    for changed, place, names in (
        ("cav_dd", (CAVALRY, GOOD, COLUMN, DD), ["D-rout", "D-fall3"]),
        ("cav_ad_vs_infantry", (INFANTRY, GOOD, COLUMN, 1), ["A-dis", "A-rout"]),
        ("cav_ad_vs_infantry", (INFANTRY, GOOD, SQUARE, 1), ["A-dis-sq", "A-rout"]),
    ):
        values = catalogue.load("prusse-1806").allowed()[changed]
        found = [book_of("prusse-1806", {changed: value}).matrix for value in values]
        assert [one.effects[one.effect[place]].name for one in found] == names


def test_parts_by_number() -> None:
    effects = {one.name: one for one in book_of().matrix.effects}
    attackers = [
        part and (part.state, part.removal, part.retreat, part.zone_loss, part.check)
        for name in ("A-rout", "A-dis")
        for part in effects[name].on_attacker
    ]
    rout = (ROUTED, None, 0, 1, None)
    assert attackers == [rout, rout, rout, (DISORDERED, None, 3, 1, None), (None, None, 3, 1, -3), None]
    parts = [effects[name].on_defender for name in ("S", "G-elim", "SQ-dis", "SQ-hold")]
    assert [part and part.removal for part in parts] == [SURRENDERED, ELIMINATED, None, None]
    assert [part and part.square_dd for part in parts] == [False, False, True, False]
    assert [part and part.square_check for part in parts] == [None, None, None, 6]
    assert [name for name, one in effects.items() if one.routs_square] == ["SQ-rout"]


def test_melee_results_taken_apart() -> None:
    book = book_of()
    numbers = {name: n for n, name in enumerate(book.melee_chart.outcomes)}
    results = book.melee_results
    n = numbers["2*/1"]
    assert (results.attack_loss[n], results.defence_loss[n], results.letter[n]) == (2, 1, -1)
    assert (bool(results.attack_star[n]), bool(results.defence_star[n])) == (True, False)
    assert [results.letter[numbers[name]] for name in ("AR", "none", "DS")] == [0, BLANK, DS]
    assert results.attack_loss[numbers["DS"]] == 0


def test_fire_defence_by_number() -> None:
    book = book_of("wagram-1809")
    chart, clear = book.fire_defence, book.terrains.index("clear")
    assert chart.value.shape == (1 + len(chart.classes), len(book.terrains), len(SHAPES))
    assert chart.value[0, clear, [COLUMN, LINE, 8 + DISORDERED]].tolist() == [
        book.defence("clear", name)[0] for name in ("column", "line", "disordered")
    ]
    assert chart.value.min() >= 1
    assert not chart.general_order[clear]


def test_a_roster_by_unit() -> None:
    book = book_of()
    nations, types = ["French", "Prussian", "French"], ["line", "line", None]
    roster = book.roster(nations, types, [Kind.INFANTRY, Kind.INFANTRY, Kind.HEAVY_CAVALRY])
    assert roster.carre_row.shape == (3, len(FORMATIONS))
    assert [int(row[LINE]) for row in roster.carre_row[:2]] == [
        book.carre_row(nation, "line") for nation in nations[:2]
    ]
    assert (roster.carre_row[:, SQUARE] == -1).all()
    assert roster.recall_needs[:2].tolist() == [-1, -1]
    assert roster.recall_needs[2] == book.recall_row("French", None, light=False).needs
    assert roster.checks_first.dtype == np.bool_
    assert not roster.routs_on_loss.any()


def test_a_roster_knows_who_does_not_charge_what() -> None:
    name = next(
        one
        for one in shipped.names()
        if any(
            getattr(troop, "charges_not", ())
            for types in catalogue.load(one).blocks.troops.rows.values()
            for troop in types.values()
        )
    )
    book = book_of(name)
    nation, kind = next(
        (nation, kind)
        for nation, types in book.blocks.troops.rows.items()
        for kind, troop in types.items()
        if getattr(troop, "charges_not", ())
    )
    roster = book.roster([nation, nation], ["no such", kind], [Kind.LIGHT_CAVALRY] * 2)
    assert [refusal for refusal, _ in roster.refusals] == list(book.charges_not(nation, kind))
    assert all(mask.tolist() == [False, True] for _, mask in roster.refusals)


PACKAGE = Path(catalogue.__file__).parents[1]
READERS = ("rulesets", "inputs")
"""Rooms that read the data of files."""
PLACES = ("files", "locate")
"""What other rooms may ask of the module that reads rule-set files: where they are."""


def raw_reads(source: str) -> Iterator[str]:
    """Where a module takes the data of a rule set as written: merged, or straight from its files."""
    nodes = list(ast.walk(ast.parse(source)))
    imports = [
        (node, node.module, {one.name for one in node.names})
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module
    ]
    reads_files = any(module == "sim.rulesets" and "chain" in names for _, module, names in imports)
    for node, module, names in imports:
        if module in ("sim.rulesets.chain", "sim.rulesets.merging"):
            yield f"line {node.lineno}: {ast.unparse(node)}"
        elif module == "sim.rulesets" and "merging" in names:
            yield f"line {node.lineno}: {ast.unparse(node)}"
    for one in nodes:
        if not isinstance(one, ast.Attribute):
            continue
        of_chain = reads_files and isinstance(one.value, ast.Name) and one.value.id == "chain"
        if one.attr == "merged" or (of_chain and one.attr not in PLACES):
            yield f"line {one.lineno}: {ast.unparse(one)}"


@pytest.mark.parametrize(
    "source",
    [
        "points = rules.merged['charge']['bonus_movement']",
        "def f(book): return book.ruleset.merged.get('fire')",
        "from sim.rulesets import chain\n_, data = chain.merge(path)",
        "from sim.rulesets.chain import read",
        "from sim.rulesets import merging",
    ],
)
def test_a_raw_read_is_seen(source: str) -> None:
    assert list(raw_reads(source))


@pytest.mark.parametrize(
    "path",
    [one for one in sorted(PACKAGE.rglob("*.py")) if one.relative_to(PACKAGE).parts[0] not in READERS],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_no_other_room_reads_rule_sets_as_written(path: Path) -> None:
    assert list(raw_reads(path.read_text(encoding="utf-8"))) == []


TYPED = ("rules", "combat", "charge", "battle")
"""Rooms in which the type checker knows what everything is."""
UNTYPED = {"battle/clock.py"}
"""What SimPy sends into a process it does not know either."""


def untyped(source: str) -> list[int]:
    """The lines of a module that say Any."""
    return [
        one.lineno for one in ast.walk(ast.parse(source)) if isinstance(one, ast.Name) and one.id == "Any"
    ]


def test_an_untyped_line_is_seen() -> None:
    assert untyped("from typing import Any\n\ndef f(x: list[Any]) -> None: ...") == [3]


@pytest.mark.parametrize("room", TYPED)
def test_the_rooms_of_play_are_typed(room: str) -> None:
    modules = {str(one.relative_to(PACKAGE)): one for one in sorted((PACKAGE / room).glob("*.py"))}
    assert modules
    found = {name: untyped(one.read_text(encoding="utf-8")) for name, one in modules.items()}
    assert {name for name, lines in found.items() if lines} <= UNTYPED


def test_a_rulebook_plays_without_the_data_as_written() -> None:
    rules = replace(catalogue.load("prusse-1806"), merged={})
    book = Rulebook(rules, rules.switches())
    known = facts({"unit.state": "disordered", "unit.arm": "infantry"})
    assert book.morale_modifiers.apply(known, 1).total.tolist() == [-3]
    assert book.defence("clear", "line")[0] == 9
    assert len(book.multipliers) > 10
    assert book.melee_columns[0] == "1:2"
