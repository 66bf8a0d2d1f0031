"""Ways through defiles, and the hexes of a place, on drawn maps: worked out by hand from docs/doctrine.md.

A causeway of three hexes, (-1, 0) to (1, 0), on a road from west to east through woods; its hexes hold four
increments. A road costs half a point, a clear hex one, woods three.
"""

from __future__ import annotations

import numpy as np
import pytest

from sim.board.fields import FAR
from sim.board.going import going_of
from sim.board.hexmap import Hex, HexMap, Rhombus
from sim.board.kernel import Mode
from sim.board.tables import board_of
from sim.doctrine.posts import NONE, Posts
from sim.doctrine.tasks import Tasks
from sim.doctrine.ways import ACROSS, Ways
from sim.ensemble.dice import RandomDice
from sim.rulesets.compiled import BATTALION
from sim.units.battles import Order
from sim.vocabulary import CAVALRY, INFANTRY
from tests.agreement.positions import book_of
from tests.field import battle, cases, unit

CAUSEWAY = {(q, 0): "raised road" for q in (-1, 0, 1)}
WOODS = {(q, r): "woods" for q in (-1, 0, 1) for r in range(-5, 6) if r}
MAP = HexMap(Rhombus(5), {**WOODS, **CAUSEWAY}, roads=frozenset(((q, 0), 0) for q in range(-5, 5)))


@pytest.fixture(params=[Mode.INTERPRETED, Mode.COMPILED])
def ways(request: pytest.FixtureRequest) -> Ways:
    book = book_of("halle-1806")
    board = board_of(MAP, book, (0, 1), (INFANTRY, CAVALRY), (0, 1), (3, 0))
    return Ways(MAP, board, going_of(MAP, board, book, [BATTALION] * 2, [False] * 2), request.param)


def costs(ways: Ways, row: int, *hexes: Hex) -> list[int]:
    return [int(cost) for cost in ways.table[row, MAP.numbers(hexes)]]


def test_ways_lead_through_a_defile_by_its_road(ways: Ways) -> None:
    """From (1, 0) three clear hexes, 6 half points; one more for each hex of the causeway before it, and for
    the first; clear hexes west of it 2."""
    row = ways.to_place(INFANTRY, [MAP.number((4, 0))])
    assert costs(ways, row, (1, 0), (0, 0), (-1, 0), (-2, 0), (-3, 0)) == [6, 7, 8, 9, 11]
    follow = ways.follow[row, MAP.numbers([(-4, 0), (-3, 0), (-2, 0), (-1, 0), (0, 0), (1, 0), (2, 0)])]
    assert follow.tolist() == [True, True, True, True, True, False, False]
    assert not ways.follow[row, MAP.number((-2, 1))]


def test_attackers_in_column_do_not_go_through_it_but_up_to_an_enemy_on_it(ways: Ways) -> None:
    """From (-2, 0) to (2, 0) they take the woods, which are three hexes of three points, and a clear one; to
    (0, 0) they take two hexes of woods, and a hex by the causeway's own cost."""
    beyond, on = (int(ways.to_hexes(ACROSS, MAP.numbers([at]))[0]) for at in ((2, 0), (0, 0)))
    assert costs(ways, beyond, (-2, 1)) == [3 * 6 + 2]
    assert costs(ways, on, (-1, 1), (-2, 1)) == [2, 6 + 2]
    assert costs(ways, int(ways.to_hexes(INFANTRY, MAP.numbers([(0, 0)]))[0]), (-1, 0)) == [1]


def test_no_way_leads_to_who_is_off_the_map(ways: Ways) -> None:
    row = int(ways.to_hexes(INFANTRY, np.array([MAP.off]))[0])
    assert (ways.table[row] == FAR).all()


def test_others_keep_off_the_road_into_it(ways: Ways) -> None:
    """From the road hex (-3, 0) it is one hex to a free one, 1 point; hexes are counted to the road."""
    row = ways.to_place(CAVALRY, [MAP.number((4, 0))])
    off, gap = ways.aside(CAVALRY, row)
    assert costs(ways, off, (-3, 0), (-3, 1)) == [2, 0]
    assert gap[MAP.numbers([(-3, 0), (-3, 1), (-4, 3)])].tolist() == [0, 1, 3]


def test_units_divide_the_hexes_that_are_missing_the_farthest_from_home_first() -> None:
    """Side 0 is at home in the west: (2, 0) before (1, 0) before (0, 0); what it stands on, or left with no
    enemy after it, it has."""
    play = battle(
        [unit("a", 0, (0, 0)), unit("b", 0, (-3, 0)), unit("c", 0, (-4, 0)), unit("d", 1, (8, 0))],
        RandomDice(1, 0, 2, lumped=False),
    )
    forces, map_ = play.forces, play.forces.map
    board = play.survey.board
    going = going_of(map_, board, play.book, [BATTALION] * 4, [False] * 4)
    told = [Order("they", (0, 1, 2), "take", ((0, 0), (1, 0), (2, 0)), 1, None)]
    tasks = Tasks(told, forces.arm, map_, Ways(map_, board, going, play.survey.mode), 3)
    tasks.begin_turn(1)
    posts, lanes = Posts(forces, 0, tasks, 3), np.arange(2)

    def assigned() -> list[Hex | None]:
        posts.look()
        both = [posts.assigned(number, lanes) for number in (0, 1, 2)]
        assert all((one == one[0]).all() for one in both)
        return [None if one[0] == NONE else map_.hex(int(one[0])) for one in both]

    assert assigned() == [(2, 0), (1, 0), (2, 0)]
    forces.place(cases(forces, 0), map_.number((2, 0)), 0)
    assert assigned() == [(1, 0), (1, 0), (1, 0)]
    forces.place(cases(forces, 3), map_.number((0, 0)), 0)
    assert assigned() == [(1, 0), (0, 0), (1, 0)]
    forces.place(cases(forces, 3), map_.number((8, 0)), 0)
    forces.place(cases(forces, 1), map_.number((1, 0)), 0)
    forces.place(cases(forces, 0), map_.number((0, 0)), 0)
    assert assigned() == [None, None, None]
