"""What an explained run says: in words a player knows, and nothing that only the program understands."""

from __future__ import annotations

import re
from typing import Any

import pytest

import sim
from sim.battle import told as battle
from sim.battle.told import MeleeResult
from sim.charge import told as charge
from sim.combat import told as combat
from sim.combat.told import Moved, Rolled
from sim.doctrine import told as plan
from sim.report.narration import explain, story
from sim.report.wording import WORDS
from sim.rulesets.blocks import Part
from sim.rulesets.catalogue import load
from sim.rulesets.shipped import names
from sim.studies.odds import responses_of
from sim.units.record import Event, Lost
from tests.agreement.charges import random_charge

INTERNAL = re.compile(r"\(-?\d+, -?\d+\)|Fraction|\bNone\b|\b[0-9]\.[0-9]\.[a-z]+/|[a-z]_[a-z]")
"""Coordinates of hexes, decisions by name, words of the code."""


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_no_internal_word_reaches_the_reader(first: int) -> None:
    effects = {
        name
        for book in names()
        for name in load(book).merged["matrix"]["effects"]
        if name not in ("none", "S")
    }
    for index in range(first, first + 20):
        charge = random_charge(index)
        told = explain(charge, responses_of(charge.attacks[0])[-1], index, 3)
        for line in story(told["steps"]):
            assert not INTERNAL.search(line), line
            assert not effects & set(re.split(r"[^\w-]+", line)), line


def words(event: Event) -> str:
    return WORDS[type(event)](event, str)


def moved(rout: bool, hexes: int, bearing: int) -> Event:
    return Moved(rule="30", unit=0, group=(0,), rout=rout, hexes=hexes, bearing=bearing)


def result(attacker: Part | None, defender: Part | None) -> Event:
    return MeleeResult(rule="34", unit=0, attacker=attacker, defender=defender)


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (moved(True, 10, 180), "runs 10 hexes, behind where it stood"),
        (moved(True, 10, -180), "runs 10 hexes, behind where it stood"),
        (moved(False, 1, 0), "falls back 1 hex, ahead of where it stood"),
        (moved(False, 3, 60), "falls back 3 hexes, ahead and to the right of where it stood"),
        (moved(False, 3, -120), "falls back 3 hexes, behind and to the left of where it stood"),
        (result(Part(retreat=1), Part(retreat=1)), "both sides fall back 1 hex"),
        (
            result(Part(retreat=1, check=-3), Part(retreat=1)),
            "the attackers fall back 1 hex and check at -3; the defenders fall back 1 hex",
        ),
        (result(Part(), Part(becomes="routed", lose=1)), "the defenders lose 1 and rout"),
        (result(Part(), Part(square_check=6)), "the defenders check at +6, whether the square holds"),
        (result(Part(), Part()), "nothing happens"),
    ],
)
def test_events_are_told_in_words(event: Event, text: str) -> None:
    assert words(event) == text


def test_every_event_has_words() -> None:
    """But rolls and losses, which are told otherwise."""
    kinds = {
        kind
        for room in (battle, charge, combat, plan)
        for kind in vars(room).values()
        if isinstance(kind, type) and issubclass(kind, Event) and not issubclass(kind, Rolled | Lost)
    }
    assert kinds - {Event, plan.Decided, plan.Against} == set(WORDS)


def test_every_effect_of_every_rule_set_has_words() -> None:
    for name in names():
        for effect in load(name).blocks.matrix.effects.values():
            for side in (effect.attacker, effect.defender):
                for part in (side.any, side.infantry, side.cavalry) if side else ():
                    if part is not None:
                        assert words(result(part, None)).startswith("the attackers ")


LANCERS: dict[str, Any] = {
    "charger": {
        "name": "Lancers", "nation": "Prussian", "type": "Hussar", "formation": "line", "movement": 14, "increments": 6, "printed": 8,
        "melee": 18, "lance": 4, "morale": 22,
    },
    "target": {
        "name": "Ligne", "nation": "French", "type": "Ligne", "formation": "column", "increments": 9, "fire": 12, "melee": 20, "morale": 11,
        "battery": {"name": "Guns", "increments": 3},
    },
    "distance": 5,
}  # fmt: skip


def lines(charge: dict[str, Any], rolls: list[int], begin: str) -> list[str]:
    """The lines of a told run from the one that holds a text to its roll, without sources."""
    told = sim.explain(charge, "stand", rolls=rolls).lines()
    first = next(number for number, line in enumerate(told) if begin in line)
    last = next(
        number for number, line in enumerate(told) if number > first and line.strip().startswith("rolls")
    )
    return [line.split("  [")[0] if number else line.strip() for number, line in enumerate(told[first:last])]


def test_a_melee_lists_the_printed_value_the_share_the_charge_and_the_lance() -> None:
    """18 × 6/8 × 2 for three straight hexes, and the lance 4 × 2 × 6/8 that nothing doubles (rules 32 to
    35)."""
    assert lines(LANCERS, [66, 66, 11, 11, 11, 66], "Ligne: melee,") == [
        "[34] Lancers against Ligne: melee, 33 against 23: column 1:1",
        "      33 Lancers",
        "        18 printed melee value",
        "        ×3/4 share of increments (6 of 8)",
        "        ×2 three straight hexes",
        "        +6 lance (4 × 2 in line, 6 of 8 increments)",
        "      against 20 Ligne: printed melee value",
        "      and 3 Guns: printed melee value",
    ]


def test_premelee_odds_list_the_increments_that_count() -> None:
    """Six in line count as four against nine and three (rule 33; seed 003)."""
    assert lines(LANCERS | {"distance": 2}, [11, 66, 66], "pre-melee") == [
        "[33] Ligne: pre-melee check, must beat 11, 4 against 12: column 1:2",
        "      4 Lancers",
        "        6 increments of Lancers",
        "        at most 4 in line",
        "      against 12 Ligne and Guns",
        "        9 increments of Ligne",
        "        +3 increments of Guns",
    ]


def test_fire_lists_what_counts_on_both_sides() -> None:
    """A battalion of 7 in line fires 4 × 3; eight lancers in line are a column's target, and six a line's
    (seed 003)."""
    charge = {
        **LANCERS,
        "target": LANCERS["target"] | {"formation": "line", "increments": 7, "battery": None},
    }
    charge["target"].pop("battery")
    full = {**charge, "charger": LANCERS["charger"] | {"increments": 8}}
    assert lines(full, [66, 11, 11, 11, 11], ": fire,") == [
        "[27] at Lancers: fire, 12 against 6: column 2:1",
        "      12 Ligne",
        "        4 increments in line (7 there, at most 4 fire)",
        "        ×3 multiple in line",
        "      against 6 Lancers: column, as with 7 or more increments in line, clear terrain",
    ]
    assert (
        lines(charge, [66, 11, 11, 11, 11], ": fire,")[-1] == "      against 9 Lancers: line, clear terrain"
    )


def test_the_object_lists_what_the_text_lists() -> None:
    told = sim.explain(LANCERS, "stand", rolls=[66, 66, 11, 11, 11, 66])
    melee = next(step["strengths"] for step in told["steps"] if step.get("kind") == "melee")
    assert (melee["attack"]["value"], melee["defence"]["value"], melee["column"]) == ("33", "23", "1:1")
    assert [(one["sign"], one["amount"], one["what"]) for one in melee["attack"]["shares"][0]["factors"]] == [
        ("+", "18", "printed melee value"),
        ("×", "3/4", "share of increments (6 of 8)"),
        ("×", "2", "three straight hexes"),
        ("+", "6", "lance (4 × 2 in line, 6 of 8 increments)"),
    ]
    assert all(one["source"] for one in melee["attack"]["shares"][0]["factors"][1:])


def test_cavalry_that_comes_off_a_square_is_told_to() -> None:
    """Shot at as it rides off the square it was to ride over, it routs there, and does not end the half on
    it."""
    data = {
        "ruleset": "prusse-1806",
        "charger": {
            "nation": "French",
            "type": "Dragoon",
            "movement": 12,
            "increments": 8,
            "melee": 30,
            "morale": 33,
        },
        "target": {
            "nation": "Prussian",
            "type": "Musketeer",
            "increments": 8,
            "fire": 5,
            "melee": 16,
            "morale": 31,
        },
        "distance": 8,
        "plan": {"square": "ride over"},
    }
    told = sim.explain(data, "carre@4", rolls=[11, 11, 66, 11, 11, 66])
    assert "[34] charger: comes off the enemy's hex" in str(told)
