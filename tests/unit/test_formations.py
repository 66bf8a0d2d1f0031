"""Formations on drawn maps (docs/battle.md O; A3.2, A5; seeds 003, 004), each worked out by hand.

Hexes stand on a corner; directions 0 to 5 are E, SE, SW, W, NW, NE. `A` is a unit's own hex, `B` its other;
around it lies what it has in front (F), in its flank (L) and in its rear (R).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sim.battle.assault import assault
from sim.battle.told import Fought
from sim.board.flight import mark_all, wipe_all
from sim.board.hexmap import Hex, along, distance
from sim.board.limits import LEAST_IN_TWO
from sim.board.tables import HORSE_ZONES, ZONES
from sim.combat.failures import PLAIN, Failing
from sim.combat.fire import attack
from sim.combat.flight import retreat, rout
from sim.combat.play import Play
from sim.combat.told import Checked, Fired
from sim.ensemble.dice import Dice, ScriptedDice
from sim.vocabulary import (
    COLUMN,
    DISORDERED,
    FLANK,
    FRONT,
    GENERAL_ORDER,
    GOOD,
    LIMBERED,
    LINE,
    MASSE,
    REAR,
    ROAD_MARCH,
    ROUTED,
    SKIRMISH,
    SQUARE,
    UNLIMBERED,
)
from tests.field import Placed, battle, cases, hexes, told, unit
from tests.shown import CHARGER, FOOT, GUNS, HEAVY, LIGHT, TARGET, Piece, Shown, show

ZONE = {"F": FRONT, "L": FLANK, "R": REAR}

E, ESE = 0, 1
"""Facings: the side of direction 0, and the corner between directions 0 and 1."""

THREE = """
     L F
    R A F
     L F
"""
FIVE = """
     F F
    R A F
     F F
"""
ALL = """
     F F
    F A F
     F F
"""
IN_LINE = """
     R L
    R A F
     L F
"""
LOOSE = """
     L F
    L A F
     F F
"""
IN_MASSE = """
     R F
    R A F
     F F
"""
LINE_OF_TWO = """
     R L
    R A F
   R B F
    L F
"""
LINE_TO_THE_LEFT = """
     R L
    R B F
   R A F
    L F
"""
LOOSE_OF_TWO = """
     L F
    R A F
   L B F
    F F
"""


def drawn(text: str) -> dict[str, list[Hex]]:
    """The hexes of each letter, from that of `A`."""
    rows = text.splitlines()
    ((row, column),) = [(r, line.index("A")) for r, line in enumerate(rows) if "A" in line]
    found: dict[str, list[Hex]] = {}
    for r, line in enumerate(rows):
        for c, letter in enumerate(line):
            if letter != " ":
                found.setdefault(letter, []).append(((c - column - (r - row)) // 2, r - row))
    return found


def orientation(
    kind: int, formation: int, facing: int, text: str, **facts: Any
) -> tuple[Shown, dict[str, list[Hex]]]:
    """A unit as it is drawn, and the hexes around it."""
    there = drawn(text)
    second = there.get("B", [None])[0]
    return show(Piece(TARGET, (0, 0), kind, formation, facing, second=second, **facts)), there


# -- front, flank, rear -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "formation", "facing", "text"),
    [
        (FOOT, COLUMN, E, THREE),
        (FOOT, ROAD_MARCH, E, THREE),
        (FOOT, GENERAL_ORDER, E, FIVE),
        (FOOT, SQUARE, E, ALL),
        (FOOT, LINE, ESE, IN_LINE),
        (FOOT, SKIRMISH, ESE, LOOSE),
        (FOOT, MASSE, ESE, IN_MASSE),
        (LIGHT, COLUMN, E, FIVE),
        (LIGHT, GENERAL_ORDER, E, FIVE),
        (LIGHT, LINE, ESE, IN_LINE),
        (HEAVY, COLUMN, E, THREE),
        (HEAVY, GENERAL_ORDER, E, FIVE),
        (HEAVY, LINE, ESE, IN_LINE),
        (GUNS, LIMBERED, E, THREE),
        (GUNS, UNLIMBERED, E, THREE),
        (FOOT, LINE, ESE, LINE_OF_TWO),
        (FOOT, LINE, ESE, LINE_TO_THE_LEFT),
        (FOOT, SKIRMISH, ESE, LOOSE_OF_TWO),
    ],
)
def test_front_flank_and_rear(kind: int, formation: int, facing: int, text: str) -> None:
    """O1, O2: and the zone of influence is the front, but for a square, which has none (Z2)."""
    one, there = orientation(kind, formation, facing, text)
    for letter, zone in ZONE.items():
        assert [one.zone_toward(0, at) for at in there.get(letter, [])] == [zone] * len(there.get(letter, []))
    assert set(one.zone_hexes(0)) == (set() if formation == SQUARE else set(there["F"]))
    assert [one.zone_toward(0, at) for at in [*there["A"], *there.get("B", [])]] in ([-1], [-1, -1])


@pytest.mark.parametrize(
    ("formation", "text", "sides"), [(LINE, LINE_OF_TWO, (4, 2, 4)), (SKIRMISH, LOOSE_OF_TWO, (6, 2, 2))]
)
def test_ten_sides_of_two_hexes(formation: int, text: str, sides: tuple[int, int, int]) -> None:
    """O2: four sides of a line lead to the front, two to its flanks, four to its rear; of skirmishers 6, 2, 2
    ([PRINT] BE21 p21, LEI/154)."""
    one, there = orientation(FOOT, formation, ESE, text)
    own = [*there["A"], *there["B"]]
    found = [one.zone_toward(0, to) for here in own for d in range(6) if (to := along(here, d, 1)) not in own]
    assert tuple(found.count(zone) for zone in (FRONT, FLANK, REAR)) == sides


def marks(one: Shown, side: int, at: Hex) -> tuple[int, bool]:
    """In how many enemy zones a hex is for a side, and whether in one of cavalry."""
    nobody = np.zeros((len(one.board.side), 1), np.bool_)
    mark_all(one.board, one.position, 0, nobody, 0, side)
    found = int(one.board.marks[one.map.number(at)])
    wipe_all(one.board, one.position, 0, side)
    assert not one.board.marks.any()
    return found // ZONES, found & HORSE_ZONES != 0


def test_the_hex_before_both_is_in_one_zone() -> None:
    """O9: hexes in front of a line in two, counted once each; its own hexes are not in its zone."""
    one, there = orientation(FOOT, LINE, ESE, LINE_OF_TWO)
    assert [marks(one, CHARGER, at) for at in there["F"]] == [(1, False)] * 3
    assert [marks(one, CHARGER, at) for at in there["L"] + there["R"] + there["A"] + there["B"]] == [
        (0, False)
    ] * 7
    loose, there = orientation(FOOT, SKIRMISH, ESE, LOOSE_OF_TWO)
    assert [marks(loose, CHARGER, at) for at in there["F"]] == [(1, False)] * 5
    assert [marks(loose, CHARGER, at) for at in there["A"] + there["B"]] == [(0, False)] * 2


def test_both_hexes_of_a_line_hide_what_lies_behind_them_and_none_of_skirmishers() -> None:
    """A8: a hex with a combat unit blocks sight, skirmishers do not. B is at (-1, 1)."""
    line, _ = orientation(FOOT, LINE, ESE, LINE_OF_TWO)
    loose, _ = orientation(FOOT, SKIRMISH, ESE, LOOSE_OF_TWO)
    for one, sees in ((line, False), (loose, True)):
        assert one.sees((-3, 1), (1, 1)) is sees
        assert one.sees((-2, 0), (2, 0)) is sees


def test_a_line_sees_from_either_hex_through_its_front() -> None:
    """Woods before A hide what lies there from A; B sees past them. Behind it sees nothing."""
    there = drawn(LINE_OF_TWO)
    piece = Piece(TARGET, (0, 0), FOOT, LINE, ESE, second=there["B"][0])
    assert show(piece).in_view(0, (3, 0))
    assert not show(piece, terrain={(1, 0): "woods"}).in_view(0, (2, 0))
    assert show(piece, terrain={(1, 0): "woods"}).in_view(0, (2, 1))
    assert not show(piece).in_view(0, (-3, 0))
    assert not show(piece).in_view(0, (-3, 1))


# -- one unit in two hexes ----------------------------------------------------------------------------

A, B = (0, 0), (-1, 1)
"""A line that looks ESE, its other hex to the right. Side 1 goes home E, side 0 W."""


def line(
    increments: int = 8, side: int = 1, facing: int = 1, at: Hex = A, formation: str = "line", **facts: Any
) -> Placed:
    """Infantry in line or skirmish order."""
    name = facts.pop("name", "line")
    return unit(
        name, side, at, facing, formation=formation, increments=increments, printed=increments, **facts
    )


def field(units: list[Placed], second: Hex | None = B, dice: Dice | None = None, **how: Any) -> Play:
    """A battle in which the first of some units is in two hexes."""
    play = battle(units, dice or ScriptedDice([]), **how)
    if second is not None:
        play.forces.extend(cases(play.forces, 0), play.forces.map.number(second))
    return play


def both(play: Play, number: int = 0) -> tuple[Hex | None, Hex | None]:
    """The hexes of a unit."""
    forces = play.forces
    return forces.map.hex(int(forces.hex[number, 0])), forces.map.hex(int(forces.second[number, 0]))


def test_it_stands_in_both_and_is_the_top_unit_of_both() -> None:
    """O5."""
    play = field(
        [
            line(),
            unit("mate", 1, B),
            unit("guns", 1, A, arm="artillery", formation="unlimbered"),
            unit("far", 1, (5, 5)),
        ]
    )
    forces, lanes = play.forces, play.ensemble.all()
    for at in (A, B):
        there = np.full(1, forces.map.number(at))
        assert forces.in_hex(there, lanes)[0, 0]
        assert forces.standing(there, lanes, 1)[0, 0]
        assert not forces.standing(there, lanes, 0).any()
        assert forces.top(1, there, lanes)[0] == 0
    assert forces.mates(cases(forces, 0))[:, 0].tolist() == [False, True, True, False]
    assert forces.mates(cases(forces, 1))[:, 0].tolist() == [True, False, False, False]
    far = np.full(1, forces.map.number((-4, 1)))
    assert forces.gap(far, lanes)[:, 0].tolist() == [3, 3, 4, 13]
    assert forces.nearer(cases(forces, 0), far)[0] == forces.map.number(B)


@pytest.mark.parametrize(("increments", "own", "other"), [(5, 3, 2), (8, 4, 4), (9, 5, 4), (10, 5, 5)])
def test_half_of_its_increments_are_in_each_hex_and_an_odd_one_in_its_own(
    increments: int, own: int, other: int
) -> None:
    """O4."""
    play = field([line(increments)])
    one, number = cases(play.forces, 0), play.forces.map.number
    assert [int(play.forces.deployed(one, np.full(1, number(at)))[0]) for at in (A, B)] == [own, other]


@pytest.mark.parametrize(
    ("formation", "increments", "lost", "spread"),
    [
        ("line", 6, 1, True),
        ("line", 5, 1, False),
        ("line", 9, 5, False),
        ("skirmish", 5, 1, True),
        ("skirmish", 4, 1, False),
    ],
)
def test_it_shrinks_at_four_in_line_and_at_three_in_skirmish_order_as_soon_as_it_loses(
    formation: str, increments: int, lost: int, spread: bool
) -> None:
    """O3, O6, O8: five are enough for a line, four for skirmishers; together in its own hex it keeps its
    formation and facing."""
    play = field([line(increments, formation=formation)])
    play.forces.lose(cases(play.forces, 0), lost, "21")
    assert both(play) == (A, B if spread else None)
    assert (play.forces.formation[0, 0], play.forces.facing[0, 0]) == (
        LINE if formation == "line" else SKIRMISH,
        1,
    )


def test_what_needs_two_hexes_at_least() -> None:
    """O3, O6: no other formation is ever in two."""
    assert [int(LEAST_IN_TWO[one]) for one in (LINE, SKIRMISH)] == [5, 4]
    others = [one for one in range(9) if one not in (LINE, SKIRMISH)]
    assert all(LEAST_IN_TWO[one] > 99 for one in others)


@pytest.mark.parametrize(
    ("formation", "spread"),
    [(SKIRMISH, True), (COLUMN, False), (SQUARE, False), (MASSE, False), (ROAD_MARCH, False)],
)
def test_another_formation_brings_it_together_but_line_and_skirmish_order(
    formation: int, spread: bool
) -> None:
    play = field([line(8)])
    play.forces.form(cases(play.forces, 0), formation)
    assert both(play) == (A, B if spread else None)


@pytest.mark.parametrize(
    ("side", "facing", "second", "ends"),
    [(1, 1, B, A), (0, 1, B, B), (0, 7, (1, -1), A), (1, 7, (1, -1), (1, -1))],
)
def test_who_breaks_comes_together_in_the_hex_nearer_home(
    side: int, facing: int, second: Hex, ends: Hex
) -> None:
    """O12: side 1 goes home E, side 0 W. Of (0, 0) and (-1, 1) the first lies farther E, of (0, 0) and
    (1, -1) the second."""
    for state in (DISORDERED, ROUTED):
        play = field([line(8, side, facing)], second)
        play.forces.become(cases(play.forces, 0), state)
        assert both(play) == (ends, None)
        assert play.forces.formation[0, 0] == COLUMN


def test_it_retreats_as_one_from_the_hex_nearer_home() -> None:
    """O12: three points from A, which lies nearer home (E); each enemy ends farther off."""
    play = field([line(8), unit("enemy", 0, (-2, 1), 1, formation="line")])
    play.forces.become(cases(play.forces, 0), DISORDERED)
    retreat(play, np.array([[True], [False]]), 0)
    end, second = both(play)
    assert second is None
    assert end is not None
    assert distance(A, end) == 3
    assert distance((-2, 1), end) > distance((-2, 1), A)


def test_a_line_in_good_order_that_is_sent_back_comes_together_too() -> None:
    play = field([line(8), unit("enemy", 0, (-2, 1), 1, formation="line")])
    retreat(play, np.array([[True], [False]]), 0, points=1)
    end, second = both(play)
    assert second is None
    assert end is not None
    assert distance(A, end) == 1


def test_units_of_both_hexes_leave_each_from_its_own() -> None:
    """Guns in B and the line, that has come together in A, rout: each ten points from where it is."""
    guns = unit("guns", 1, B, 1, arm="artillery", formation="limbered", increments=3, printed=3)
    play = field([line(8), guns, unit("enemy", 0, (-3, 2), 1, formation="line")], radius=30)
    for number in (0, 1):
        play.forces.become(cases(play.forces, number), ROUTED)
    rout(play, np.array([[True], [True], [False]]), 0)
    ends = hexes(play)
    assert ends[0] is not None
    assert ends[1] is not None
    assert [distance(A, ends[0]), distance(B, ends[1])] == [10, 10]


def test_who_retreats_does_not_come_nearer_to_either_hex_of_an_enemy() -> None:
    """O12: the enemy's second hex lies S of the way home; the retreat bends away from it."""
    runner = unit("runner", 1, (0, 0), 0)
    play = battle([runner, line(8, 0, 1, (-2, 0), name="enemy")], ScriptedDice([]))
    play.forces.extend(cases(play.forces, 1), play.forces.map.number((-3, 1)))
    play.forces.become(cases(play.forces, 0), DISORDERED)
    retreat(play, np.array([[True], [False]]), 0)
    end = hexes(play)[0]
    assert end is not None
    assert distance(end, (-2, 0)) > 2
    assert distance(end, (-3, 1)) > 3


def test_units_in_either_of_its_hexes_check_when_it_fails() -> None:
    """O5, rule 31: one mate stands in A, one in B, and both see it fail, though it comes together in A."""
    dice = ScriptedDice([34, 34])
    play = field(
        [line(8), unit("first", 1, A), unit("second", 1, B), unit("third", 1, (3, 3))], dice=dice, told=True
    )
    with Failing(play, PLAIN) as failing:
        failing.fails(cases(play.forces, 0))
    dice.finish()
    assert [who for what, who in told(play) if what == "Checked"] == [1, 2]


# -- fire ---------------------------------------------------------------------------------------------


def volley(play: Play, target: int, at: Hex | None = None) -> tuple[Fraction, Fraction]:
    """Strength and defence of all fire at a unit's hex."""
    places = None if at is None else np.full(1, play.forces.map.number(at))
    attack(play, cases(play.forces, target), "24", places=places)
    assert play.recorder is not None
    (fired,) = [one.event for one in play.recorder.entries if isinstance(one.event, Fired)]
    assert fired.strengths is not None
    return fired.strengths.total("attack"), fired.strengths.total("defence")


TIMES_THREE = {"line": Fraction(3), "skirmish": Fraction(2), "square": Fraction(3)}


@pytest.mark.parametrize(
    ("formation", "increments", "at", "strength"),
    [
        ("line", 10, (0, 1), 24),  # AU16 p24: eight of ten fire, at the hex before both
        ("line", 10, (1, 0), 12),  # before one hex only: four
        ("line", 5, (0, 1), 15),  # three and two
        ("line", 5, (-1, 2), 6),  # before the other: two
        ("skirmish", 8, (0, 1), 12),  # three and three, times two
        ("skirmish", 5, (1, 0), 6),  # three of three
        ("skirmish", 5, (-1, 2), 4),  # two
    ],
)
def test_up_to_four_fire_from_each_hex_of_a_line_and_three_of_skirmishers(
    formation: str, increments: int, at: Hex, strength: int
) -> None:
    """O10: seed 003, PR17 p21."""
    enemy = unit("enemy", 0, at, 6, morale=11)
    shooter = line(increments, formation=formation, multiples=TIMES_THREE)
    play = field([shooter, enemy], dice=ScriptedDice([11]), told=True)
    assert volley(play, 1)[0] == strength


@pytest.mark.parametrize(
    ("increments", "at", "defence"),
    [(12, A, 9), (13, A, 6), (13, B, 9), (14, B, 6)],
)
def test_its_fire_defence_goes_by_what_is_deployed_in_the_hex(increments: int, at: Hex, defence: int) -> None:
    """O11: six of twelve are a line, seven of thirteen a column, the other six a line."""
    place = {A: (1, 0), B: (-1, 2)}[at]
    shooter = unit("enemy", 0, place, 8, fire=Fraction(6))
    play = field([line(increments, morale=11), shooter], dice=ScriptedDice([11]), told=True)
    assert volley(play, 0, at)[1] == defence


def test_fire_at_either_hex_hits_the_one_unit() -> None:
    """O5: 66 on 3:1 costs increments, wherever it fell."""
    for at, place in ((A, (1, 0)), (B, (-1, 2))):
        shooter = unit("enemy", 0, place, 8, fire=Fraction(30))
        play = field([line(9, morale=11), shooter], dice=ScriptedDice([66, 66]), told=True)
        volley(play, 0, at)
        assert play.forces.increments[0, 0] < 9


# -- assault ------------------------------------------------------------------------------------------


def fought(units: list[Placed], second: Hex, two: int, rolls: list[int], place: Hex) -> Fought:
    """An assault of side 0's units on a hex; unit `two` is in two hexes."""
    dice = ScriptedDice(rolls)
    play = battle(units, dice, told=True)
    play.forces.extend(cases(play.forces, two), play.forces.map.number(second))
    play.moment = "1.1.melee"
    attackers = np.array([[one.side == 0] for one in units])
    assault(play, 0, attackers, np.full(play.ensemble.n, play.forces.map.number(place)))
    dice.finish()
    assert play.recorder is not None
    (found,) = [one.event for one in play.recorder.entries if isinstance(one.event, Fought)]
    return found


@pytest.mark.parametrize(("place", "theirs"), [(A, Fraction(5)), (B, Fraction(4))])
def test_only_what_stands_in_the_hex_attacked_defends_it(place: Hex, theirs: Fraction) -> None:
    """O5: five of nine are in A, four in B; the attackers in column count whole."""
    at, facing = {A: ((1, 0), 6), B: ((-1, 2), 8)}[place]
    attacker = unit("column", 0, at, facing)
    defender = line(9, melee=Fraction(9))
    found = fought([defender, attacker], B, 0, [66, 66, 34], place)
    assert found.strengths is not None
    assert (found.strengths.total("attack"), found.strengths.total("defence")) == (Fraction(8), theirs)


@pytest.mark.parametrize(
    ("place", "ours"), [((0, 1), Fraction(10)), ((1, 0), Fraction(5)), ((-1, 2), Fraction(5))]
)
def test_an_attacker_in_two_hexes_brings_those_next_to_the_hex_attacked(place: Hex, ours: Fraction) -> None:
    """O5: all ten of a line against the hex before both of its own, five against one before either."""
    attacker = line(10, side=0, melee=Fraction(10), name="attacker")
    defender = unit("defender", 1, place, 6)
    found = fought([attacker, defender], B, 0, [66, 66, 34], place)
    assert found.strengths is not None
    assert (found.strengths.total("attack"), found.strengths.total("defence")) == (ours, Fraction(8))


@pytest.mark.parametrize(
    ("place", "increments", "counted"), [((0, 1), 10, 8), ((0, 1), 7, 7), ((1, 0), 10, 4), ((-1, 2), 7, 3)]
)
def test_four_of_each_hex_count_in_the_odds_of_an_attacker(place: Hex, increments: int, counted: int) -> None:
    """O5, A7: of five and five four and four, of four and three all; before one hex that hex alone."""
    dice = ScriptedDice([66, 66, 34])
    attacker = line(increments, side=0, name="attacker")
    play = battle([attacker, unit("defender", 1, place, 6)], dice, told=True)
    play.forces.extend(cases(play.forces, 0), play.forces.map.number(B))
    play.moment = "1.1.melee"
    assault(play, 0, np.array([[True], [False]]), np.full(1, play.forces.map.number(place)))
    assert play.recorder is not None
    checked = next(one.event for one in play.recorder.entries if isinstance(one.event, Checked))
    assert checked.strengths is not None
    assert checked.strengths.total("attack") == counted


# -- states -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "state", "ends", "formation"),
    [
        ({"formation": "line"}, DISORDERED, DISORDERED, COLUMN),
        ({"formation": "square"}, DISORDERED, DISORDERED, COLUMN),
        ({"formation": "skirmish", "increments": 3, "printed": 3}, ROUTED, ROUTED, COLUMN),
        ({"arm": "cavalry", "formation": "line"}, DISORDERED, ROUTED, COLUMN),
        ({"arm": "artillery", "formation": "limbered"}, DISORDERED, DISORDERED, LIMBERED),
        ({"arm": "artillery", "formation": "limbered"}, ROUTED, ROUTED, LIMBERED),
        ({"arm": "artillery", "formation": "unlimbered"}, DISORDERED, DISORDERED, UNLIMBERED),
    ],
)
def test_what_becomes_of_a_formation_in_disorder_and_rout(
    facts: dict[str, Any], state: int, ends: int, formation: int
) -> None:
    """O12, O13: seed 004; cavalry is in order or routed."""
    play = battle(
        [unit("one", 1, A, 1 if facts["formation"] in ("line", "skirmish") else 0, **facts)],
        ScriptedDice([]),
    )
    play.forces.become(cases(play.forces, 0), state)
    assert (play.forces.state[0, 0], play.forces.formation[0, 0]) == (ends, formation)
    assert play.forces.facing[0, 0] % 2 == 0


def test_unlimbered_guns_that_would_rout_are_lost() -> None:
    """O13: 0-decisions 5.11."""
    play = battle([unit("guns", 1, A, arm="artillery", formation="unlimbered")], ScriptedDice([]))
    play.forces.become(cases(play.forces, 0), ROUTED)
    assert hexes(play) == [None]
    assert play.forces.state[0, 0] != GOOD
