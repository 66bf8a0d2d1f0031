"""Offensive fire at a range on small maps, worked out by hand (docs/battle.md, Fire): who fires, how much is
left of it, through which side, together with whom.

Directions 0 to 5 are (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1); the target stands at (0, 0)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sim.battle.shooting import gunnery
from sim.board.hexmap import Hex, along, distance
from sim.combat.fire import Firing, attack
from sim.combat.play import Play
from sim.combat.told import Fired
from sim.ensemble.dice import ExhaustiveDice, RandomDice, ScriptedDice
from sim.rulesets.rulebook import rulebook
from tests.agreement.positions import book_of
from tests.field import Placed, battle, cases, unit


def battery(at: Hex, looks: int, **facts: Any) -> Placed:
    """Two of four increments of unlimbered guns, worth 6 of 12, that look in a direction."""
    given: dict[str, Any] = {"arm": "artillery", "formation": "unlimbered", "fire": Fraction(12)}
    return unit("guns", 0, at, 2 * looks, **given | {"increments": 2, "printed": 4} | facts)


def skirmishers(at: Hex, **facts: Any) -> Placed:
    """Eight increments, of which three fire, each for 3; they look west."""
    given: dict[str, Any] = {"formation": "skirmish", "multiples": {"skirmish": Fraction(3)}}
    return unit("skirmishers", 0, at, 7, **given | facts)


def target(**facts: Any) -> Placed:
    """Infantry in column that looks east."""
    return unit("target", 1, (0, 0), facts.pop("facing", 0), **{"morale": 11} | facts)


def shots(play: Play) -> list[Fired]:
    assert play.recorder is not None
    return [entry.event for entry in play.recorder.entries if isinstance(entry.event, Fired)]


def in_range(play: Play, target: int = 0) -> Firing:
    """The hexes of side 0 that may fire at a unit's hex, in every lane."""
    silent = np.zeros_like(play.forces.half.silent)
    found = play.survey.fire_pairs(play.ensemble.all(), 0, gunnery(play), silent, True)
    lane, unit, place, *_ = found[:, found[3] == target]
    return Firing(lane, unit, place)


def shoot(play: Play) -> None:
    attack(play, cases(play.forces, 0), "24", firing=in_range(play))


def shot_at(
    aim: Placed, firers: list[Placed], book: str = "prusse-1806"
) -> tuple[str, list[Fraction | int]] | None:
    """Column and shares of the attack that units make from afar, None if there is none."""
    play = battle([aim, *firers], ScriptedDice([11]), told=True, book=book_of(book))
    shoot(play)
    found = shots(play)
    if not found:
        return None
    strengths = found[0].strengths
    assert strengths is not None
    return strengths.column, [share.value for share in strengths.attack]


@pytest.mark.parametrize(
    ("hexes", "column", "value"),
    [
        (2, "1:1", Fraction(6)),
        (3, "1:1", Fraction(6)),
        (4, "1:2", Fraction(3)),
        (6, "1:2", Fraction(3)),
        (7, "1:3", Fraction(2)),
        (10, "1:3", Fraction(2)),
    ],
)
def test_a_battery_fires_the_weaker_the_farther_off(hexes: int, column: str, value: Fraction) -> None:
    """F8: all to 3 hexes, half to 6, a third to 10; against 6, and no canister."""
    assert shot_at(target(), [battery((hexes, 0), 3)]) == (column, [value])


def test_at_the_next_hex_it_fires_canister() -> None:
    """6 against 6 is 1:1, canister 1.5:1."""
    assert shot_at(target(), [battery((1, 0), 3)]) == ("1.5:1", [6])


@pytest.mark.parametrize(
    "firer",
    [
        battery((11, 0), 3),
        battery((4, 0), 0),
        battery((4, 0), 3, formation="limbered"),
        battery((4, 0), 3, state="disordered", fire=Fraction(0)),
        skirmishers((3, 0)),
        unit("column", 0, (2, 0), 6, fire=Fraction(9)),
    ],
    ids=["out of range", "looks away", "limbered", "no fire", "skirmishers at three", "column at two"],
)
def test_who_does_not_fire_from_afar(firer: Placed) -> None:
    assert shot_at(target(), [firer]) is None


def test_skirmishers_fire_at_two_hexes_by_half() -> None:
    """3 x 3 / 2 against 6: 1:1.5."""
    assert shot_at(target(), [skirmishers((2, 0))]) == ("1:1.5", [Fraction(9, 2)])


def test_austrian_rifles_fire_at_three_hexes_by_half() -> None:
    """E6.4: 3 x 4 x 1/2 against 6."""
    rifles = skirmishers((3, 0), nation="Austrian", type="Jäger", multiples={"skirmish": Fraction(4)})
    aim = unit("target", 1, (0, 0), 0, nation="French", morale=11)
    assert shot_at(aim, [rifles], book="wagram-1809") == ("1:1", [6])


def test_only_the_guns_of_a_line_fire_from_afar() -> None:
    """Line and battery at four hexes: 6 / 2."""
    line = unit("line", 0, (4, 0), 7, formation="line", multiples={"line": Fraction(3)})
    assert shot_at(target(), [line, battery((4, 0), 3)]) == ("1:2", [3])


def test_a_unit_between_hides_the_target_and_skirmishers_do_not() -> None:
    between = unit("between", 0, (2, 0), 0)
    assert shot_at(target(), [battery((4, 0), 3), between]) is None
    loose = unit("between", 0, (2, 0), 1, formation="skirmish")
    assert shot_at(target(), [battery((4, 0), 3), loose]) == ("1:2", [3])


@pytest.mark.parametrize(
    ("at", "looks", "column"),
    [
        (along((0, 0), 3, 4), 0, "1:2"),  # a flank side: 3 against 6
        (along((0, 0), 0, 4), 3, "1:3"),  # a front side: 3 against 12
        ((-2, -2), 1, "1:2"),  # the corner between two flank sides
        ((-4, 2), 0, "1:3"),  # the corner between a front and a flank side
    ],
)
def test_through_a_flank_from_afar(at: Hex, looks: int, column: str) -> None:
    """Skirmishers that look to the corner between directions 0 and 1 have flanks in directions 3 and 4."""
    assert distance(at, (0, 0)) == 4
    loose = target(formation="skirmish", facing=1)
    assert shot_at(loose, [battery(at, looks)]) == (column, [3])


def test_near_and_far_fire_in_one_attack() -> None:
    """5 of a column and 6 of guns at three hexes against 6: 11 : 6 is 1.5:1, without canister."""
    column = unit("column", 0, (1, 0), 6, fire=Fraction(5))
    guns = battery(along((0, 0), 5, 3), 2)
    assert shot_at(target(), [column, guns]) == ("1.5:1", [5, 6])


@pytest.mark.parametrize(("combined", "column"), [(True, "2.5:1"), (False, "2:1")])
def test_guns_next_to_the_target_make_canister_of_the_whole_attack_or_not(
    combined: bool, column: str
) -> None:
    """6 + 6 against 6 is 2:1."""
    rules = book_of("prusse-1806").ruleset
    book = rulebook(rules, rules.switches() | {"canister_combined": combined})
    firers = [target(), battery((1, 0), 3), battery(along((0, 0), 5, 3), 2)]
    play = battle(firers, ScriptedDice([11]), told=True, book=book)
    shoot(play)
    [shot] = shots(play)
    assert shot.strengths is not None
    assert shot.strengths.column == column


def test_exact_losses_of_a_battery_at_five_hexes() -> None:
    """3 against 6 is 1:2: one increment on 62 to 66, which calls for no check here (losses from 8 on)."""
    dice = ExhaustiveDice()
    play = battle([target(losses=(8, 1)), battery((5, 0), 3)], dice)
    shoot(play)
    found = dict.fromkeys(play.forces.increments[0].tolist(), Fraction(0))
    for left, weight in zip(play.forces.increments[0].tolist(), dice.fractions(), strict=True):
        found[left] += weight
    assert found == {8: Fraction(31, 36), 7: Fraction(5, 36)}


def test_every_lane_has_its_own_target() -> None:
    """A battery of 120 (10:1, two losses or more) fires at one unit in a lane and at another in the next."""
    first, second = target(), unit("other", 1, along((3, 0), 2, 3), 10, morale=11)
    guns = battery((3, 0), 3, fire=Fraction(240))
    play = battle([first, second, guns], RandomDice(1, 0, 2, lumped=False))
    forces = play.forces
    aims = forces.cases(np.ones(2, bool), np.array([0, 1]))
    firing = Firing(np.arange(2), np.full(2, 2), forces.hex[2].astype(np.intp))
    attack(play, aims, "24", firing=firing, once=True)
    assert (forces.increments[0] < 8).tolist() == [True, False]
    assert (forces.increments[1] < 8).tolist() == [False, True]
    assert forces.half.fired[2].tolist() == [True, True]


@pytest.mark.parametrize(
    ("firer", "may"),
    [
        (battery((10, 0), 3), True),
        (battery((11, 0), 3), False),
        (battery((1, 0), 3), True),
        (battery((4, 0), 0), False),
        (battery((4, 0), 3, formation="limbered"), False),
        (battery((4, 0), 3, state="routed", formation="limbered"), False),
        (skirmishers((2, 0)), True),
        (skirmishers((3, 0)), False),
        (unit("column", 0, (2, 0), 6, fire=Fraction(9)), False),
        (unit("friend", 1, (2, 0), 6, formation="skirmish"), False),
    ],
)
def test_who_could_fire_from_afar(firer: Placed, may: bool) -> None:
    play = battle([target(), firer], ScriptedDice([]))
    assert in_range(play).top.tolist() == [1] * may


def test_the_top_of_a_hex_is_asked_for_its_guns() -> None:
    """A line with a battery under it reaches as far as the battery; a column keeps its guns silent."""
    armed: dict[str, Any] = {"fire": Fraction(5), "multiples": {"line": Fraction(3)}}
    for formation, may in (("line", True), ("column", False)):
        top = unit("top", 0, (4, 0), 7 if formation == "line" else 6, formation=formation, **armed)
        play = battle([target(), top, battery((4, 0), 3)], ScriptedDice([]))
        assert in_range(play).top.tolist() == [1] * may


def test_a_hidden_target_is_nobodys() -> None:
    between = unit("between", 1, (2, 0), 0)
    play = battle([target(), battery((4, 0), 3), between], ScriptedDice([]))
    assert not len(in_range(play).top)
