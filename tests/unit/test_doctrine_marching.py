"""What the balanced style plans on drawn maps: each expected march worked out by hand from docs/doctrine.md.

Side 0 stands in the west, at home in direction 3; a clear hex costs a point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from sim.battle.players import KEEP, TWO, Intent
from sim.board.going import going_of
from sim.board.hexmap import Hex
from sim.doctrine.marching import Marching
from sim.doctrine.tasks import Tasks
from sim.doctrine.ways import Ways
from sim.ensemble.cases import Cases
from sim.ensemble.dice import RandomDice
from sim.rulesets.compiled import BATTALION
from sim.units import styles
from sim.units.battles import Order
from sim.vocabulary import COLUMN, DISORDERED, LIMBERED, LINE, SQUARE, UNLIMBERED
from tests.field import HOMES, Placed, battle, cases, unit

NUMBERS = styles.own()
FAR_EAST = (11, -2)
"""A goal."""


def order(kind: str, units: Sequence[int], *hexes: Hex, begins: int = 1, ends: int | None = None) -> Order:
    return Order("they", tuple(units), kind, hexes, begins, ends)


def plan(
    units: Sequence[Placed],
    orders: Sequence[Order],
    side: int = 0,
    turn: int = 1,
    terrain: Mapping[Hex, str] | None = None,
) -> Marching:
    """The marches of a side in three lanes that are alike."""
    play = battle(units, RandomDice(1, 0, 3, lumped=False), terrain=terrain)
    board, book = play.survey.board, play.book
    count = len(units)
    going = going_of(play.forces.map, board, book, [BATTALION] * count, [False] * count)
    ways = Ways(play.forces.map, board, going, play.survey.mode)
    tasks = Tasks(orders, play.forces.arm, play.forces.map, ways, HOMES[side])
    found = Marching(play, side, tasks, ways, NUMBERS)
    tasks.begin_turn(turn)
    found.turn = turn
    return found


def intent(found: Marching, number: int) -> tuple[int, int, int, bool]:
    """Way, formation, steps and leave of a unit, the same in all lanes."""
    told: Intent = found.march(cases(found.forces, number))
    rows = np.array([told.way, told.formation, told.most, told.leaves])
    assert (rows == rows[:, :1]).all()
    way, formation, most, leaves = rows[:, 0].tolist()
    return way, formation, most, bool(leaves)


def end_of(found: Marching, way: int) -> list[Hex]:
    """The hexes at the end of a way."""
    ends = [found.forces.map.hex(int(at)) for at in np.flatnonzero(found.ways.table[way] == 0)]
    return sorted(at for at in ends if at is not None)


def halt(found: Marching, number: int) -> tuple[int, int]:
    formation, facing = found.halts(cases(found.forces, number))
    return int(formation[0]), int(facing[0])


def guns(name: str, side: int, at: Hex, formation: str = "limbered", facing: int = 0) -> Placed:
    return unit(name, side, at, facing, arm="artillery", formation=formation)


def horse(name: str, side: int, at: Hex, facing: int = 0) -> Placed:
    return unit(name, side, at, facing, arm="cavalry", movement=14)


def test_who_is_to_take_a_place_marches_there_and_stops_before_the_enemy() -> None:
    """The enemy, of 24, is 12 hexes off: 10 steps are left when 2 are kept. Attacked he would ask for 36."""
    found = plan(
        [unit("a", 0, (-6, 0)), unit("b", 1, (6, 0), increments=24, printed=24)],
        [order("take", [0], FAR_EAST)],
    )
    way, formation, most, leaves = intent(found, 0)
    assert (end_of(found, way), formation, most, leaves) == ([FAR_EAST], KEEP, 10, False)


def test_who_is_at_the_goal_stays_and_so_does_who_has_no_order() -> None:
    found = plan(
        [unit("a", 0, FAR_EAST), unit("b", 0, (-6, 0)), unit("c", 1, (0, 5))],
        [order("take", [0], FAR_EAST)],
    )
    assert intent(found, 0)[0] == intent(found, 1)[0] == KEEP


def test_holders_come_only_from_farther_than_the_style_says() -> None:
    """Two points from the place is there; three are not."""
    found = plan(
        [unit("a", 0, (0, 2)), unit("b", 0, (0, 3)), unit("c", 1, (11, 0))],
        [order("hold", [0, 1], (0, 0))],
    )
    assert intent(found, 0)[0] == KEEP
    assert end_of(found, intent(found, 1)[0]) == [(0, 0)]


def test_who_leaves_the_map_is_not_stopped_by_distance() -> None:
    found = plan(
        [unit("a", 0, (0, 0)), unit("b", 1, (3, 0), increments=24, printed=24)],
        [order("exit", [0], (12, 0))],
    )
    way, _, most, leaves = intent(found, 0)
    assert (end_of(found, way), most, leaves) == ([(12, 0)], 99, True)


@pytest.mark.parametrize(
    ("hexes", "turn", "goes"), [(6, 1, True), (7, 1, False), (7, 9, False), (7, 10, True)]
)
def test_reserves_go_up_when_an_enemy_is_near_or_they_have_waited_long_enough(
    hexes: int, turn: int, goes: bool
) -> None:
    foe = unit("b", 1, (hexes, 0), increments=24, printed=24)
    found = plan([unit("a", 0, (0, 0)), foe], [order("reserve", [0])], turn=turn)
    way = intent(found, 0)[0]
    assert (way != KEEP) == goes
    assert not goes or end_of(found, way) == [(hexes, 0)]


def test_two_gather_against_a_hex_that_one_could_not_attack() -> None:
    """8 and 8 against 8, of which 1.5 times as many are asked for: both go, in column and as far as they
    can; one alone stops before the enemy."""
    pair = [unit("a", 0, (-4, 0), formation="line", facing=1), unit("b", 0, (-4, 1)), unit("c", 1, (1, 0))]
    found = plan(pair, [order("take", [0, 1], FAR_EAST)])
    first, second = intent(found, 0), intent(found, 1)
    assert found.prey[:2, 0].tolist() == [2, 2]
    assert end_of(found, first[0]) == end_of(found, second[0]) == [(1, 0)]
    assert (first[1:3], second[1:3]) == ((COLUMN, 99), (KEEP, 99))
    alone = plan(pair[1:], [order("take", [0], FAR_EAST)])
    way, _, most, _ = intent(alone, 0)
    assert (end_of(alone, way), most) == ([FAR_EAST], 5 - 2)


def test_holders_attack_only_who_comes_near() -> None:
    """Within 4 points, with 16 against 8."""
    for hexes, attacks in ((4, True), (5, False)):
        found = plan(
            [unit("a", 0, (0, 0), increments=16, printed=16), unit("c", 1, (hexes, 0))],
            [order("hold", [0], (0, 0))],
        )
        assert (intent(found, 0)[0] != KEEP) == attacks


def test_the_disordered_wait_and_squares_stay_while_cavalry_is_near() -> None:
    found = plan(
        [unit("a", 0, (0, 0), state="disordered"), unit("c", 1, (11, 0))], [order("take", [0], FAR_EAST)]
    )
    assert found.forces.state[0, 0] == DISORDERED
    assert intent(found, 0)[:2] == (KEEP, KEEP)
    for hexes, goes in ((6, False), (7, True)):
        squared = [unit("a", 0, (0, 0), formation="square"), horse("c", 1, (hexes, 0))]
        found = plan(squared, [order("take", [0], FAR_EAST)])
        assert found.forces.formation[0, 0] == SQUARE
        assert (intent(found, 0)[0] != KEEP, intent(found, 0)[1]) == (goes, COLUMN if goes else KEEP)


@pytest.mark.parametrize(
    ("hexes", "formation", "way", "told"),
    [(7, "unlimbered", False, KEEP), (8, "unlimbered", True, LIMBERED), (5, "limbered", False, KEEP)],
)
def test_guns_stay_in_action_while_an_enemy_is_in_reach_and_follow_limbered(
    hexes: int, formation: str, way: bool, told: int
) -> None:
    foe = unit("c", 1, (hexes - 5, 0), increments=24, printed=24)
    found = plan([guns("a", 0, (-5, 0), formation), foe], [order("take", [0], FAR_EAST)])
    assert (intent(found, 0)[0] != KEEP, intent(found, 0)[1]) == (way, told)


def test_guns_unlimber_where_an_enemy_is_near_and_face_him() -> None:
    """Six hexes: near enough. He is in direction 2 to 3, that is side 2 or 3."""
    found = plan([guns("a", 0, (0, 0)), unit("c", 1, (0, 6))], [])
    formation, facing = halt(found, 0)
    assert formation == UNLIMBERED
    assert facing in (1, 2, 3)
    assert halt(plan([guns("a", 0, (0, 0)), unit("c", 1, (0, 7))], []), 0)[0] == KEEP


def test_infantry_that_stands_takes_line_unless_cavalry_is_near() -> None:
    foes = [unit("c", 1, (6, 0), increments=24, printed=24), horse("d", 1, (7, 0)), horse("d", 1, (0, -6))]
    formation, _ = halt(plan([unit("a", 0, (0, 0)), *foes[:2]], []), 0)
    assert formation % 16 == LINE
    assert halt(plan([unit("a", 0, (0, 0)), *foes], []), 0)[0] == KEEP
    far = unit("c", 1, (7, 0), increments=24, printed=24)
    assert halt(plan([unit("a", 0, (0, 0)), far], []), 0)[0] == KEEP


def test_no_line_in_a_village() -> None:
    foe = unit("c", 1, (6, 0), increments=24, printed=24)
    found = plan([unit("a", 0, (0, 0), formation="general order"), foe], [], terrain={(0, 0): "village"})
    assert halt(found, 0)[0] == KEEP


def test_who_has_the_enemy_in_front_does_not_turn_and_who_has_not_does() -> None:
    """A column facing side 0 sees what lies in direction 0; behind it does not."""
    foe = unit("c", 1, (-3, 0), increments=24, printed=24)
    assert halt(plan([horse("a", 0, (0, 0), facing=6), foe], []), 0) == (KEEP, KEEP)
    assert halt(plan([horse("a", 0, (0, 0), facing=0), foe], []), 0) == (KEEP, 6)


def test_units_of_all_arms_are_asked_at_once_a_lane_each() -> None:
    """In three lanes the infantry forms line, the guns unlimber, the cavalry turns to the enemy."""
    units = [unit("a", 0, (0, 0)), guns("g", 0, (0, 1)), horse("h", 0, (1, -1)), unit("c", 1, (3, 0))]
    found = plan(units, [])
    each = Cases(found.play.ensemble, np.arange(3), np.arange(3), np.arange(3), found.play.ensemble.epoch)
    formation, facing = found.halts(each)
    alone = [halt(plan(units, []), number) for number in range(3)]
    assert list(zip(formation.tolist(), facing.tolist(), strict=True)) == alone
    assert (formation % TWO).tolist()[:2] == [LINE, UNLIMBERED]
    assert formation[2] == KEEP


def test_tired_cavalry_goes_home_until_no_enemy_is_near() -> None:
    """Nine hexes away is far enough; from six it goes three."""
    for hexes, steps in ((6, 3), (9, None)):
        found = plan(
            [horse("a", 0, (0, 0)), unit("c", 1, (hexes, 0), increments=24)], [order("take", [0], FAR_EAST)]
        )
        found.forces.tire(cases(found.forces, 0), 1)
        way, _, most, _ = intent(found, 0)
        assert (way != KEEP) == (steps is not None)
        if steps is not None:
            assert most == steps
            assert {at[0] for at in end_of(found, way) if at} == {-12}


def test_the_plans_of_mirrored_sides_are_mirror_images() -> None:
    """The same units turned by half a turn: the same marches, their hexes turned."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        places = [(int(q), int(r)) for q, r in rng.choice(np.arange(-8, 9), (8, 2))]
        if len({*places, *((-q, -r) for q, r in places)}) < 16:
            continue
        arms = [
            ("infantry", "column"),
            ("infantry", "column"),
            ("infantry", "column"),
            ("infantry", "column"),
        ]
        arms += [
            ("cavalry", "column"),
            ("artillery", "limbered"),
            ("infantry", "column"),
            ("infantry", "column"),
        ]
        one, other = (
            [
                unit(f"{side}{n}", side, (sign * q, sign * r), (0, 6)[side], arm=arm, formation=shape)
                for n, ((q, r), (arm, shape)) in enumerate(zip(places, arms, strict=True))
            ]
            for side, sign in ((0, 1), (1, -1))
        )
        orders = [order("take", range(8), (2, 0)), order("take", range(8, 16), (-2, 0))]
        west, east = (plan([*one, *other], orders, side) for side in (0, 1))
        for n in range(8):
            mine, theirs = intent(west, n), intent(east, n + 8)
            assert mine[1:] == theirs[1:]
            assert (mine[0] == KEEP) == (theirs[0] == KEEP)
            if mine[0] != KEEP:
                turned = [(-at[0], -at[1]) for at in end_of(east, theirs[0]) if at]
                assert end_of(west, mine[0]) == sorted(turned)
            shape, facing = halt(west, n)
            assert halt(east, n + 8) == (shape, facing if facing == KEEP else (facing + 6) % 12)


def test_the_first_order_that_holds_for_a_turn_counts() -> None:
    told = [order("hold", [0], (0, 0), ends=3), order("take", [0], FAR_EAST, begins=3)]
    units = [unit("a", 0, (0, 0)), unit("c", 1, (11, 11))]
    assert intent(plan(units, told, turn=3), 0)[0] == KEEP
    found = plan(units, told, turn=4)
    assert end_of(found, intent(found, 0)[0]) == [FAR_EAST]


@pytest.mark.parametrize(("increments", "steps"), [(2, 2), (3, 0)])
def test_the_beaten_are_pulled_out_until_they_are_out_of_reach(increments: int, steps: int) -> None:
    """Two of eight are no more than a third, three are more. From an enemy at 2 hexes to 4 it is 2 steps."""
    beaten = unit("a", 0, (0, 0), increments=increments)
    found = plan([beaten, unit("b", 1, (2, 0), increments=24, printed=24)], [order("take", [0], FAR_EAST)])
    way, _, most, _ = intent(found, 0)
    assert most == steps
    assert found.beaten[0].all() == (steps > 0)
    if steps:
        assert min(at[0] for at in end_of(found, way)) == -12


@pytest.mark.parametrize(("hexes", "steps", "back"), [(2, 1, True), (3, 0, False), (6, 3, False)])
def test_who_screens_keeps_between_and_attacks_nobody(hexes: int, steps: int, back: bool) -> None:
    found = plan([unit("a", 0, (0, 0)), unit("b", 1, (hexes, 0), increments=3)], [order("screen", [0])])
    way, _, most, _ = intent(found, 0)
    assert (most, found.prey[0, 0]) == (steps, -1)
    if steps:
        assert (end_of(found, way) == [(hexes, 0)]) != back


@pytest.mark.parametrize(("turn", "steps"), [(2, 2), (3, 99)])
def test_in_the_last_turns_of_an_order_no_enemy_near_the_goal_makes_them_stop(turn: int, steps: int) -> None:
    """The order ends with turn 5, and its last three turns are the last; the enemy is 4 hexes off."""
    foe = unit("b", 1, (4, 0), increments=24, printed=24)
    found = plan([unit("a", 0, (0, 0)), foe], [order("take", [0], (3, 0), ends=5)], turn=turn)
    assert intent(found, 0)[2] == steps


@pytest.mark.parametrize(("shaken", "goes"), [(0, False), (1, True)])
def test_reserves_go_up_when_a_third_of_the_front_is_shaken(shaken: int, goes: bool) -> None:
    front = [
        unit(name, 0, (q, 0), state="disordered" if q < shaken else "good") for q, name in enumerate("abc")
    ]
    found = plan(
        [*front, unit("d", 0, (-6, 0)), unit("e", 1, (12, 0), increments=24, printed=24)],
        [order("hold", [0, 1, 2], (1, 0)), order("reserve", [3])],
    )
    assert (intent(found, 3)[0] != KEEP) == goes


@pytest.mark.parametrize(("attackers", "taken"), [(2, LINE), (3, KEEP)])
def test_attackers_take_line_and_fire_unless_enough_have_come_to_storm(attackers: int, taken: int) -> None:
    """16 against 8 is less than three to one, 24 against 8 is not; two and a half times 8 are sent."""
    around = [(-1, 0), (0, -1), (-1, 1)][:attackers]
    units = [unit(name, 0, at) for name, at in zip("abc", around, strict=False)]
    found = plan([*units, unit("z", 1, (0, 0), 6)], [])
    formation, _ = halt(found, 0)
    assert found.prey[0, 0] == attackers
    assert (formation % TWO if formation != KEEP else KEEP) == taken


def test_a_line_in_two_hexes_is_taken_only_with_the_enemy_in_front() -> None:
    """Who faces east and takes line faces the corner between east and the next side; before an enemy behind
    him he could not turn."""
    ahead = plan([unit("a", 0, (0, 0)), unit("b", 1, (4, 0), increments=24, printed=24)], [])
    behind = plan([unit("a", 0, (0, 0)), unit("b", 1, (-4, 0), increments=24, printed=24)], [])
    assert [halt(one, 0)[0] for one in (ahead, behind)] == [LINE + TWO, LINE]
