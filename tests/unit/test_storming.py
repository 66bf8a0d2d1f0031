"""The assaults of a melee segment on small maps, worked out by hand (docs/battle.md, Assault): who may
assault whom, who gets away before it, cavalry that joins or assaults alone, what a leader adds.

Directions 0 to 5 are (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1). Side 0 assaults, side 1 defends.
Everybody has eight increments, a melee value of 8 and morale 33, and passes an unchanged check on 34."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sim.battle.filed import FromFile
from sim.battle.storming import Means, Targets, storm
from sim.battle.told import Fought, GotAway
from sim.board.hexmap import Hex
from sim.combat.play import Play
from sim.combat.told import Checked
from sim.ensemble.cases import Cases, Mask, Pairs
from sim.ensemble.dice import Dice, ExhaustiveDice, ScriptedDice
from sim.rulesets.rulebook import rulebook
from sim.units.charges import Leader
from sim.vocabulary import COLUMN, DISORDERED, GOOD, LINE
from tests.agreement.positions import book_of
from tests.field import Placed, battle, cases, hexes, unit

Choice = Callable[[Targets], Mask]


class Stormer(FromFile):
    """A player who assaults as a test says, and enters what is left if he is to."""

    def __init__(self, choose: Choice, enters: bool = True) -> None:
        self.side, self.choose, self.enters, self.asked = 0, choose, enters, list[list[tuple[int, int]]]()

    def storms(self, pairs: Pairs) -> Mask:
        assert isinstance(pairs, Targets)
        self.asked.append(list(zip(pairs.unit.tolist(), pairs.target.tolist(), strict=True)))
        return self.choose(pairs)

    def occupies(self, cases: Cases) -> Mask:
        return np.full(len(cases), self.enters)


class Defender(FromFile):
    """A player whose units retreat before the melee if they are to."""

    def __init__(self, evades: bool = False) -> None:
        self.side, self.away = 1, evades

    def evades(self, cases: Cases) -> Mask:
        return np.full(len(cases), self.away)


def everything(pairs: Targets) -> Mask:
    return np.ones(len(pairs), bool)


def at(*aims: tuple[int, int]) -> Choice:
    """A unit assaults the hex of another, and nobody else does."""
    return lambda pairs: np.array(
        [one in aims for one in zip(pairs.unit.tolist(), pairs.target.tolist(), strict=True)], bool
    )


def foot(place: Hex, looks: int, name: str = "foot", **facts: Any) -> Placed:
    return unit(name, 0, place, 2 * looks, **facts)


def horse(place: Hex, looks: int, name: str = "horse", side: int = 0, **facts: Any) -> Placed:
    return unit(name, side, place, 2 * looks, **{"arm": "cavalry", "movement": 12} | facts)


def target(place: Hex = (1, 0), facing: int = 6, name: str = "target", **facts: Any) -> Placed:
    return unit(name, 1, place, facing, **facts)


def field(
    units: Sequence[Placed],
    dice: Dice,
    leaders: Sequence[tuple[Leader, tuple[int, ...]]] = (),
    **switches: Any,
) -> Play:
    rules = book_of("prusse-1806").ruleset
    book = rulebook(rules, rules.switches() | switches)
    play = battle(units, dice, told=isinstance(dice, ScriptedDice), leaders=leaders, book=book)
    play.moment = "1.1.melee"
    return play


def means(play: Play, horse_guns: Mask, shut: int | None = None) -> Means:
    """What assaults go by, with all hexsides open but to infantry in one formation."""
    crossing = np.full((3, play.forces.map.off + 1, 6), -1, np.int16)
    if shut is not None:
        crossing[0] = ~(1 << shut)
    return Means(horse_guns, crossing)


def stormed(
    units: Sequence[Placed],
    rolls: list[int],
    choose: Choice = everything,
    evades: bool = False,
    enters: bool = True,
    before: Callable[[Play], None] = lambda play: None,
    horse_guns: bool = False,
    shut: int | None = None,
    **how: Any,
) -> tuple[Play, Stormer]:
    """The assaults of a segment, by rolls that must all be used."""
    dice, player = ScriptedDice(rolls), Stormer(choose, enters)
    play = field(units, dice, **how)
    before(play)
    guns = np.full(len(units), horse_guns)
    storm(play, player, Defender(evades), means(play, guns, shut))
    dice.finish()
    return play, player


def told(play: Play, kind: type[Any]) -> list[Any]:
    assert play.recorder is not None
    return [entry.event for entry in play.recorder.entries if isinstance(entry.event, kind)]


def checked(play: Play) -> list[int]:
    return [one.unit for one in told(play, Checked) if one.decision.name.endswith("/pre-melee")]


# -- who assaults whom --------------------------------------------------------------------------------


def test_each_hex_is_assaulted_once_in_the_order_of_the_defenders() -> None:
    """8 against 8 is 1:1, +3 for the defender, -3 for the attacker: 31 passes and fails. Two hexes, apart."""
    units = [foot((0, 0), 0), foot((0, 4), 0), target((1, 4)), target((1, 0))]
    play, player = stormed(units, [31, 31, 31, 31])
    assert player.asked == [[(0, 3), (1, 2)]]
    assert checked(play) == [2, 1, 3, 0]


@pytest.mark.parametrize(
    ("attacker", "may"),
    [
        (foot((0, 0), 0), True),
        (foot((0, 0), 0, state="disordered"), True),
        (foot((0, 0), 0, state="routed"), False),
        (foot((0, 0), 0, formation="square"), False),
        (foot((0, 0), 1), True),
        (foot((0, 0), 2), False),
        (foot((-1, 0), 0), False),
        (foot((0, 0), 0, arm="artillery", formation="limbered"), False),
        (horse((0, 0), 0), True),
        (horse((0, 0), 0, state="routed"), False),
    ],
)
def test_who_may_assault(attacker: Placed, may: bool) -> None:
    _, player = stormed([attacker, target()], [], choose=at())
    assert player.asked == ([[(0, 1)]] if may else [])


@pytest.mark.parametrize("row", ["meleed", "charged", "forced"])
def test_who_has_fought_charged_or_made_a_force_march_does_not_assault(row: str) -> None:
    def mark(play: Play) -> None:
        if row == "forced":
            play.forces.forced[0] = 1
        else:
            getattr(play.forces.half, row)[0] = True

    _, player = stormed([horse((0, 0), 0), target()], [], before=mark)
    assert player.asked == []


def test_a_unit_assaults_only_the_hex_it_has_fired_at() -> None:
    """A2; one that has not fired any."""
    units = [foot((0, 0), 0), target((1, 0)), target((1, -1))]

    def fired(play: Play) -> None:
        play.forces.half.shot_at[0] = play.forces.map.number((1, -1))

    _, player = stormed(units, [], choose=at())
    assert player.asked == [[(0, 1), (0, 2)]]
    _, player = stormed(units, [], choose=at(), before=fired)
    assert player.asked == [[(0, 2)]]


@pytest.mark.parametrize(("shut", "may"), [(COLUMN, False), (LINE, True)])
def test_nobody_assaults_over_a_hexside_that_is_closed_to_his_formation(shut: int, may: bool) -> None:
    _, player = stormed([foot((0, 0), 0), target()], [], choose=at(), shut=shut)
    assert player.asked == ([[(0, 1)]] if may else [])


def test_of_several_hexes_a_unit_assaults_the_first() -> None:
    units = [foot((0, 0), 0), target((1, 0)), target((1, -1))]
    play, _ = stormed(units, [31, 31])
    assert checked(play) == [1, 0]


def test_a_hex_that_has_fought_a_charge_is_not_assaulted_too() -> None:
    def fought(play: Play) -> None:
        play.forces.half.meleed[1] = True

    _, player = stormed([foot((0, 0), 0), target()], [], before=fought)
    assert player.asked == []


# -- retreat before melee -----------------------------------------------------------------------------


def loose(place: Hex = (1, 0), **facts: Any) -> Placed:
    given: dict[str, Any] = {"facing": 7, "formation": "skirmish"}
    return target(place, **given | facts)


def test_skirmishers_get_away_from_infantry() -> None:
    """They go one hex, farther from the attacker and homeward; that bars nothing."""
    play, _ = stormed([foot((0, 0), 0), loose()], [], evades=True, enters=False)
    assert hexes(play) == [(0, 0), (2, 0)]
    assert [one.unit for one in told(play, GotAway)] == [1]
    assert play.forces.half.evaded[1, 0]
    assert not play.forces.held.any()


def test_the_attacker_may_follow_and_assault_once_more() -> None:
    """He follows to (1, 0), once more to (2, 0), and no farther."""
    play, player = stormed([foot((0, 0), 0), loose()], [], evades=True)
    assert player.asked == [[(0, 1)], [(0, 1)]]
    assert hexes(play) == [(2, 0), (3, 0)]


def test_who_has_followed_may_assault_others() -> None:
    """From (1, 0) unit 2 is in front of him: 8 : 8, both checks."""
    units = [foot((0, 0), 0), loose(), target((2, -1))]
    last: Choice = lambda pairs: pairs.target == pairs.target.max()  # noqa: E731
    play, player = stormed(units, [31, 31], choose=last, evades=True)
    assert player.asked == [[(0, 1)], [(0, 1), (0, 2)]]
    assert checked(play) == [2, 0]


@pytest.mark.parametrize(
    ("attacker", "defender", "goes"),
    [
        (foot((0, 0), 0), loose(), True),
        (horse((0, 0), 0), loose(), False),
        (foot((0, 0), 0), target(), False),
        (foot((0, 0), 0), horse((1, 0), 3, side=1), True),
        (horse((0, 0), 0), horse((1, 0), 3, side=1), False),
        (horse((0, 0), 0), horse((1, 0), 3, side=1, movement=14), True),
        (horse((0, 0), 0), horse((1, 0), 3, side=1, movement=14, readiness="exhausted"), False),
        (
            horse((0, 0), 0, readiness="tired"),
            horse((1, 0), 3, side=1, movement=14, readiness="exhausted"),
            True,
        ),
        (foot((0, 0), 0), horse((1, 0), 3, side=1, readiness="exhausted"), True),
        (foot((0, 0), 0), target(arm="artillery", formation="limbered", movement=12), True),
        (foot((0, 0), 0), target(arm="artillery", formation="unlimbered", movement=12), False),
    ],
)
def test_who_gets_away(attacker: Placed, defender: Placed, goes: bool) -> None:
    """A4: skirmishers and cavalry from infantry; cavalry and horse guns by two points of movement."""
    dice = ExhaustiveDice()
    play = field([attacker, defender], dice)
    storm(play, Stormer(everything, False), Defender(True), means(play, np.array([False, True])))
    assert play.forces.half.evaded[1].all() == goes
    assert play.forces.half.evaded[1].any() == goes


def test_nobody_gets_away_through_enemy_zones_or_nearer_to_an_enemy() -> None:
    """Behind the skirmishers stand enemies who look at all hexes that are not nearer."""
    units = [foot((0, 0), 0), loose(), foot((3, 0), 3), foot((3, -2), 3), foot((1, 2), 5)]
    play, _ = stormed(units, [66, 66], choose=at((0, 1)), evades=True)
    assert not play.forces.half.evaded.any()


def test_who_stays_beside_an_enemy_goes_on_and_is_held_for_more_than_one_hex() -> None:
    """An enemy that looks away is next to (2, 0) and (2, -1): cavalry goes on to a hex next to none, six
    points in all; after two hexes it does not move in its next segment (M8)."""
    units = [foot((0, 0), 0), horse((1, 0), 3, side=1), foot((3, -1), 0), foot((1, 1), 2), foot((2, -2), 5)]
    play, _ = stormed(units, [], choose=at((0, 1)), evades=True, enters=False)
    there = hexes(play)[1]
    assert there is not None
    assert play.forces.held[1, 0] == 1


# -- cavalry ------------------------------------------------------------------------------------------


def test_cavalry_assaults_alone_without_checks() -> None:
    """8 against 8: 1:1; 53 is 2/1."""
    play, _ = stormed([horse((0, 0), 0), target()], [53])
    [fought] = told(play, Fought)
    assert (fought.strengths.column, fought.outcome) == ("1:1", "2/1")
    assert play.forces.increments[:, 0].tolist() == [6, 7]


@pytest.mark.parametrize(("joins", "column"), [(True, "2:1"), (False, "1:1")])
def test_cavalry_joins_a_melee_of_infantry_by_edition(joins: bool, column: str) -> None:
    """With cavalry nobody checks. 52 is DD at 2:1, and 0/0* at 1:1."""
    units = [foot((0, 0), 0), horse((0, 1), 5), target()]
    play, _ = stormed(units, [52] if joins else [34, 41, 52, 66], cavalry_joins=joins)
    [fought] = told(play, Fought)
    assert fought.strengths.column == column


def test_infantry_does_not_join_a_melee_of_cavalry() -> None:
    units = [foot((0, 0), 0), horse((0, 1), 5), horse((1, 0), 3, side=1)]
    play, _ = stormed(units, [53])
    [fought] = told(play, Fought)
    assert fought.strengths.column == "1:1"
    assert not play.forces.half.meleed[0].any()


def test_cavalry_assaults_no_square() -> None:
    _, player = stormed([horse((0, 0), 0), target(formation="square")], [])
    assert player.asked == []


def test_a_result_does_to_each_arm_what_the_matrix_says_of_it() -> None:
    """4 and 4 against 14: 1:2, where 15 is AD: infantry disorders, cavalry falls back
    and checks (E1.3), here with success."""
    strong = target(increments=24, printed=24, melee=Fraction(14))
    units = [foot((0, 0), 0, increments=4), horse((0, 1), 5, increments=4), strong]
    play, _ = stormed(units, [15, 66])
    assert play.forces.state[:2, 0].tolist() == [DISORDERED, GOOD]
    assert hexes(play)[1] != (0, 1)


# -- afterwards ---------------------------------------------------------------------------------------


def test_a_leader_of_infantry_adds_his_melee_bonus() -> None:
    """At 1:1 the defender has +3, the attacker -3. 53 is 2/1; one step on, 54, it is 1*/2."""
    chief = Leader("chief", "chief", melee=1, cavalry=5)
    units = [foot((0, 0), 0), target(losses=(8, 1), state="good")]
    play, _ = stormed(units, [36, 41, 53, 66], leaders=[(chief, (0,))])
    [fought] = told(play, Fought)
    assert fought.outcome == "1*/2"


@pytest.mark.parametrize("enters", [True, False])
def test_a_hex_whose_defenders_fail_may_be_entered(enters: bool) -> None:
    play, _ = stormed([foot((0, 0), 0), target()], [11], enters=enters)
    assert hexes(play)[0] == ((1, 0) if enters else (0, 0))


def test_a_segment_is_exact() -> None:
    """Both hexes hold with 31 to 66 at +3: 21 faces fail, 15 pass; apart."""
    dice = ExhaustiveDice()
    units = [foot((0, 0), 0), foot((0, 6), 0), target((1, 0)), target((1, 6))]
    play = field(units, dice)
    storm(play, Stormer(everything), Defender(), means(play, np.zeros(4, bool)))
    assert sum(dice.fractions()) == 1
    good = play.forces.state[2:] == GOOD
    weights = np.array(dice.fractions())
    unshaken = [sum(weights[row]) for row in good]
    assert unshaken[0] == unshaken[1]
    assert sum(weights[good.all(axis=0)]) == unshaken[0] * unshaken[1]
    assert cases(play.forces, 0).unit[0] == 0
