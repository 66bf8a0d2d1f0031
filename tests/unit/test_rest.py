"""Readiness of cavalry that comes back, half by half, worked out by hand from D3.5 (docs/battle.md R5 to
R9)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim.battle.rest import Rest
from sim.ensemble.dice import ScriptedDice
from sim.vocabulary import EXHAUSTED, FRESH, ROUTED, TIRED
from tests.field import battle, cases, unit

OWN, OTHER = 0, 1


def rest(readiness: str = "fresh") -> Rest:
    horse: dict[str, Any] = {"arm": "cavalry", "movement": 14, "readiness": readiness}
    units = [unit("horse", OWN, (0, 0), **horse), unit("enemy", OTHER, (9, 0))]
    return Rest(battle(units, ScriptedDice([])), OTHER)


def half(
    one: Rest, phasing: int, moved: int = 0, fire: int = 0, melee: bool = False, evades: bool = False
) -> int:
    """A half in which the horse has done so much; its readiness at the end."""
    forces = one.forces
    forces.half.moved[0], forces.half.fire_losses[0] = moved, fire
    forces.half.meleed[0], forces.half.evaded[0] = melee, evades
    one.recover(phasing)
    forces.new_half()
    return int(forces.readiness[0, 0])


def tired(one: Rest, phasing: int, to: int) -> None:
    """It has charged or fought in a half."""
    one.forces.tire(cases(one.forces, 0), to)
    half(one, phasing, melee=True)


@pytest.mark.parametrize(
    ("moved", "after"), [((0, 0), FRESH), ((1, 0), TIRED), ((0, 1), TIRED), ((2, 0), EXHAUSTED)]
)
def test_a_quiet_turn_gives_two_levels_to_who_stood_and_one_to_who_walked(
    moved: tuple[int, int], after: int
) -> None:
    """Exhausted in its own half; the other side's half, then its own: a whole turn."""
    one = rest()
    tired(one, OWN, EXHAUSTED)
    assert half(one, OTHER, moved[0]) == EXHAUSTED
    assert half(one, OWN, moved[1]) == after


def test_who_was_tired_in_the_enemys_half_rests_in_the_enemys_next() -> None:
    """The worked case of the source: a defender tired in the enemy's melee."""
    one = rest()
    tired(one, OTHER, TIRED)
    assert half(one, OWN) == TIRED
    assert half(one, OTHER) == FRESH


@pytest.mark.parametrize("trouble", [{"fire": 1}, {"melee": True}, {"evades": True}])
@pytest.mark.parametrize("when", [OTHER, OWN])
def test_trouble_in_either_half_undoes_the_rest_and_the_next_whole_turn_counts(
    trouble: dict[str, Any], when: int
) -> None:
    one = rest()
    tired(one, OWN, TIRED)
    for phasing in (OTHER, OWN):
        assert half(one, phasing, **(trouble if phasing == when else {})) == TIRED
    assert half(one, OTHER) == TIRED
    assert half(one, OWN) == FRESH


def test_who_routs_does_not_rest() -> None:
    one = rest()
    tired(one, OWN, TIRED)
    half(one, OTHER)
    one.forces.become(cases(one.forces, 0), ROUTED)
    assert half(one, OWN) == TIRED


def test_who_loses_more_meanwhile_begins_anew() -> None:
    """Tired in its own half and exhausted in the enemy's: the turn is counted from there."""
    one = rest()
    tired(one, OWN, TIRED)
    tired(one, OTHER, EXHAUSTED)
    assert half(one, OWN) == EXHAUSTED
    assert half(one, OTHER) == FRESH


def test_who_is_tired_at_the_start_was_so_in_the_half_before() -> None:
    one = rest("tired")
    assert half(one, OWN) == TIRED
    assert half(one, OTHER) == FRESH


def test_nobody_has_more_than_all_readiness() -> None:
    one = rest()
    tired(one, OWN, TIRED)
    half(one, OTHER)
    assert half(one, OWN) == FRESH
    assert np.all(one.forces.readiness == FRESH)
