"""The movement segment on drawn maps: who moves, changes of formation and facing, limbering, zones, force
marches, exits, stacks. Each expected place, number of half points and probability is worked out by hand from
docs/battle.md. Side 0 goes home in direction 3, side 1 in direction 0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest

from sim.battle.marching import Marching, Terms
from sim.battle.movement import Movement
from sim.battle.players import KEEP, TWO, Intent, Numbers, Player
from sim.board.going import going_of, way_to
from sim.board.hexmap import Hex
from sim.board.tables import Ints
from sim.combat.checks import check
from sim.combat.fire import attack
from sim.combat.play import Play
from sim.ensemble.cases import Cases
from sim.ensemble.dice import ExhaustiveDice, RandomDice
from sim.rulesets.compiled import BATTALION
from sim.units.charges import Leader
from sim.vocabulary import (
    COLUMN,
    DISORDERED,
    FORMATIONS,
    GONE,
    GOOD,
    LEFT,
    LIMBERED,
    LINE,
    ROAD_MARCH,
    ROUTED,
    SKIRMISH,
    SQUARE,
    UNLIMBERED,
)
from tests.agreement.positions import book_of
from tests.field import Placed, battle, play_out, unit

STAYS: Hex = (-99, 0)


@dataclass
class Will:
    """What a unit means to do: a goal, a formation before it goes; formation and facing where it stops."""

    to: Hex = STAYS
    first: int = KEEP
    then: int = KEEP
    facing: int = KEEP
    most: int = 99
    force: bool = False
    leaves: bool = False


@dataclass
class Mind:
    """A player who wants the same in every lane."""

    play: Play
    terms: Terms
    wills: Mapping[int, Will]
    side: int = 0
    asked: list[int] = field(default_factory=list)

    @property
    def ways(self) -> Ints:
        """A way for each unit."""
        forces, board = self.play.forces, self.play.survey.board
        found = []
        for u in range(len(forces.units)):
            will = self.wills.get(u, Will())
            formation = int(forces.formation[u, 0]) if will.first == KEEP else will.first % TWO
            goals = [] if will.to == STAYS else [forces.map.number(will.to)]
            formation = LIMBERED if formation == UNLIMBERED else formation
            found.append(way_to(board, self.terms.going, int(forces.arm[u]), formation, goals))
        return np.stack(found)

    def march(self, cases: Cases) -> Intent:
        self.asked += cases.unit.tolist()
        wills = [self.wills.get(u, Will()) for u in cases.unit.tolist()]
        stays = np.array([will.to == STAYS for will in wills])
        first, most = (np.array(told) for told in zip(*((w.first, w.most) for w in wills), strict=True))
        force, leaves = (np.array(told) for told in zip(*((w.force, w.leaves) for w in wills), strict=True))
        return Intent(np.where(stays, KEEP, cases.unit), first, most, force, leaves)

    def halts(self, cases: Cases) -> tuple[Numbers, Numbers]:
        wills = [self.wills.get(u, Will()) for u in cases.unit.tolist()]
        return np.array([will.then for will in wills]), np.array([will.facing for will in wills])


@dataclass
class Moved:
    """A movement segment that was played."""

    play: Play
    fired: list[int]
    charged: list[int]
    asked: list[int]

    def at(self, u: int = 0, lane: int = 0) -> tuple[Hex | None, int, str]:
        """Where a unit is, its facing and formation."""
        forces = self.play.forces
        place = forces.map.hex(int(forces.hex[u, lane]))
        return place, int(forces.facing[u, lane]), FORMATIONS[forces.formation[u, lane]]

    def chances(self, u: int = 0) -> dict[tuple[Hex | None, str, int], Fraction]:
        """How often a unit ends where, in which formation and state."""
        found: dict[tuple[Hex | None, str, int], Fraction] = {}
        dice = cast(ExhaustiveDice, self.play.dice)
        for lane, weight in enumerate(dice.fractions()):
            place, _, formation = self.at(u, lane)
            key = place, formation, int(self.play.forces.state[u, lane])
            found[key] = found.get(key, Fraction(0)) + weight
        return found


def segment(
    units: Sequence[Placed],
    wills: Mapping[int, Will],
    side: int = 0,
    fire: bool = False,
    stopped: bool = False,
    limbers: Mapping[int, int] | None = None,
    helps: Sequence[int] = (),
    exits: Iterable[Hex] = (),
    sizes: Mapping[int, int] | None = None,
    before: Any = None,
    **place: Any,
) -> Moved:
    """A movement segment of a side, its units called in unit order in each lane.

    Parameters
    ----------
    fire
        Whether enemies really fire at who acts in their zones.
    stopped
        Whether cavalry stops everybody who moves in its zone.
    before
        Called with the play before the segment begins.
    """
    play = battle(units, ExhaustiveDice(), **place)
    play.moment = "1.1.movement"
    forces = play.forces
    size = [(sizes or {}).get(u, BATTALION) for u in range(len(units))]
    going = going_of(forces.map, play.survey.board, play.book, size, [False] * len(units))
    needs = np.array([(limbers or {}).get(u, 1) for u in range(len(units))])
    leave = np.zeros((2, forces.map.off + 1), bool)
    leave[:, [forces.map.number(at) for at in exits]] = True
    terms = Terms(going, needs, np.array([*helps, 0]), leave)
    if before is not None:
        before(play)
    fired: list[int] = []
    charged: list[int] = []

    def fire_at(cases: Cases) -> None:
        fired.extend(np.unique(cases.unit).tolist())
        if fire:
            attack(play, cases, "28", repeatable=True)

    def charge_at(cases: Cases) -> Cases:
        charged.extend(np.unique(cases.unit).tolist())
        return cases.where(np.full(len(cases), stopped))

    mind = Mind(play, terms, wills, side)
    players = cast(tuple[Player, Player], (mind, mind))
    movement = Movement(Marching(play, terms, players, side, fire_at, charge_at))
    play_out(movement)
    return Moved(play, fired, charged, mind.asked)


def foot(at: Hex, facing: int = 0, side: int = 0, **facts: Any) -> Placed:
    """Infantry of 8 increments and 8 points."""
    return unit(f"foot-{side}-{at}", side, at, facing, **facts)


def guns(at: Hex, facing: int = 0, side: int = 0, **facts: Any) -> Placed:
    """A limbered battery of 3 increments and 8 points."""
    told = {"arm": "artillery", "formation": "limbered", "increments": 3, "printed": 3, "fire": Fraction(18)}
    return unit(f"guns-{side}-{at}", side, at, facing, **told | facts)


def horse(at: Hex, facing: int = 0, side: int = 0, **facts: Any) -> Placed:
    """Light cavalry of 14 points."""
    return unit(f"horse-{side}-{at}", side, at, facing, **{"arm": "cavalry", "movement": 14} | facts)


# ---- who moves, and how far


def test_a_column_marches_its_printed_points() -> None:
    """M1: 8 hexes of 10."""
    assert segment([foot((0, 0))], {0: Will((10, 0))}).at() == ((8, 0), 0, "column")


@pytest.mark.parametrize(("facts", "hexes"), [
    ({"formation": "line"}, 6),  # M2
    ({"state": "disordered"}, 4),  # M3
    ({"state": "disordered", "movement": 7}, 3),  # M3: 3 1/2
    ({"state": "routed"}, 0),  # M4
    ({"formation": "square"}, 1),  # M5
])  # fmt: skip
def test_formation_and_state_take_points(facts: dict[str, Any], hexes: int) -> None:
    moved = segment([foot((0, 0), **facts)], {0: Will((10, 0))})
    assert moved.at()[0] == (hexes, 0)


def test_a_line_has_two_points_less_whatever_it_becomes() -> None:
    """M2, M15: 8 - 2 - 1 for the column."""
    moved = segment([foot((0, 0), formation="line")], {0: Will((10, 0), first=COLUMN)})
    assert moved.at() == ((5, 0), 0, "column")


def test_a_square_that_begins_with_a_change_has_the_rest_of_its_points() -> None:
    """M5: 8 - 1."""
    moved = segment([foot((0, 0), formation="square")], {0: Will((10, 0), first=COLUMN)})
    assert moved.at() == ((7, 0), 0, "column")
    assert moved.play.forces.half.moved[0, 0] == 2


def test_who_is_held_back_or_has_charged_is_not_asked() -> None:
    """M8, M9; both may move again next time."""

    def before(play: Play) -> None:
        play.forces.held[0] = 1
        play.forces.half.charged[1] = True

    moved = segment(
        [horse((0, 0)), horse((0, 3)), horse((0, 5))], {u: Will((9, 0)) for u in range(3)}, before=before
    )
    assert moved.asked == [2]
    assert moved.play.forces.held[0, 0] == 0


# ---- waves


def lanes_of(count: int, wills: Mapping[int, Will], units: Sequence[Placed]) -> tuple[Movement, Mind]:
    """A movement segment of side 0 in some lanes, where nobody is fired at."""
    play = battle(units, RandomDice(1, 0, count, lumped=False))
    play.moment = "1.1.movement"
    forces = play.forces
    going = going_of(forces.map, play.survey.board, play.book, [BATTALION] * len(units), [False] * len(units))
    terms = Terms(going, np.ones(len(units), int), np.zeros(1, int), np.zeros((2, forces.map.off + 1), bool))
    mind = Mind(play, terms, wills)
    players = cast(tuple[Player, Player], (mind, mind))
    none = np.zeros(0, np.intp)
    return Movement(Marching(play, terms, players, 0, lambda _: None, lambda who: who.take(none))), mind


def test_units_of_several_lanes_march_in_one_wave() -> None:
    """In lane 1 the first unit is routed: the second marches at once, in lane 0 in the wave after."""
    units = [foot((0, 0)), foot((0, 3))]
    movement, mind = lanes_of(2, {u: Will((3, 3 * u)) for u in range(2)}, units)
    forces = mind.play.forces
    forces.state[0, 1] = ROUTED
    for called in ([0, 1], [1]):
        assert movement.call() == called
        for unit_ in called:
            movement.answer(unit_)
        movement.wave()
    assert movement.call() == []
    assert movement.over
    ends = [[forces.map.hex(int(at)) for at in row] for row in forces.hex]
    assert ends == [[(3, 0), (0, 0)], [(3, 3), (3, 3)]]
    assert mind.asked == [0, 1, 1]
    assert (forces.half.moved == [[1, 0], [1, 1]]).all()


def test_who_is_called_and_does_not_answer_does_not_move() -> None:
    movement, mind = lanes_of(1, {u: Will((3, 3 * u)) for u in range(2)}, [foot((0, 0)), foot((0, 3))])
    while not movement.over:
        for unit_ in movement.call():
            if unit_ == 1:
                movement.answer(unit_)
        movement.wave()
    assert mind.asked == [1]


# ---- changes


def test_a_change_before_the_march_and_one_after_it() -> None:
    """M15: 1 for skirmish order (three increments: one hex), 4 hexes, 1 for the column."""
    one = foot((0, 0), increments=3, printed=3, multiples={"skirmish": Fraction(3)})
    moved = segment([one], {0: Will((4, 0), first=SKIRMISH, then=COLUMN)})
    assert moved.at() == ((4, 0), 0, "column")
    assert moved.play.forces.half.moved[0, 0] == 2  # 6 of 8
    short = segment([one], {0: Will((7, 0), first=SKIRMISH, then=COLUMN)})
    assert short.at() == ((7, 0), 1, "skirmish")  # no point left


@pytest.mark.parametrize(("formation", "facts", "ground"), [
    (SKIRMISH, {}, "clear"),  # its type has no skirmishers
    (SQUARE, {"increments": 2}, "clear"),  # O17
    (SQUARE, {}, "woods"),  # M17
    (LINE, {}, "woods"),
    (ROAD_MARCH, {}, "clear"),  # M13: no road
    (LINE, {"state": "disordered"}, "clear"),
    (UNLIMBERED, {}, "clear"),
])  # fmt: skip
def test_formations_that_are_not_taken(formation: int, facts: dict[str, Any], ground: str) -> None:
    told = {"formation": "general order" if ground == "woods" else "column"} | facts
    moved = segment([foot((0, 0), **told)], {0: Will(first=formation)}, terrain={(0, 0): ground})
    assert moved.at()[2] == told["formation"]


def test_road_march_is_taken_on_a_road_and_follows_it_at_half_a_point() -> None:
    """M12, M15: 8 - 1, then 12 hexes in 6 points, 1 for the column."""
    road = [((q, 0), 0) for q in range(-6, 12)] + [((q + 1, 0), 3) for q in range(-6, 12)]
    moved = segment([foot((-5, 0))], {0: Will((7, 0), first=ROAD_MARCH, then=COLUMN)}, roads=road)
    assert moved.at() == ((7, 0), 0, "column")


def test_a_turn_is_made_as_far_as_points_go() -> None:
    """M20: 6 hexes of 8 points, two hexsides of three."""
    moved = segment([foot((0, 0))], {0: Will((6, 0), facing=6)})
    assert moved.at() == ((6, 0), 8, "column")  # to the left, the half turn's side
    assert segment([foot((0, 0))], {0: Will(facing=4)}).at() == ((0, 0), 4, "column")
    assert segment([foot((0, 0))], {0: Will(facing=4)}).play.forces.half.moved[0, 0] == 1


def test_a_line_turns_on_corners() -> None:
    """O1: from corner 1 to corner 5, two hexsides."""
    moved = segment([foot((0, 0), 1, formation="line")], {0: Will(facing=5)})
    assert moved.at() == ((0, 0), 5, "line")


def test_guns_turn_before_they_unlimber() -> None:
    """M15, M20: 4 hexes, 2 points for two hexsides, 2 for unlimbering; with 5 hexes one hexside is left."""
    assert segment([guns((0, 0))], {0: Will((4, 0), then=UNLIMBERED, facing=4)}).at() == (
        (4, 0),
        4,
        "unlimbered",
    )
    assert segment([guns((0, 0))], {0: Will((5, 0), then=UNLIMBERED, facing=4)}).at() == (
        (5, 0),
        2,
        "unlimbered",
    )
    assert segment([guns((0, 0))], {0: Will((7, 0), then=UNLIMBERED)}).at() == ((7, 0), 0, "limbered")


def test_unlimbered_guns_turn_by_one_hexside_or_are_prolonged() -> None:
    """M22."""
    battery = guns((0, 0), formation="unlimbered")
    assert segment([battery], {0: Will(facing=4)}).at() == ((0, 0), 2, "unlimbered")
    assert segment([battery], {0: Will((5, 0), facing=4)}).at() == ((1, 0), 0, "unlimbered")


def test_a_battery_limbers_by_the_die_with_its_leader() -> None:
    """M23: needs 4; a leader adds 1. Limbered it has 8 - 2 points; else it stays and does no more."""
    battery = guns((0, 0), formation="unlimbered")
    moved = segment([battery], {0: Will((9, 0), first=LIMBERED)}, limbers={0: 4})
    half = Fraction(1, 2)
    assert moved.chances() == {((6, 0), "limbered", GOOD): half, ((0, 0), "unlimbered", GOOD): half}
    leader = Leader("g", "General", artillery=1)
    helped = segment(
        [battery], {0: Will((9, 0), first=LIMBERED)}, limbers={0: 4}, helps=[1], leaders=[(leader, (0,))]
    )
    assert helped.chances()[(6, 0), "limbered", GOOD] == Fraction(2, 3)


# ---- two hexes


def test_a_line_goes_into_two_hexes_for_two_points_and_back_for_one() -> None:
    """M15, O3, O15: right of the corner faced first; 8 - 2, then six hexes straight ahead; who was in two
    hexes and comes together has 8 - 2 - 1."""
    moved = segment([foot((0, 0))], {0: Will((0, 0), first=LINE + TWO)})
    forces = moved.play.forces
    assert moved.at() == ((0, 0), 1, "line")
    assert forces.map.hex(int(forces.second[0, 0])) == (-1, 1)
    ahead = segment([foot((0, 0))], {0: Will((9, 0), first=LINE + TWO)})
    assert ahead.at() == ((6, 0), 1, "line")
    assert ahead.play.forces.map.hex(int(ahead.play.forces.second[0, 0])) == (5, 1)

    def before(play: Play) -> None:
        play.forces.extend(play.forces.cases(np.ones(1, bool), 0), play.forces.map.number((-1, 1)))

    back = segment([foot((0, 0), 1, formation="line")], {0: Will((9, 0), first=LINE)}, before=before)
    assert back.at() == ((5, 0), 1, "line")
    assert back.play.forces.second[0, 0] == back.play.forces.map.off


def test_a_line_without_room_beside_it_is_in_one_hex() -> None:
    """M36, M15: for 1 point of 8; 7 hexes are left."""
    beside = [foot((-1, 1)), foot((1, -1))]
    moved = segment([foot((0, 0)), *beside], {0: Will((9, 0), first=LINE + TWO)})
    assert moved.at() == ((7, 0), 1, "line")


def test_four_skirmishers_need_two_hexes() -> None:
    """O6: without room they stay in column."""
    four = foot((0, 0), increments=4, multiples={"skirmish": Fraction(3)})
    assert segment([four], {0: Will(first=SKIRMISH)}).at()[2] == "skirmish"
    beside = [foot((-1, 1)), foot((1, -1))]
    assert segment([four, *beside], {0: Will(first=SKIRMISH)}).at()[2] == "column"


# ---- zones

FOE = foot((3, 0), 6, side=1, fire=Fraction(12))
"""Its zone: (2, 0), (2, 1), (3, -1). Its column fires 12 at a defence of 6: 2:1, a loss with 22 of 36."""


def test_who_leaves_a_zone_is_fired_at_once_and_stops_if_it_fails_its_check() -> None:
    """Z4, Z6: a loss 22/36, then a check at 33 that 15 of 36 fail; who fails falls back disordered."""
    moved = segment([foot((2, 0), 6), FOE], {0: Will((0, 0))}, fire=True)
    assert moved.fired == [0]
    shaken = Fraction(22, 36) * Fraction(15, 36)
    chances = moved.chances()
    assert chances[(0, 0), "column", GOOD] == 1 - shaken
    assert sum(chance for (_, _, state), chance in chances.items() if state == DISORDERED) == shaken


def test_entering_a_zone_draws_no_fire_and_stops_infantry() -> None:
    """Z3, Z6."""
    moved = segment([foot((0, 0)), FOE], {0: Will((4, -1))})
    assert (moved.fired, moved.at()[0]) == ([], (2, 0))


def test_each_act_in_a_zone_draws_fire() -> None:
    """Z6: a change and a turn; then infantry may not leave, since it has spent points (Z4)."""
    moved = segment([foot((2, 0)), FOE], {0: Will((0, 0), first=LINE, facing=3)})
    assert (moved.fired, moved.at()) == ([0, 0], ((2, 0), 3, "line"))
    rider = segment([horse((1, 0)), FOE], {0: Will((4, -2))})  # it leaves (2, 0) and (3, -1)
    assert (rider.fired, rider.at()[0]) == ([0, 0], (4, -2))


def test_a_change_is_fired_at_in_the_old_formation_and_not_made_by_who_fails() -> None:
    """Z6: with 55/216 the column is disordered and gone before it is a line."""
    chances = segment([foot((2, 0)), FOE], {0: Will(first=LINE)}, fire=True).chances()
    assert chances[(2, 0), "line", GOOD] == Fraction(161, 216)
    assert sum(chances.values()) == 1
    assert all(key[1] == "column" for key in chances if key[2] != GOOD)


def test_a_square_fires_at_who_acts_beside_it() -> None:
    """Z9: on leaving (2, 0), and (3, -1), but it stops nobody."""
    square = foot((3, 0), 6, side=1, formation="square")
    moved = segment([foot((0, 0)), square], {0: Will((4, -1))})
    assert (moved.fired, moved.at()[0]) == ([0, 0], (4, -1))


def test_cavalry_may_charge_who_enters_its_zone_or_acts_in_it() -> None:
    """Rule 40: the mover stops where it is, as it was."""
    lancers = horse((3, 0), 6, side=1)
    entered = segment([foot((0, 0)), lancers], {0: Will((5, -1), then=LINE)}, stopped=True)
    assert (entered.charged, entered.at()) == ([0], ((2, 0), 0, "column"))
    free = segment([foot((0, 0)), lancers], {0: Will((5, -1), then=LINE)})
    assert (free.charged, free.at()) == ([0, 0], ((2, 0), 1, "line"))
    assert segment([foot((0, 0)), FOE], {0: Will((5, -1))}, stopped=True).charged == []


def test_guns_unlimber_in_a_zone_of_cavalry_until_2019() -> None:
    """Z7."""
    lancers, later = horse((3, 0), 6, side=1), book_of("prusse-1806", unlimber_in_zone=False)
    will = {0: Will((2, 0), then=UNLIMBERED)}
    assert segment([guns((0, 0)), lancers], will).at()[2] == "unlimbered"
    assert segment([guns((0, 0)), lancers], will, book=later).at()[2] == "limbered"
    assert segment([guns((0, 0)), FOE], will, book=later).at()[2] == "unlimbered"


# ---- force march


def test_a_force_march_doubles_the_points_of_who_passes_at_minus_six() -> None:
    """M26, M27: a check at 33 with -6 is passed by 15 of 36; twice 5 hexes, or none."""
    will = {0: Will((11, 0), force=True, then=LINE)}
    moved = segment([foot((0, 0), movement=5)], will)
    passed = Fraction(15, 36)
    assert moved.chances() == {((10, 0), "column", GOOD): passed, ((0, 0), "column", GOOD): 1 - passed}
    assert moved.play.forces.forced[0].all()


def test_a_second_force_march_in_a_row_is_checked_at_minus_twelve() -> None:
    """M27: 9 of 36; a turn without one, and it is at -6 again."""

    def before(play: Play) -> None:
        play.forces.force_march(play.forces.cases(np.ones(1, bool), 0))
        play.forces.new_turn()

    moved = segment([foot((0, 0), movement=5)], {0: Will((11, 0), force=True)}, before=before)
    assert moved.chances()[(10, 0), "column", GOOD] == Fraction(9, 36)
    rested = segment([foot((0, 0), movement=5)], {}, before=before)
    assert rested.play.forces.forced_turns[0, 0] == 0


@pytest.mark.parametrize("facts", [{"formation": "line"}, {"state": "disordered"}, {"level": 1}])
def test_who_may_not_force_march_moves_as_usual(facts: dict[str, Any]) -> None:
    """M26."""
    moved = segment([foot((0, 0), **facts)], {0: Will((12, 0), force=True)})
    assert not moved.play.forces.forced.any()
    assert moved.at()[0] != (0, 0)


def test_guns_force_march_with_infantry_that_may() -> None:
    """M26: the infantry has moved off before them in unit order, or stands there still."""
    wills = {0: Will((9, 0), force=True), 1: Will(STAYS)}
    together = segment([guns((0, 0), morale=11), foot((0, 0))], wills)
    assert ((9, 0), "limbered", GOOD) in together.chances()
    assert not segment([guns((0, 0), morale=11)], wills).play.forces.forced.any()


def test_who_makes_a_force_march_checks_at_minus_twelve() -> None:
    """M28: at 33, 9 of 36 pass; the chart of standing has its own line."""
    play = battle([foot((0, 0))], ExhaustiveDice())
    play.forces.force_march(play.forces.cases(np.ones(1, bool), 0))
    found, passed = check(play, "any", play.forces.cases(np.ones(1, bool), 0), "31")
    weights = cast(ExhaustiveDice, play.dice).fractions()
    assert sum(weights[lane] for lane in found.lane[passed]) == Fraction(9, 36)


# ---- onto the map and off it


def test_who_comes_onto_the_map_pays_for_its_first_hex() -> None:
    """M31: a village of 3 points; 5 are left. By its road in road march half a point... of Prusse 3 too."""

    def before(play: Play) -> None:
        play.forces.half.entered[0] = True

    assert segment([foot((0, 0))], {0: Will((9, 0))}, before=before).at()[0] == (7, 0)
    village = segment(
        [foot((0, 0), formation="general order")],
        {0: Will((9, 0))},
        before=before,
        terrain={(0, 0): "village"},
    )
    assert village.at()[0] == (5, 0)
    road = [((q, 0), 0) for q in range(-6, 12)] + [((q + 1, 0), 3) for q in range(-6, 12)]
    head = segment([foot((-5, 0), formation="road march")], {0: Will((11, 0))}, before=before, roads=road)
    assert head.at()[0] == (10, 0)  # 15 half points


def test_who_comes_onto_the_map_in_a_zone_stays_there() -> None:
    """Z4, M31."""

    def before(play: Play) -> None:
        play.forces.half.entered[0] = True

    assert segment([foot((2, 0)), FOE], {0: Will((0, 0))}, before=before).at()[0] == (2, 0)


def test_a_unit_leaves_the_map_by_an_exit_if_it_can_pay_its_hex_once_more() -> None:
    """M32: 7 hexes of 8 points, or 8."""
    for hexes, reason in ((7, LEFT), (8, 0)):
        moved = segment([foot((0, 0))], {0: Will((hexes, 0), leaves=True)}, exits=[(hexes, 0)])
        forces = moved.play.forces
        assert forces.reason[0, 0] == reason
        if reason:
            assert (forces.state[0, 0], forces.exit[0, 0]) == (GONE, forces.map.number((7, 0)))
            assert forces.increments[0, 0] == 8
    stays = segment([foot((0, 0))], {0: Will((7, 0), leaves=True)}, exits=[(6, 0)])
    assert stays.at()[0] == (7, 0)


def test_infantry_in_a_zone_leaves_the_map_only_at_the_start() -> None:
    """M32, Z4, Z6."""
    late = segment([foot((0, 0)), FOE], {0: Will((2, 0), leaves=True)}, exits=[(2, 0)])
    assert late.at()[0] == (2, 0)
    early = segment([foot((2, 0)), FOE], {0: Will((2, 0), leaves=True)}, exits=[(2, 0)])
    assert (early.play.forces.reason[0, 0], early.fired) == (LEFT, [0])


# ---- stacks at the end


def test_a_hex_over_its_limit_makes_one_roll_for_all() -> None:
    """S8: 10 and 10 of 18. One roll: up to 25 (11 of 36) both fail, up to 33 (4 more) the first alone; who
    fails is disordered. If nobody does, the second is sent off."""
    two = [foot((0, 0), increments=10, printed=10), foot((0, 0), increments=10, printed=10, morale=25)]
    moved = segment(two, {})
    states: dict[tuple[int, int], Fraction] = {}
    forces = moved.play.forces
    for lane, weight in enumerate(cast(ExhaustiveDice, moved.play.dice).fractions()):
        key = int(forces.state[0, lane]), int(forces.state[1, lane])
        states[key] = states.get(key, Fraction(0)) + weight
        assert forces.hex[0, lane] != forces.hex[1, lane]
    assert states == {
        (DISORDERED, DISORDERED): Fraction(11, 36),
        (DISORDERED, GOOD): Fraction(4, 36),
        (GOOD, GOOD): Fraction(21, 36),
    }


@pytest.mark.parametrize(("formation", "facing"), [("column", 0), ("line", 1)])
def test_who_is_sent_off_into_woods_in_good_order_is_in_general_order(formation: str, facing: int) -> None:
    """S8, M17: 10 and 10 of 18; where nobody fails the second goes a hex off, and all around is woods."""
    told: dict[str, Any] = {"increments": 10, "printed": 10, "formation": formation, "morale": 13}
    around = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)]
    units = [foot((0, 0), facing, **told), foot((0, 0), facing, **told), foot((5, 0), 6, 1)]
    moved = segment(units, {}, terrain=dict.fromkeys(around, "woods"))
    forces = moved.play.forces
    good = np.flatnonzero((forces.state == GOOD).all(axis=0)).tolist()
    assert len(good)
    for lane in good:
        place, stands, shape = moved.at(1, lane)
        assert (place in around, stands % 2, shape) == (True, 0, "general order")
        assert moved.at(0, lane) == ((0, 0), facing, formation)


def test_two_formations_in_a_hex_are_too_many() -> None:
    """S5, S8; guns stand with any (S5)."""
    mixed = segment([foot((0, 0)), foot((0, 0), 1, formation="line")], {})
    assert mixed.play.ensemble.n > 1
    alone = segment([foot((0, 0), 1, formation="line"), guns((0, 0), 1, formation="unlimbered")], {})
    assert alone.play.ensemble.n == 1


def test_skirmishers_among_others_are_scattered() -> None:
    """S7: they need not check, but fight as disordered: a check at 33 with -3 is passed by 18 of 36."""
    loose = foot((0, 0), 1, increments=3, printed=3, formation="skirmish")
    moved = segment([foot((0, 0)), loose], {})
    play, one = moved.play, np.ones(1, bool)
    forces = play.forces
    assert forces.scattered[:, 0].tolist() == [0, 1]
    assert forces.state[1, 0] == GOOD
    assert forces.fighting(forces.cases(one, 1).at)[0] == DISORDERED
    found, passed = check(play, "any", forces.cases(one, 1), "31")
    weights = cast(ExhaustiveDice, play.dice).fractions()
    assert sum(weights[lane] for lane in found.lane[passed]) == Fraction(18, 36)
    apart = segment([foot((0, 0)), foot((1, 0), 1, formation="skirmish", increments=3)], {})
    assert not apart.play.forces.scattered.any()


def test_who_is_scattered_is_so_until_its_side_has_moved_again() -> None:
    """S7."""

    def before(play: Play) -> None:
        play.forces.scatter(0, np.ones((2, 1), bool))

    units = [foot((0, 0), 1, formation="skirmish", increments=3), foot((4, 0), side=1)]
    assert segment(units, {}, side=1, before=before).play.forces.scattered[0, 0] == 1
    assert segment(units, {}, side=0, before=before).play.forces.scattered[0, 0] == 0
