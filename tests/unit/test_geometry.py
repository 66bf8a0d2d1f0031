"""Zones, sight, the steps of a charge, and retreats (A3.2, A8; charge.md sections 2, 3 and 7; seed 004)."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sim.board.hexmap import Hex, along, distance, neighbour
from sim.vocabulary import (
    COLUMN,
    DISORDERED,
    FLANK,
    FRONT,
    GENERAL_ORDER,
    GONE,
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
from tests.shown import (
    ASPERN,
    CHARGER,
    FOOT,
    GUNS,
    HEAVY,
    LIGHT,
    PRUSSE,
    TARGET,
    Move,
    Piece,
    free_step,
    passable,
    retreat,
    seek,
    show,
)

ROUT, RETREAT = True, False
HORIZON = 6
ANY_TURN = 3

few = settings(max_examples=40, deadline=None)

# -- orientation --------------------------------------------------------------------------------------

F, L, R = FRONT, FLANK, REAR

# A3.2: the zones of the sides clockwise from the one faced; from a corner, from the side just before it
SIDE_FACING = [
    (FOOT, COLUMN, [F, F, L, R, L, F]),  # 3 front, 2 flank, 1 rear
    (FOOT, ROAD_MARCH, [F, F, L, R, L, F]),  # as column
    (FOOT, GENERAL_ORDER, [F, F, F, R, F, F]),  # 5 front, 1 rear
    (FOOT, SQUARE, [F, F, F, F, F, F]),  # 6 front
    (LIGHT, COLUMN, [F, F, F, R, F, F]),  # 5 front, 1 rear
    (HEAVY, COLUMN, [F, F, L, R, L, F]),  # 3 front, 2 flank, 1 rear
    (GUNS, LIMBERED, [F, F, L, R, L, F]),
    (GUNS, UNLIMBERED, [F, F, L, R, L, F]),
]
CORNER_FACING = [
    (FOOT, LINE, [F, F, L, R, R, L]),  # upper pair front, lateral pair flank, lower pair rear
    (FOOT, SKIRMISH, [F, F, F, L, L, F]),  # 4 front, 2 flank
    (FOOT, MASSE, [F, F, F, R, R, F]),  # 4 front, 2 rear
    (LIGHT, LINE, [F, F, L, R, R, L]),
    (HEAVY, LINE, [F, F, L, R, R, L]),
]


def zones(kind: int, formation: int, facing: int) -> list[int]:
    """Zones of sides 0..5."""
    one = show(Piece(TARGET, (0, 0), kind, formation, facing))
    return [one.zone_of_side(0, side) for side in range(6)]


@pytest.mark.parametrize(("kind", "formation", "expected"), SIDE_FACING)
@pytest.mark.parametrize("side", range(6))
def test_zones_of_a_formation_that_faces_a_side(
    kind: int, formation: int, expected: list[int], side: int
) -> None:
    assert zones(kind, formation, 2 * side) == [expected[(s - side) % 6] for s in range(6)]
    assert not PRUSSE.corner_facing[kind, formation]


@pytest.mark.parametrize(("kind", "formation", "expected"), CORNER_FACING)
@pytest.mark.parametrize("side", range(6))
def test_zones_of_a_formation_that_faces_a_corner(
    kind: int, formation: int, expected: list[int], side: int
) -> None:
    assert zones(kind, formation, 2 * side + 1) == [expected[(s - side) % 6] for s in range(6)]
    assert PRUSSE.corner_facing[kind, formation]


def test_guns_stacked_with_infantry_take_its_orientation() -> None:
    """A3.2, AU p24."""
    one = show(Piece(TARGET, (0, 0), FOOT, LINE, 1), Piece(TARGET, (0, 0), GUNS, UNLIMBERED, 6))
    assert [one.zone_of_side(1, side) for side in range(6)] == [F, F, L, R, R, L]
    alone = show(Piece(TARGET, (1, 0), FOOT, LINE, 1), Piece(TARGET, (0, 0), GUNS, UNLIMBERED, 6))
    assert [alone.zone_of_side(1, side) for side in range(6)] == [R, L, F, F, F, L]


def test_the_top_unit_of_a_hex_is_the_first_that_does_not_shelter_there() -> None:
    one = show(
        Piece(TARGET, (0, 0), sheltered=1),
        Piece(CHARGER, (0, 0)),
        Piece(TARGET, (0, 0)),
        Piece(TARGET, (0, 0)),
    )
    assert [one.top_of(unit) for unit in range(4)] == [2, 1, 2, 2]


@pytest.mark.parametrize(
    ("piece", "influenced"),
    [
        (Piece(TARGET, (0, 0)), {0, 1, 5}),
        (Piece(TARGET, (0, 0), state=DISORDERED), {0, 1, 5}),
        (Piece(TARGET, (0, 0), formation=LINE, facing=1), {0, 1}),
        (Piece(TARGET, (0, 0), LIGHT), {0, 1, 2, 4, 5}),
        (Piece(TARGET, (0, 0), formation=SQUARE), set()),  # A4 item 1
        (Piece(TARGET, (0, 0), state=ROUTED), set()),
        (Piece(TARGET, (0, 0), state=GONE), set()),
    ],
)
def test_the_zone_of_influence_is_the_hexes_across_the_front_sides(
    piece: Piece, influenced: set[int]
) -> None:
    """Charge.md section 2: a square, a routed unit and a unit that is gone have none."""
    one = show(piece)
    assert {side for side in range(6) if neighbour((0, 0), side) in one.zone_hexes(0)} == influenced


# -- sight --------------------------------------------------------------------------------------------

WOODS = "woods"


@pytest.mark.parametrize("b", [(0, 0), (1, 0), (4, 0), (2, 2), (1, 1), (5, -2), (-3, 7)])
def test_open_ground_is_seen_across(b: Hex) -> None:
    assert show().sees((0, 0), b)
    assert show().sees(b, (0, 0))


@pytest.mark.parametrize("terrain", ["woods", "village", "hamlet", "town"])
def test_woods_and_dwellings_between_block_sight(terrain: str) -> None:
    assert not show(terrain={(2, 0): terrain}).sees((0, 0), (4, 0))


@pytest.mark.parametrize("terrain", ["garden", "swamp"])
def test_low_ground_does_not_block_sight(terrain: str) -> None:
    assert show(terrain={(2, 0): terrain}).sees((0, 0), (4, 0))


def test_the_hexes_at_the_ends_do_not_block_and_neighbours_always_see_each_other() -> None:
    """A8, steps 1 and 3."""
    assert show(terrain={(0, 0): WOODS, (4, 0): WOODS}).sees((0, 0), (4, 0))
    assert show(terrain={(0, 0): WOODS, (1, 0): WOODS}).sees((0, 0), (1, 0))


@pytest.mark.parametrize(
    ("piece", "seen"),
    [
        (Piece(TARGET, (2, 0)), False),
        (Piece(CHARGER, (2, 0), LIGHT), False),
        (Piece(TARGET, (2, 0), formation=SKIRMISH), True),
        (Piece(TARGET, (2, 0), state=GONE), True),
        (Piece(TARGET, (2, 1)), True),
    ],
)
def test_units_between_block_sight_but_skirmishers_do_not(piece: Piece, seen: bool) -> None:
    """A8, step 3."""
    assert show(piece).sees((0, 0), (4, 0)) is seen


@pytest.mark.parametrize(
    ("woods", "seen"),
    [
        ([], True),
        ([(1, 0)], True),
        ([(0, 1)], True),
        ([(1, 0), (0, 1)], False),
        ([(2, 0), (0, 2)], True),
        ([(-1, 2), (1, 0)], True),
    ],
)
def test_a_line_along_a_hexside_is_blocked_only_from_both_sides(woods: list[Hex], seen: bool) -> None:
    """A8, step 2: from (0, 0) to (1, 1) the line runs between (1, 0) and (0, 1)."""
    one = show(terrain=dict.fromkeys(woods, WOODS))
    assert one.sees((0, 0), (1, 1)) is seen
    assert one.sees((1, 1), (0, 0)) is seen


def test_a_long_line_between_hexes_is_blocked_where_both_neighbours_block_at_one_place() -> None:
    """From (0, 0) to (2, 2): two pairs of hexes beside the line, and (1, 1) on it."""
    assert show(terrain=dict.fromkeys([(1, 0), (1, 2)], WOODS)).sees((0, 0), (2, 2))
    assert not show(terrain=dict.fromkeys([(2, 1), (1, 2)], WOODS)).sees((0, 0), (2, 2))
    assert not show(terrain={(1, 1): WOODS}).sees((0, 0), (2, 2))


@pytest.mark.parametrize(
    ("hex_", "direction", "seen"),
    [((0, 0), 0, True), ((1, 0), 0, False), ((2, 0), 0, False), ((3, 0), 0, True), ((1, 0), 1, True)],
    ids=["beside the watcher", "between", "between, farther", "beside the watched", "not crossed"],
)
def test_a_slope_blocks_unless_it_is_a_side_of_either_end(hex_: Hex, direction: int, seen: bool) -> None:
    assert show(hexsides={(hex_, direction): "slope"}).sees((0, 0), (4, 0)) is seen


def test_where_the_battle_says_so_slopes_do_not_block() -> None:
    """Aspern-Essling special p9."""
    assert show(hexsides={((1, 0), 0): "slope"}, book=ASPERN).sees((0, 0), (4, 0))
    assert not show(hexsides={((1, 0), 0): "slope"}, book=PRUSSE).sees((0, 0), (4, 0))


def test_a_stream_does_not_block_sight() -> None:
    assert show(hexsides={((1, 0), 0): "stream"}).sees((0, 0), (4, 0))


hexes_near = st.tuples(st.integers(-5, 5), st.integers(-5, 5))


@few
@given(st.sets(hexes_near, max_size=12), hexes_near, hexes_near)
def test_who_sees_is_seen(woods: set[Hex], a: Hex, b: Hex) -> None:
    one = show(terrain=dict.fromkeys(woods, WOODS))
    assert one.sees(a, b) is one.sees(b, a)


@pytest.mark.parametrize(
    ("facing", "at", "through"),
    [
        (0, (3, 0), True),
        (0, (-3, 0), False),
        (0, (1, 1), True),  # the corner of two front sides
        (0, (-1, 2), True),  # the corner of a front and a flank side: either will do
        (0, (-2, 1), False),  # the corner of flank and rear
        (6, (-2, 1), True),
        (0, (0, 0), True),
        (0, (-1, 5), True),  # leaves by side 1, a front side
        (0, (-4, 5), False),  # leaves by side 2, a flank side
    ],
)
def test_the_line_leaves_a_column_through_its_front(facing: int, at: Hex, through: bool) -> None:
    """0-decisions 5.13: the hexside by which the centre line leaves the hex; on a corner either will do."""
    assert show(Piece(TARGET, (0, 0), facing=facing)).in_view(0, at) is through


# -- the steps of a charge ----------------------------------------------------------------------------

RIDER = Piece(CHARGER, (0, 0), HEAVY)


@pytest.mark.parametrize(
    ("pieces", "terrain", "hexside", "open_"),
    [
        ([], None, None, True),
        ([], "garden", None, False),
        ([], "woods", None, False),
        ([], None, "stream", True),
        ([Piece(TARGET, (1, 0))], None, None, False),
        ([Piece(TARGET, (1, 0), formation=SKIRMISH)], None, None, False),
        ([Piece(TARGET, (1, 0), formation=SQUARE)], None, None, False),
        ([Piece(TARGET, (1, 0), state=GONE)], None, None, True),
        ([Piece(CHARGER, (1, 0))], None, None, False),
        ([Piece(CHARGER, (1, 0), formation=LINE)], None, None, False),
        ([Piece(CHARGER, (1, 0), formation=SKIRMISH)], None, None, True),
        ([Piece(CHARGER, (1, 0), formation=SQUARE)], None, None, True),
        ([Piece(CHARGER, (1, 0), GUNS, LIMBERED)], None, None, True),
        ([Piece(CHARGER, (1, 0), GUNS, UNLIMBERED)], None, None, False),
        ([Piece(CHARGER, (1, 0), LIGHT)], None, None, True),
        ([Piece(CHARGER, (1, 0), LIGHT), Piece(CHARGER, (1, 0))], None, None, False),
    ],
)
def test_a_charge_enters_open_ground_and_passes_only_through_friends_that_open_their_ranks(
    pieces: list[Piece], terrain: str | None, hexside: str | None, open_: bool
) -> None:
    """Charge.md section 3; rule 16."""
    one = show(
        RIDER,
        *pieces,
        terrain={(1, 0): terrain} if terrain else None,
        hexsides={((0, 0), 0): hexside} if hexside else None,
    )
    assert passable(one, (0,), (0, 0), 0) is open_


def test_a_charge_does_not_leave_the_map() -> None:
    one = show(Piece(CHARGER, (3, 0), HEAVY), radius=3)
    assert not passable(one, (0,), (3, 0), 0)
    assert passable(one, (0,), (3, 0), 3)


@pytest.mark.parametrize(
    ("direction", "cap", "blocked", "turn"),
    [
        (0, 3, [], 0),
        (5, 3, [], 1),
        (1, 3, [], -1),
        (3, 3, [], 3),
        (3, 2, [], None),
        (2, 1, [], None),
        (2, 2, [], -2),
        (4, 2, [], 2),
        (0, 3, [(1, 0)], None),  # straight at it, every other hex is no nearer
    ],
)
def test_the_seek_step_is_the_smallest_turn_that_brings_the_charger_nearer(
    direction: int, cap: int, blocked: list[Hex], turn: int | None
) -> None:
    one = show(RIDER, Piece(TARGET, (4, 0)), terrain=dict.fromkeys(blocked, WOODS))
    assert seek(one, (0,), direction, (4, 0), cap) == turn


@pytest.mark.parametrize(
    ("direction", "blocked", "turn"),
    [(5, [], 0), (0, [], 0), (2, [], -2), (4, [], 1), (0, [(1, 0)], -1), (5, [(1, -1)], 1)],
)
def test_of_two_hexes_that_are_nearer_the_smaller_turn_wins(
    direction: int, blocked: list[Hex], turn: int
) -> None:
    """The goal at (2, -1) lies between directions 5 and 0."""
    one = show(RIDER, Piece(TARGET, (2, -1)), terrain=dict.fromkeys(blocked, WOODS))
    assert seek(one, (0,), direction, (2, -1), ANY_TURN) == turn


def test_of_two_equal_turns_the_right_one_wins() -> None:
    """The goal at (0, 2) straight behind two blocked hexes: from direction 3 both 2 and 1 need more; from 1
    only straight is nearer."""
    one = show(RIDER, Piece(TARGET, (1, 1)))
    assert seek(one, (0,), 0, (1, 1), ANY_TURN) == 0
    assert seek(one, (0,), 1, (1, 1), ANY_TURN) == 0
    assert seek(one, (0,), 3, (1, 1), ANY_TURN) == -2
    assert seek(one, (0,), 4, (1, 1), ANY_TURN) == 2


# -- retreats -----------------------------------------------------------------------------------------


def ring(radius: int, centre: Hex = (0, 0)) -> list[Hex]:
    q, r = centre
    return [
        (q + a, r + b)
        for a in range(-radius, radius + 1)
        for b in range(-radius, radius + 1)
        if distance((0, 0), (a, b)) == radius
    ]


def foes(*hexes: Hex, side: int = CHARGER, kind: int = FOOT, **more: Any) -> list[Piece]:
    return [Piece(side, one, kind, **more) for one in hexes]


ROUTER = Piece(TARGET, (0, 0), state=ROUTED)


def flee(
    *pieces: Piece,
    points: int = 10,
    full: bool = ROUT,
    terrain: dict[Hex, str] | None = None,
    flat: bool = False,
    group: int = 1,
) -> Move:
    """The retreat of the first piece (or the first few)."""
    return retreat(show(*pieces, terrain=terrain), tuple(range(group)), points, full, flat, HORIZON)


@pytest.mark.parametrize(("side", "end"), [(TARGET, (10, 0)), (CHARGER, (-10, 0))])
def test_with_no_enemy_on_the_map_a_unit_goes_straight_home(side: int, end: Hex) -> None:
    """Charge.md sections 2 and 7: home is direction 3 for the charger's side, 0 for the target's."""
    assert flee(Piece(side, (0, 0), state=ROUTED)).end == end


@pytest.mark.parametrize(("points", "full"), [(10, ROUT), (3, RETREAT), (1, RETREAT)])
def test_a_unit_falls_back_straight_from_the_enemy_before_it(points: int, full: bool) -> None:
    found = flee(ROUTER, *foes((-1, 0)), points=points, full=full)
    assert (found.end, found.direction, found.surrendered, found.passed) == ((points, 0), 0, False, ())


def test_no_points_no_step() -> None:
    assert flee(ROUTER, *foes((-1, 0)), points=0) == Move((0, 0))


@pytest.mark.parametrize("radius", [1, 2, 3, 4, 5, 6, 7])
@pytest.mark.parametrize("kind", [FOOT, HEAVY, GUNS])
def test_a_routed_unit_ringed_by_enemies_surrenders(radius: int, kind: int) -> None:
    """Seed 004: unable to make its full rout move within the restrictions, the routing unit surrenders."""
    formation = LIMBERED if kind == GUNS else COLUMN
    found = flee(Piece(TARGET, (0, 0), kind, formation, state=ROUTED), *foes(*ring(radius)))
    assert found.surrendered
    assert found.end == (0, 0)


@pytest.mark.parametrize("radii", [(1, 2), (2, 4), (3, 5, 6)])
def test_more_rings_do_not_help(radii: tuple[int, ...]) -> None:
    assert flee(ROUTER, *foes(*itertools.chain.from_iterable(ring(radius) for radius in radii))).surrendered


@pytest.mark.parametrize("radius", [1, 2, 3])
def test_a_disordered_unit_ringed_by_enemies_stays_where_it_is(radius: int) -> None:
    """0-decisions 5.12: a disordered unit that cannot move stays."""
    found = flee(Piece(TARGET, (0, 0), state=DISORDERED), *foes(*ring(radius)), points=3, full=RETREAT)
    assert (found.end, found.direction, found.surrendered) == ((0, 0), None, False)


def test_enemies_that_are_gone_hold_nobody() -> None:
    ghosts = [Piece(CHARGER, one, state=GONE) for one in ring(1)]
    assert flee(ROUTER, *ghosts, *foes((-1, 0))).end == (10, 0)


def test_a_retreat_is_as_long_as_it_can_be_but_a_rout_is_full_or_nothing() -> None:
    """The far end of the map: three hexes are left, not ten."""
    edge = [
        Piece(TARGET, (61, 0), state=ROUTED),
        Piece(CHARGER, (60, 0)),
        Piece(CHARGER, (61, -1)),
        Piece(CHARGER, (60, 1)),
    ]
    assert flee(*edge, points=3, full=RETREAT).end == (64, 0)
    assert flee(*edge, points=10, full=RETREAT).end != (61, 0)
    corner = [Piece(TARGET, (64, 64), state=ROUTED), Piece(CHARGER, (60, 60))]
    assert flee(*corner, points=10, full=ROUT).surrendered
    assert flee(*corner, points=3, full=RETREAT).end == (64, 64)


def test_terrain_costs_its_points_and_a_flat_rout_ignores_them() -> None:
    """BE21 p29 (rout_ignores_terrain): ten hexes whatever the terrain."""
    swamp = {(q, r): "swamp" for q in range(-30, 31) for r in range(-30, 31)}
    retreating = flee(ROUTER, *foes((-1, 0)), points=3, full=RETREAT, terrain=swamp)
    assert retreating.end == (1, 0)  # a swamp hex costs infantry 4: one hex at any price (0-decisions 5.30)
    assert flee(ROUTER, *foes((-1, 0)), points=8, full=ROUT, terrain=swamp).end == (2, 0)
    assert flee(ROUTER, *foes((-1, 0)), points=10, full=ROUT, terrain=swamp, flat=True).end == (10, 0)


def test_a_retreat_takes_the_cheapest_way_then_one_clear_of_friends() -> None:
    """0-decisions 5.31; swamp costs infantry 4."""
    friend = Piece(TARGET, (1, 0))
    swamp = dict.fromkeys((one for one in ring(1) if one != (1, 0)), "swamp")
    through = flee(ROUTER, *foes((-1, 0)), friend, terrain=swamp)
    assert (through.end, through.passed) == ((10, 0), (2,)), (
        "open ground under a friend before swamp beside him"
    )
    clear = flee(ROUTER, *foes((-1, 0)), friend)
    assert (distance(clear.end, (-1, 0)), clear.passed) == (11, ()), "of equal ground that without a friend"


def lane(*open_hexes: Hex) -> dict[Hex, str]:
    """Swamp, where cavalry may not go, but for some hexes."""
    return dict.fromkeys(
        (one for radius in range(1, 7) for one in ring(radius) if one not in open_hexes), "swamp"
    )


def test_a_way_clear_of_friends_is_found_though_it_begins_with_a_worse_step() -> None:
    """0-decisions 5.31: of two lanes of equal cost the one that is liked better leads through a friend."""
    horse, way = (
        Piece(TARGET, (0, 0), HEAVY, state=ROUTED),
        lane((0, 1), (0, 2), (0, 3), (1, -1), (2, -2), (3, -3)),
    )
    assert flee(horse, *foes((-1, 0)), points=3, terrain=way).end == (0, 3)
    found = flee(horse, *foes((-1, 0)), Piece(TARGET, (0, 2)), points=3, terrain=way)
    assert (found.end, found.passed) == ((3, -3), ())


def test_no_step_of_a_retreat_comes_nearer_to_the_nearest_enemy_though_its_end_would_be_farther() -> None:
    """Seed 004: the only way out leads past the enemy at (2, -2)."""
    horse = Piece(TARGET, (0, 0), HEAVY, state=ROUTED)
    way = lane((1, -1), (1, -2), (0, -2), (-1, -2))
    assert flee(horse, *foes((2, -2)), points=4, full=RETREAT, terrain=way).end == (0, 0)
    assert flee(horse, *foes((2, -2)), points=4, full=ROUT, terrain=way).surrendered


def test_a_rout_that_cannot_end_farther_from_an_enemy_surrenders() -> None:
    """Seed 004: the only way leads round the enemy at (-2, 0), always two hexes off."""
    horse = Piece(TARGET, (0, 0), HEAVY, state=ROUTED)
    assert flee(horse, *foes((-2, 0)), points=3, terrain=lane((-1, 1), (-2, 2), (-3, 2))).surrendered


@pytest.mark.parametrize("cost", ["swamp", "village"])
def test_a_retreat_goes_one_hex_at_any_price_but_not_nearer_to_the_enemy(cost: str) -> None:
    """0-decisions 5.30; seed 004."""
    all_round = dict.fromkeys(ring(1), cost)
    for points in (1, 3):
        assert (
            distance(
                flee(ROUTER, *foes((-1, 0)), points=points, full=RETREAT, terrain=all_round).end, (-1, 0)
            )
            == 2
        )
    between = foes((-1, 0), (1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
    assert flee(ROUTER, *between, points=3, full=RETREAT, terrain=all_round).end == (0, 0)


def test_terrain_that_an_arm_may_not_enter_is_no_way_out_even_on_a_flat_rout() -> None:
    """Swamp is prohibited to cavalry and guns, not to infantry."""
    swamp = dict.fromkeys((one for one in ring(1) if one != (-1, 0)), "swamp")
    assert flee(
        Piece(TARGET, (0, 0), HEAVY, state=ROUTED), *foes((-1, 0)), terrain=swamp, flat=True
    ).surrendered
    assert flee(
        Piece(TARGET, (0, 0), GUNS, LIMBERED, state=ROUTED), *foes((-1, 0)), terrain=swamp, flat=True
    ).surrendered
    assert flee(ROUTER, *foes((-1, 0)), terrain=swamp, flat=True).end == (10, 0)


def test_the_most_economical_terrain_is_taken() -> None:
    """Seed 004."""
    garden = {(q, r): "garden" for q in range(1, 12) for r in range(0, 20)}
    found = flee(ROUTER, *foes((-1, 0)), points=4, terrain=garden)
    assert distance((0, 0), found.end) == 4
    assert found.end not in garden


def test_a_friend_is_passed_round_where_the_way_costs_the_same() -> None:
    """Seed 004: not through friendly units if there is another path of equal cost."""
    found = flee(ROUTER, *foes((-1, 0)), Piece(TARGET, (1, 0)), Piece(TARGET, (2, 0)), points=3)
    assert found.passed == ()
    assert distance((-1, 0), found.end) == 4


@pytest.mark.parametrize("points", [1, 3, 10])
def test_a_move_never_ends_on_a_friend(points: int) -> None:
    friends = [Piece(TARGET, along((0, 0), 0, points)), Piece(TARGET, (points - 1, 1))]
    found = flee(ROUTER, *foes((-1, 0)), *friends, points=points)
    assert found.end not in [one.hex for one in friends]
    assert distance(found.end, (-1, 0)) == points + 1


def test_where_there_is_no_other_way_it_goes_through_friends_who_are_told() -> None:
    friends = [Piece(TARGET, one) for one in ring(1) if one != (-1, 0)]
    found = flee(ROUTER, *foes((-1, 0)), *friends, points=3)
    assert found.end == (3, 0)
    assert [friends[unit - 2].hex for unit in found.passed] == [(1, 0)]


def test_units_that_leave_together_are_no_friends_in_each_others_way() -> None:
    found = flee(ROUTER, Piece(TARGET, (0, 0), state=ROUTED), *foes((-1, 0)), group=2)
    assert (found.end, found.passed) == ((10, 0), ())


def test_an_enemy_beyond_the_horizon_only_may_not_come_nearer() -> None:
    """0-decisions 5.12: enemies within 6 hexes end farther; at each step the nearest is no nearer."""
    far = Piece(CHARGER, (7, 0))
    assert flee(ROUTER, far, points=3, full=RETREAT).end != (0, 0)
    found = flee(ROUTER, *foes((-1, 0)), Piece(CHARGER, (20, 0)), points=10)
    assert not found.surrendered
    assert found.end == (
        9,
        1,
    )  # ten hexes; the last one to the right, where both enemies are eleven off, and not ten


@pytest.mark.parametrize(
    ("enemy", "left"),
    [
        (Piece(CHARGER, (-1, 0), facing=0), 1),  # its front holds the hex left
        (Piece(CHARGER, (-1, 0), facing=6), 0),  # its rear does
        (Piece(CHARGER, (-1, 0), formation=SQUARE), 0),
        (Piece(CHARGER, (-1, 0), state=ROUTED), 0),
        (Piece(CHARGER, (-1, 0), LIGHT, facing=0), 1),
    ],
)
def test_hexes_left_in_an_enemy_zone_are_counted(enemy: Piece, left: int) -> None:
    """Charge.md section 7; E1.4 item 10."""
    assert flee(ROUTER, enemy, points=3, full=RETREAT).zone_hexes == left


def test_the_first_hex_left_counts_even_where_a_friend_stays_in_it() -> None:
    """0-decisions 5.22."""
    found = flee(ROUTER, *foes((-1, 0)), Piece(TARGET, (0, 0)), points=3, full=RETREAT)
    assert found.zone_hexes == 1


@pytest.mark.parametrize(
    ("friends", "left"), [((), 3), (((0, 1),), 2), (((0, 1), (0, 2)), 1), (((0, 0), (0, 1), (0, 2)), 1)]
)
def test_a_further_hex_left_that_holds_a_friend_does_not_count(friends: tuple[Hex, ...], left: int) -> None:
    """A lane of open ground runs from (0, 0), in the zone of the enemy at (0, -1), past another's front at
    (1, 1) (C6)."""
    swamp = dict.fromkeys(
        (one for radius in range(1, 6) for one in ring(radius) if one not in {(0, n) for n in range(6)}),
        "swamp",
    )
    horse, there = Piece(TARGET, (0, 0), HEAVY, state=ROUTED), [Piece(TARGET, one) for one in friends]
    found = flee(
        horse,
        Piece(CHARGER, (0, -1), facing=2),
        Piece(CHARGER, (1, 1), facing=6),
        *there,
        points=4,
        terrain=swamp,
    )
    assert (found.end, found.zone_hexes) == ((0, 4), left)


@pytest.mark.parametrize(
    ("kind", "facing", "entered"),
    [(HEAVY, 6, True), (HEAVY, 0, False), (LIGHT, 2, True), (FOOT, 6, False)],
    ids=["front", "rear", "light", "foot"],
)
def test_a_hex_entered_in_an_enemy_cavalry_zone_is_told(kind: int, facing: int, entered: bool) -> None:
    """A lane of open ground runs from (0, 0) past the enemy at (1, 1), straight away from another at (0,
    -1)."""
    swamp = dict.fromkeys(
        (one for radius in range(1, 6) for one in ring(radius) if one not in {(0, n) for n in range(6)}),
        "swamp",
    )
    horse = Piece(TARGET, (0, 0), HEAVY, state=ROUTED)
    found = flee(horse, *foes((0, -1)), Piece(CHARGER, (1, 1), kind, facing=facing), points=4, terrain=swamp)
    assert (found.end, found.cavalry_zone) == ((0, 4), entered)


def test_leaving_a_cavalry_zone_is_not_entering_one() -> None:
    """0-decisions 5.5."""
    found = flee(ROUTER, *foes((-1, 0), kind=LIGHT), points=3, full=RETREAT)
    assert (found.zone_hexes, found.cavalry_zone) == (1, False)


def test_cavalry_thrown_off_a_square_goes_on_from_the_hex_it_came_from() -> None:
    """Charge.md section 10: its first step, and one point less."""
    one = show(Piece(CHARGER, (0, 0), HEAVY, state=ROUTED), Piece(TARGET, (0, 0), formation=SQUARE))
    found = retreat(one, (0,), 3, RETREAT, False, HORIZON, first=(-1, 0))
    assert found.end == (-3, 0)
    alone = retreat(one, (0,), 1, RETREAT, False, HORIZON, first=(-1, 0))
    assert (alone.end, alone.direction) == ((-1, 0), 3)


# -- retreats in general ------------------------------------------------------------------------------

places = st.tuples(st.integers(-4, 4), st.integers(-4, 4)).filter(lambda one: one != (0, 0))
crowds = st.lists(places, min_size=1, max_size=7, unique=True)
friends_too = st.lists(places, max_size=4, unique=True)


def reachable(start: Hex, enemies: list[Hex], steps: int) -> list[set[Hex]]:
    """Hexes that can be stood on after 0, 1, 2, ... steps over clear ground, by the rule alone: every path at
    once."""

    def near(at: Hex) -> int:
        return min(distance(at, enemy) for enemy in enemies)

    layers = [{start}]
    for _ in range(steps):
        layers.append(
            {
                to
                for at in layers[-1]
                for d in range(6)
                if (to := neighbour(at, d)) not in enemies and near(to) >= near(at)
            }
        )
    return layers


def good_ends(start: Hex, enemies: list[Hex], friends: list[Hex], hexes: set[Hex]) -> set[Hex]:
    close = [enemy for enemy in enemies if distance(start, enemy) <= HORIZON]
    return {
        at
        for at in hexes
        if at not in friends and all(distance(at, enemy) > distance(start, enemy) for enemy in close)
    }


@few
@given(crowds, friends_too)
def test_a_rout_ends_where_the_rule_allows_and_surrenders_only_if_it_allows_nothing(
    enemies: list[Hex], friends: list[Hex]
) -> None:
    """Invariant 7, against all paths of ten steps; 0-decisions 5.12."""
    friends = [one for one in friends if one not in enemies]
    found = flee(ROUTER, *foes(*enemies), *(Piece(TARGET, one) for one in friends))
    allowed = good_ends((0, 0), enemies, friends, reachable((0, 0), enemies, 10)[10])
    assert found.surrendered is not bool(allowed)
    assert found.surrendered or found.end in allowed


@few
@given(crowds, friends_too)
def test_a_retreat_takes_as_many_steps_as_some_good_path_has(enemies: list[Hex], friends: list[Hex]) -> None:
    friends = [one for one in friends if one not in enemies]
    found = flee(ROUTER, *foes(*enemies), *(Piece(TARGET, one) for one in friends), points=3, full=RETREAT)
    layers = reachable((0, 0), enemies, 3)
    allowed = next(
        (ends for steps in (3, 2, 1) if (ends := good_ends((0, 0), enemies, friends, layers[steps]))),
        {(0, 0)},
    )
    assert not found.surrendered
    assert found.end in allowed


@few
@given(
    crowds,
    friends_too,
    st.sets(places, max_size=10),
    st.sampled_from([WOODS, "garden", "swamp"]),
    st.booleans(),
    st.booleans(),
    st.data(),
)
def test_the_mirror_image_of_a_situation_has_the_mirror_image_of_its_retreat(
    enemies: list[Hex],
    friends: list[Hex],
    rough: set[Hex],
    kind: str,
    full: bool,
    mounted: bool,
    data: st.DataObject,
) -> None:
    """Invariant 6: turned by half a circle with the sides swapped, ties break the other way round too."""
    assume(not set(friends) & set(enemies))
    facings = data.draw(st.lists(st.integers(0, 5), min_size=len(enemies), max_size=len(enemies)))
    arms = data.draw(
        st.lists(st.sampled_from([FOOT, LIGHT, HEAVY]), min_size=len(enemies), max_size=len(enemies))
    )
    own = HEAVY if mounted else FOOT
    pieces = [Piece(TARGET, (0, 0), own, state=ROUTED)]
    pieces += [
        Piece(CHARGER, one, arm, facing=2 * facing)
        for one, arm, facing in zip(enemies, arms, facings, strict=True)
    ]
    pieces += [Piece(TARGET, one) for one in friends]
    turned = [
        Piece(1 - p.side, (-p.hex[0], -p.hex[1]), p.kind, p.formation, (p.facing + 6) % 12, p.state)
        for p in pieces
    ]
    points = 10 if full else 3
    one = flee(*pieces, points=points, full=full, terrain=dict.fromkeys(rough, kind))
    other = flee(*turned, points=points, full=full, terrain={(-q, -r): kind for q, r in rough})
    assert other.end == (-one.end[0], -one.end[1])
    assert (other.surrendered, other.zone_hexes, other.cavalry_zone, other.passed) == (
        one.surrendered,
        one.zone_hexes,
        one.cavalry_zone,
        one.passed,
    )
    assert other.direction == (None if one.direction is None else (one.direction + 3) % 6)


# -- the free hex next to a unit ----------------------------------------------------------------------


def test_a_unit_that_must_leave_a_shared_hex_takes_the_free_hex_the_retreat_would() -> None:
    rider, square = Piece(CHARGER, (0, 0), HEAVY), Piece(TARGET, (0, 0), formation=SQUARE)
    assert free_step(show(rider, square), 0, HORIZON) == (-1, 0)
    assert free_step(show(rider, square, Piece(CHARGER, (-1, 0))), 0, HORIZON) in {(-1, 1), (0, -1)}
    assert free_step(show(rider, square, *foes(*ring(1))), 0, HORIZON) is None
