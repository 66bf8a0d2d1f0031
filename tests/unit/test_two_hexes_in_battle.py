"""Whole battles leave units in two hexes only where the rules have them (docs/battle.md O3 to O8, O12)."""

from __future__ import annotations

import numpy as np
import pytest

from sim.battle.setup import muster
from sim.board.limits import LEAST_IN_TWO
from sim.doctrine.command import players_of
from sim.ensemble.dice import RandomDice
from sim.units import battlefiles
from sim.units.forces import Forces
from sim.vocabulary import GOOD, INFANTRY, LINE, SKIRMISH


def in_order(forces: Forces) -> int:
    """How many units are in two hexes, each of them as it may be."""
    unit, lane = np.nonzero(forces.second != forces.map.off)
    at, side = (unit, lane), forces.facing[unit, lane] // 2
    assert (forces.hex[at] != forces.map.off).all()
    assert (forces.arm[unit] == INFANTRY).all()
    assert (forces.state[at] == GOOD).all()
    assert np.isin(forces.formation[at], (LINE, SKIRMISH)).all()
    assert (forces.increments[at] >= LEAST_IN_TWO[forces.formation[at]]).all()
    assert (forces.facing[at] % 2 == 1).all()
    beside = [forces.map.neighbours[forces.hex[at], (side + turn) % 6] for turn in (2, 5)]
    assert ((forces.second[at] == beside[0]) | (forces.second[at] == beside[1])).all()
    others = forces.in_hex(forces.second[at], lane) & (forces.side[:, None] != forces.side[unit])
    assert not others.any()
    assert forces.spread or not len(unit)
    return len(unit)


@pytest.mark.parametrize(("name", "runs"), [("mirror", 12), ("raszyn-pontoon-1809", 12)])
def test_units_in_two_hexes_are_as_the_rules_have_them(
    name: str, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the beginning of every half, and at the end."""
    new_half, found = Forces.new_half, [0]

    def looked_at(forces: Forces) -> None:
        found[0] += in_order(forces)
        new_half(forces)

    monkeypatch.setattr(Forces, "new_half", looked_at)
    battle = muster(battlefiles.load(name), RandomDice(3, 0, runs, lumped=False), players_of)
    battle.run()
    in_order(battle.forces)
    assert found[0] > 20
