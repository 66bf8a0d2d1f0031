"""Morale recovery on ground made by hand (docs/charge.md 11)."""

from __future__ import annotations

import pytest

from sim.battle.recovery import recover
from sim.ensemble.dice import ScriptedDice
from sim.vocabulary import COLUMN, GENERAL_ORDER, GOOD
from tests.agreement.positions import book_of
from tests.field import battle, cases, unit

BOOK = book_of("prusse-1806")
LOOSE = [name for name, loose in zip(BOOK.terrains, BOOK.fire_defence.general_order, strict=True) if loose]


@pytest.mark.parametrize(
    ("ground", "formation"), [("clear", COLUMN), *[(name, GENERAL_ORDER) for name in LOOSE]]
)
def test_infantry_recovers_in_general_order_where_the_ground_is_broken(ground: str, formation: int) -> None:
    units = [unit("u", 0, (0, 0), state="disordered"), unit("enemy", 1, (5, 0))]
    play = battle(units, ScriptedDice([66]), terrain={(0, 0): ground}, book=BOOK)
    recover(play, cases(play.forces, 0))
    assert (play.forces.state[0, 0], play.forces.formation[0, 0]) == (GOOD, formation)


def test_there_is_broken_ground() -> None:
    assert LOOSE
