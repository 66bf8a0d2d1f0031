"""What an explained run says: in words a player knows, and nothing that only the program understands."""

from __future__ import annotations

import re

import pytest

from sim.battle.journal import Effect, Moved
from sim.narration import explain, story, wording
from sim.rulesets import load, names
from sim.studies.odds import responses_of
from tests.agreement.charges import random_charge

INTERNAL = re.compile(r"\(-?\d+, -?\d+\)|Fraction|\bNone\b|\b[0-9]\.[0-9]\.[a-z]+/|[a-z]_[a-z]")
"""Coordinates of hexes, decisions by name, words of the code."""


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_no_internal_word_reaches_the_reader(first: int) -> None:
    effects = {name for book in names() for name in load(book).data["matrix"]["effects"] if name not in ("none", "S")}
    for index in range(first, first + 20):
        charge = random_charge(index)
        told = explain(charge, responses_of(charge)[-1], index, 3)
        for line in story(told["steps"]):
            assert not INTERNAL.search(line), line
            assert not effects & set(re.split(r"[^\w-]+", line)), line


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (Moved(True, 10, 180), "runs 10 hexes, behind where it stood"),
        (Moved(True, 10, -180), "runs 10 hexes, behind where it stood"),
        (Moved(False, 1, 0), "falls back 1 hex, ahead of where it stood"),
        (Moved(False, 3, 60), "falls back 3 hexes, ahead and to the right of where it stood"),
        (Moved(False, 3, -120), "falls back 3 hexes, behind and to the left of where it stood"),
        (Effect({"retreat": 1}, {"retreat": 1}), "both sides fall back 1 hex"),
        (Effect({"retreat": 1, "check": -3}, {"retreat": 1}), "the attackers fall back 1 hex and check at -3; the defenders fall back 1 hex"),
        (Effect({}, {"becomes": "routed", "lose": 1}), "the defenders lose 1 and rout"),
        (Effect({}, {"square_check": 6}), "the defenders check at +6, whether the square holds"),
        (Effect({}, {}), "nothing happens"),
    ],
)
def test_facts_are_told_in_words(fact: Moved | Effect, words: str) -> None:
    assert wording(fact) == words


def test_every_effect_of_every_rule_set_has_words() -> None:
    for book in names():
        for effect in load(book).data["matrix"]["effects"].values():
            for side in effect.values():
                for part in side.values():
                    assert wording(Effect(part, {})).startswith("the attackers ")
