"""The odds of assaults by which players judge are those of the charts."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from sim.doctrine.odds import assault_odds
from sim.ensemble import ladder
from sim.studies import assaults
from sim.studies.assaults import Side
from sim.vocabulary import FORMATIONS, STATES
from tests.agreement.positions import book_of

BOOK = book_of("halle-1806")


def looked_up(attackers: int, formation: str, state: str, level: int, values: Fraction) -> float:
    """Eight increments of morale 33 assaulted by some of morale 25."""
    one = np.ones(1, int)
    found = assault_odds(BOOK).broken(
        FORMATIONS.index(formation) * one,
        STATES.index(state) * one,
        level * one,
        np.array([attackers / 8]),
        np.array([float(values)]),
        ladder.index_of(33) * one,
        ladder.index_of(25) * one,
    )
    return float(found[0])


@pytest.mark.parametrize("attackers", [4, 8, 12, 16, 24, 40])
@pytest.mark.parametrize("formation", ["column", "line", "square", "general order", "skirmish"])
@pytest.mark.parametrize("state", ["good", "disordered"])
@pytest.mark.parametrize("level", [0, 2])
def test_they_are_those_of_the_chart(attackers: int, formation: str, state: str, level: int) -> None:
    """`carre chart assault`: the defenders fail their check, or a result begins with D; at 1.5 times the odds
    by increments in melee."""
    values = Fraction(attackers, 8) * Fraction(3, 2)
    attack = Side(attackers, morale=25, melee=values * 8)
    defence = Side(8, formation, state, morale=33, melee=Fraction(8), level=level)
    told = assaults.assault(BOOK, attack, defence)
    factors = {"disordered": 2, "skirmish": 2}
    weak = np.prod([factors.get(one, 1) for one in (state, formation)])
    strong = Fraction(3, 2) if formation == "square" else 1
    broken = [
        one for one in told.chances if one.name == assaults.DRIVEN_OFF or one.name.startswith("melee D")
    ]
    exact = sum(Fraction(one.faces, one.of) for one in broken)
    assert looked_up(attackers, formation, state, level, values * int(weak) * strong) == pytest.approx(
        float(exact)
    )


def test_they_are_worked_out_once() -> None:
    assert assault_odds(BOOK) is assault_odds(book_of("halle-1806"))
