"""Fire segments of a battle on small maps, worked out by hand (docs/battle.md, Fire): who shoots at which
hexes, once each, guns together or apart, squares by hexside, units in two hexes; and fire at an opportunity.

Directions 0 to 5 are (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1). Side 0 shoots, side 1 is shot at, in
column with fire defence 6, unless said otherwise. Everybody has eight increments; losses call for no check
before the eighth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sim.battle.filed import FromFile
from sim.battle.shooting import Shots, defensive_fire, offensive_fire, opportunity_fire
from sim.combat.play import Play
from sim.combat.told import Fired
from sim.ensemble.cases import Mask, Pairs
from sim.ensemble.dice import Dice, ExhaustiveDice, RandomDice, ScriptedDice
from sim.units.charges import Leader
from sim.vocabulary import GONE
from tests.agreement.positions import book_of
from tests.field import Placed, battle, cases, unit

Choice = Callable[[Shots], Mask]


class Shooter(FromFile):
    """The player of side 0, who chooses as a test says."""

    takes_aim = True

    def __init__(self, choose: Choice) -> None:
        self.side, self.choose, self.asked = 0, choose, list[tuple[int, int, int]]()

    def aims(self, pairs: Pairs, defensive: bool) -> Mask:
        assert isinstance(pairs, Shots)
        self.asked = list(zip(pairs.unit.tolist(), pairs.target.tolist(), pairs.hexes.tolist(), strict=True))
        return self.choose(pairs)

    def opportunity(self, pairs: Pairs) -> Mask:
        return np.ones(len(pairs), bool)


def everything(pairs: Shots) -> Mask:
    return np.ones(len(pairs), bool)


def at(*aims: tuple[int, int]) -> Choice:
    """A unit's hex shoots at a target's, and nobody else."""
    return lambda pairs: np.array(
        [one in aims for one in zip(pairs.unit.tolist(), pairs.target.tolist(), strict=True)], bool
    )


def column(place: tuple[int, int], looks: int, fire: int = 6, name: str = "column", **facts: Any) -> Placed:
    return unit(name, 0, place, 2 * looks, fire=Fraction(fire), **facts)


def battery(place: tuple[int, int], looks: int, fire: int = 12, name: str = "guns", **facts: Any) -> Placed:
    given: dict[str, Any] = {"arm": "artillery", "formation": "unlimbered", "increments": 4, "printed": 4}
    return unit(name, 0, place, 2 * looks, fire=Fraction(fire), **given | facts)


def target(place: tuple[int, int], name: str = "target", facing: int = 6, **facts: Any) -> Placed:
    return unit(name, 1, place, facing, **{"losses": (8, 1), "morale": 11} | facts)


def field(
    units: Sequence[Placed],
    dice: Dice | None = None,
    leaders: Sequence[tuple[Leader, tuple[int, ...]]] = (),
    book: str = "prusse-1806",
) -> Play:
    dice = dice or ScriptedDice([11] * 9)
    play = battle(units, dice, told=isinstance(dice, ScriptedDice), leaders=leaders, book=book_of(book))
    play.moment = "1.1.offensive-fire"
    return play


def shots(play: Play) -> list[tuple[int, str, list[Fraction | int]]]:
    """The attacks: whom, in which column, and what each hex gives."""
    assert play.recorder is not None
    found: list[tuple[int, str, list[Fraction | int]]] = []
    for entry in play.recorder.entries:
        if isinstance(entry.event, Fired):
            strengths = entry.event.strengths
            assert strengths is not None
            found.append((entry.event.unit, strengths.column, [one.value for one in strengths.attack]))
    return found


# -- who shoots, and how often ------------------------------------------------------------------------


def test_a_hex_is_attacked_once_by_all_who_are_to_shoot_at_it() -> None:
    """6 + 3 against 6 is 1.5:1; the third of the columns, worth 6, shoots at the other target: 1:1."""
    units = [
        column((0, 0), 0),
        column((0, 1), 5, fire=3),
        column((1, -1), 0),
        target((1, 0)),
        target((2, -1)),
    ]
    play = field(units)
    defensive_fire(play, Shooter(at((0, 3), (1, 3), (2, 4))))
    assert shots(play) == [(3, "1.5:1", [6, 3]), (4, "1:1", [6])]


def test_a_hex_shoots_at_the_first_of_several_that_are_chosen() -> None:
    units = [column((0, 0), 0), target((1, 0)), target((1, -1), facing=6)]
    play, player = field(units), Shooter(everything)
    defensive_fire(play, player)
    assert player.asked == [(0, 1, 1), (0, 2, 1)]
    assert shots(play) == [(1, "1:1", [6])]


def test_a_square_shoots_through_every_hexside_at_a_hex_of_its_own() -> None:
    """12 x 3 / 3 = 12 against 6 through each: 2:1."""
    square = column(
        (0, 0), 0, formation="square", multiples={"square": Fraction(3)}, increments=14, printed=14
    )
    play = field([square, target((1, 0)), target((-1, 0), facing=0), target((2, 0))])
    defensive_fire(play, Shooter(everything))
    assert shots(play) == [(1, "2:1", [12]), (2, "2:1", [12])]


def test_nobody_shoots_from_afar_in_defence() -> None:
    """Offensively a battery has 12 at two hexes, skirmishers 3 x 4 / 2: 18 against 6; the battery leaves the
    target at three hexes, as it has a closer one."""
    loose = unit("loose", 0, (0, 0), 1, formation="skirmish", multiples={"skirmish": Fraction(4)})
    units = [battery((0, 2), 0), loose, target((2, 0)), target((3, 2))]
    play, player = field(units), Shooter(everything)
    defensive_fire(play, player)
    assert player.asked == []
    offensive_fire(play, player, ())
    assert player.asked == [(0, 2, 2), (0, 3, 3), (1, 2, 2)]
    assert shots(play) == [(2, "3:1", [12, 6])]


def test_who_is_not_chosen_is_not_shot_at() -> None:
    play = field([column((0, 0), 0), target((1, 0))])
    defensive_fire(play, Shooter(at()))
    assert shots(play) == []


def test_after_a_force_march_nobody_fires_as_attacker() -> None:
    """M28; FR14 p41. In defence he does."""
    play, player = field([column((0, 0), 0), target((1, 0))]), Shooter(everything)
    play.forces.forced[0] = 1
    offensive_fire(play, player, ())
    assert shots(play) == []
    defensive_fire(play, player)
    assert shots(play) == [(1, "1:1", [6])]


def test_scattered_skirmishers_fire_and_are_shot_at_as_disordered() -> None:
    """3 x 4 / 2 = 6 against the 14 of a disordered unit: 1:2.5; in order 12 against 12, 1:1."""
    loose = unit("loose", 0, (0, 0), 1, formation="skirmish", multiples={"skirmish": Fraction(4)})
    aim = target((1, 0), formation="skirmish", facing=7)
    for scattered, expected in ((False, (1, "1:1", [12])), (True, (1, "1:2.5", [6]))):
        play = field([loose, aim])
        for side in (0, 1):
            play.forces.scatter(side, np.full((2, 1), scattered))
        defensive_fire(play, Shooter(everything))
        assert shots(play) == [expected]


def test_at_what_a_hex_has_shot_is_remembered_until_the_next_offensive_fire() -> None:
    play = field([column((0, 0), 0), target((1, 0)), column((5, 0), 0)])
    forces = play.forces
    offensive_fire(play, Shooter(everything), ())
    assert forces.half.shot_at[:, 0].tolist() == [forces.map.number((1, 0)), -1, -1]
    offensive_fire(play, Shooter(at()), ())
    assert (forces.half.shot_at < 0).all()


# -- guns ---------------------------------------------------------------------------------------------


def test_a_battery_shoots_at_the_closest_of_its_targets_whatever_is_chosen() -> None:
    for places, chosen, closest in ((((3, 0), (4, -2)), 2, 1), (((4, -2), (3, 0)), 1, 2)):
        play = field([battery((0, 0), 0), *map(target, places)])
        offensive_fire(play, Shooter(at((0, chosen))), ())
        assert [one[0] for one in shots(play)] == [closest]


def test_a_battery_chooses_among_targets_that_are_as_close() -> None:
    units = [battery((0, 0), 0), target((3, 0)), target((3, -1))]
    play = field(units)
    offensive_fire(play, Shooter(at((0, 2))), ())
    assert [one[0] for one in shots(play)] == [2]


def leader(artillery: int) -> Leader:
    return Leader("chief", "chief", artillery=artillery)


@pytest.mark.parametrize(
    ("bonus", "apart", "expected"),
    [
        (0, False, [(2, "2:1", [12]), (3, "1:1", [6])]),
        (1, False, [(2, "4:1", [12, 12])]),
        (1, True, [(2, "2:1", [12]), (3, "1:1", [6])]),
    ],
)
def test_guns_of_two_hexes_fire_together_only_beside_each_other_and_by_a_leader(
    bonus: int, apart: bool, expected: list[tuple[int, str, list[Fraction | int]]]
) -> None:
    """Both have the target at three hexes in front of them, and a farther one, for half. 24 : 6 is
    4:1."""
    other = (0, 2) if apart else (0, 1)
    units = [battery((0, 0), 0), battery(other, 0), target((3, 0)), target((4, 2))]
    leaders = [(leader(bonus), (0,))] if bonus else []
    play = field(units, leaders=leaders)
    offensive_fire(play, Shooter(at((0, 2), (1, 2))), ())
    assert shots(play) == expected


@pytest.mark.parametrize(("bonus", "hexes"), [(1, 2), (3, 3)])
def test_guns_of_three_hexes_need_a_leader_of_special_ability_beside_them_all(bonus: int, hexes: int) -> None:
    places = [(0, 0), (0, 1), (0, -1)]
    units = [*(battery(place, 0) for place in places), target((3, 0))]
    play = field(units, leaders=[(leader(bonus), (0,))])
    offensive_fire(play, Shooter(everything), ())
    assert [len(shares) for _, _, shares in shots(play)] == [hexes]


def test_guns_of_nations_that_never_fire_together_do_not() -> None:
    """Leipzig [CHART] LZ SR fb41."""
    guns = [battery(place, 0, nation="Austrian") for place in ((0, 0), (0, 1))]
    units = [*guns, target((3, 0), nation="French")]
    play = field(units, leaders=[(leader(3), (0,))], book="leipzig-1813")
    offensive_fire(play, Shooter(everything), ())
    assert [len(shares) for _, _, shares in shots(play)] == [1]


@pytest.mark.parametrize(("terrain", "shares"), [("clear", [12, 9]), ("woods", [12])])
def test_batteries_of_a_hex_fire_together_in_clear_ground_alone(
    terrain: str, shares: list[Fraction | int]
) -> None:
    units = [battery((0, 0), 0), battery((0, 0), 0, fire=9), target((2, 0))]
    play = battle(
        units, ScriptedDice([11]), told=True, terrain={(0, 0): terrain}, book=book_of("leipzig-1813")
    )
    play.moment = "1.1.offensive-fire"
    offensive_fire(play, Shooter(everything), ())
    assert shots(play)[0][2] == shares


def test_only_one_battery_fires_with_a_line() -> None:
    """4 x 3 and 12: the second battery is silent."""
    line = unit("line", 0, (0, 0), 11, formation="line", multiples={"line": Fraction(3)})
    units = [line, battery((0, 0), 0), battery((0, 0), 0, fire=9), target((1, -1))]
    play = field(units)
    offensive_fire(play, Shooter(everything), ())
    assert shots(play) == [(3, "5:1", [12, 12])]


# -- units in two hexes -------------------------------------------------------------------------------


def in_two(play: Play, number: int, second: tuple[int, int]) -> None:
    forces = play.forces
    forces.extend(cases(forces, number), forces.map.number(second))


def test_a_line_in_two_hexes_fires_four_increments_from_each() -> None:
    """BE21 p16: 10 increments, 5 in each hex; x3 from two hexes is 24 against 6: 4:1."""
    line = column((0, 0), 0, formation="line", multiples={"line": Fraction(3)}, increments=10, printed=10)
    line = Placed(line.unit, 0, (0, 0), 11)
    play = field([line, target((1, -1))])
    in_two(play, 0, (0, -1))
    player = Shooter(everything)
    defensive_fire(play, player)
    assert player.asked == [(0, 1, 1), (0, 1, 1)]
    assert shots(play) == [(1, "4:1", [12, 12])]


def test_the_odd_increment_of_a_line_fires_from_its_own_hex() -> None:
    """O4: of seven, four and three; 12 + 9 against 6 is 3:1."""
    line = column((0, 0), 0, formation="line", multiples={"line": Fraction(3)}, increments=7, printed=10)
    play = field([Placed(line.unit, 0, (0, 0), 11), target((1, -1))])
    in_two(play, 0, (0, -1))
    defensive_fire(play, Shooter(everything))
    assert shots(play) == [(1, "3:1", [12, 9])]


def test_each_hex_of_a_line_may_have_a_target_of_its_own() -> None:
    line = column((0, 0), 0, formation="line", multiples={"line": Fraction(3)}, increments=10, printed=10)
    line = Placed(line.unit, 0, (0, 0), 11)
    play = field([line, target((1, 0)), target((1, -2))])
    in_two(play, 0, (0, -1))
    defensive_fire(play, Shooter(everything))
    assert shots(play) == [(1, "2:1", [12]), (2, "2:1", [12])]


def apart(play: Play) -> Choice:
    """Unit 0 shoots at hex (1, 0), unit 1 at (1, 1)."""
    place = play.forces.map.number((1, 0))
    return lambda pairs: (pairs.unit == 0) == (pairs.at_hex == place)


def test_a_hex_of_a_unit_in_two_is_shot_at_for_itself() -> None:
    """Ten increments in line, five in each hex: fewer than seven, so that the line's 9 counts. 6 against 9 is
    1:1.5 at either hex, and the unit loses an increment by each."""
    line = target((1, 0), formation="line", facing=5, increments=10, printed=10)
    play = field([column((0, 0), 0), column((0, 1), 0), line], ScriptedDice([66, 66]))
    in_two(play, 2, (1, 1))
    defensive_fire(play, Shooter(apart(play)))
    assert shots(play) == [(2, "1:1.5", [6]), (2, "1:1.5", [6])]
    assert play.forces.increments[2, 0] == 8


def test_a_hex_that_is_left_before_its_turn_is_not_shot_at() -> None:
    """The same with five increments: the fourth stands in one hex, the other is empty (BE21 p16)."""
    line = target((1, 0), formation="line", facing=5, increments=5, printed=5)
    play = field([column((0, 0), 0), column((0, 1), 0), line], ScriptedDice([66]))
    in_two(play, 2, (1, 1))
    defensive_fire(play, Shooter(apart(play)))
    assert shots(play) == [(2, "1:1.5", [6])]
    assert play.forces.second[2, 0] == play.forces.map.off


# -- lanes --------------------------------------------------------------------------------------------


def test_a_segment_is_exact() -> None:
    """1:1 loses an increment on 52 to 66, 11 of 36; two hexes, apart."""
    dice = ExhaustiveDice()
    units = [column((0, 0), 0), column((0, 4), 0), target((1, 0)), target((1, 4))]
    play = field(units, dice)
    defensive_fire(play, Shooter(everything))
    found: dict[tuple[int, int], Fraction] = {}
    for *left, weight in zip(*play.forces.increments[2:].tolist(), dice.fractions(), strict=True):
        key = (left[0], left[1])
        found[key] = found.get(key, Fraction(0)) + weight
    hit, miss = Fraction(11, 36), Fraction(25, 36)
    assert found == {(8, 8): miss * miss, (7, 8): hit * miss, (8, 7): miss * hit, (7, 7): hit * hit}


def test_lanes_have_targets_of_their_own() -> None:
    play = field([column((0, 0), 0, fire=120), target((1, 0)), target((1, -1))], RandomDice(1, 0, 2, False))
    player = Shooter(lambda pairs: (pairs.lane == 0) == (pairs.target == 1))
    defensive_fire(play, player)
    assert (play.forces.increments[1:] < 8).tolist() == [[True, False], [False, True]]


# -- opportunity --------------------------------------------------------------------------------------


def test_who_gives_an_opportunity_is_shot_at_by_all_who_face_it_again_and_again() -> None:
    """6 + 6 against 6 is 2:1; cavalry has no fire, and who looks away none."""
    horse = unit("horse", 0, (2, -1), 8, arm="cavalry")
    away = column((1, 1), 1)
    units = [column((0, 0), 0), column((0, 1), 5), horse, away, target((1, 0))]
    play = field(units)
    for _ in range(2):
        movers = opportunity_fire(play, cases(play.forces, 4), Shooter(everything))
        assert movers.unit.tolist() == [4]
    assert shots(play) == [(4, "2:1", [6, 6])] * 2
    assert not play.forces.half.fired.any()


def test_who_is_killed_by_it_moves_no_more() -> None:
    play = field([column((0, 0), 0, fire=60), target((1, 0), increments=1)], ScriptedDice([66]))
    assert not len(opportunity_fire(play, cases(play.forces, 1), Shooter(everything)))
    assert play.forces.state[1, 0] == GONE


def test_an_opportunity_may_be_let_go() -> None:
    class Quiet(Shooter):
        def opportunity(self, pairs: Pairs) -> Mask:
            return np.zeros(len(pairs), bool)

    play = field([column((0, 0), 0), target((1, 0))])
    assert len(opportunity_fire(play, cases(play.forces, 1), Quiet(everything))) == 1
    assert shots(play) == []
