"""The balanced style answers the questions of a battle: the mirror scenario, its units put where each
question needs them; expected answers worked out by hand from docs/doctrine.md."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from sim.battle.battle import Battle
from sim.battle.setup import muster
from sim.battle.shooting import Shots
from sim.board.hexmap import Rectangle
from sim.charge.waves import possible_charges
from sim.doctrine.command import players_of
from sim.doctrine.styled import Styled
from sim.ensemble.cases import Pairs
from sim.ensemble.dice import RandomDice
from sim.units import battlefiles
from sim.units.orders import RESPONSE_CODES
from sim.vocabulary import COLUMN, DISORDERED, GENERAL_ORDER, LINE, ROUTED, SQUARE, UNLIMBERED

LANES = 3
SCENARIO = battlefiles.load("mirror")
NAMES = [one.name for one in SCENARIO.units]
WEST = [NAMES.index(f"West battalion {n}") for n in range(1, 7)]
EAST = [NAMES.index(f"East battalion {n}") for n in range(1, 7)]
BATTERY, HUSSARS, ENEMY_HUSSARS = (
    NAMES.index(name) for name in ("West battery", "West hussars 1", "East hussars 1")
)


@pytest.fixture
def field() -> Battle:
    """The scenario in three lanes, with everybody in a corner of the map."""
    fought = muster(SCENARIO, RandomDice(1, 0, LANES, lumped=False), players_of)
    for number in range(len(NAMES)):
        put(fought, number, "0101" if number < len(NAMES) // 2 else "2416")
    for player in fought.players:
        player.begin_turn(1)
        player.begin_half(0)
    return fought


def put(fought: Battle, unit: int, at: str, formation: int | None = None, **facts: int) -> None:
    """A unit stands there in every lane; facts are rows of the forces."""
    forces = fought.forces
    cases = forces.cases(np.ones(LANES, bool), unit)
    grid = forces.map.grid
    assert isinstance(grid, Rectangle)
    forces.place(cases, forces.map.number(grid.hex_of(at)))
    forces.formation[unit] = forces.formation[unit] if formation is None else formation
    for name, value in facts.items():
        getattr(forces, name)[unit] = value


def west(fought: Battle) -> Styled:
    player = fought.players[0]
    assert isinstance(player, Styled)
    return player


def flat(pairs: list[tuple[int, int]]) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Lane, unit and target of pairs, the same in every lane."""
    lane = np.repeat(np.arange(LANES), len(pairs))
    unit, target = (np.tile([pair[i] for pair in pairs], LANES) for i in (0, 1))
    return lane, unit, target


def shots(fought: Battle, pairs: list[tuple[int, int]]) -> Shots:
    forces = fought.forces
    lane, unit, target = flat(pairs)
    place, at = forces.hex[unit, lane].astype(np.intp), forces.hex[target, lane].astype(np.intp)
    hexes = forces.map.distances(place, at)
    return Shots(forces.ensemble, lane, unit, place, target, at, hexes)


def chosen(mask: NDArray[np.bool_], pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The pairs that are chosen, the same in every lane."""
    rows = mask.reshape(LANES, len(pairs))
    assert (rows == rows[0]).all()
    return [pair for pair, one in zip(pairs, rows[0], strict=True) if one]


def test_infantry_aims_at_the_disordered_guns_at_the_closest_squares_all_round(field: Battle) -> None:
    """Three targets of 8 next to 1010, the last in disorder: 8, 8, and 8 + 4."""
    put(field, WEST[0], "1010")
    put(field, WEST[1], "0707", SQUARE)
    put(field, BATTERY, "0807", UNLIMBERED)
    for unit, at in zip(EAST, ("1009", "1110", "1011"), strict=False):
        put(field, unit, at)
    field.forces.state[EAST[2]] = DISORDERED
    pairs = [(WEST[0], foe) for foe in EAST[:3]] + [(WEST[1], foe) for foe in EAST[:3]]
    pairs += [(BATTERY, foe) for foe in EAST[:3]]
    found = chosen(west(field).aims(shots(field, pairs), False), pairs)
    assert found == [(WEST[0], EAST[2]), *pairs[3:6], (BATTERY, EAST[0])]


def test_battalions_storm_together_and_one_alone_does_not(field: Battle) -> None:
    """16 against 8 is twice what stands there; 8 against 8 is not enough, against the disordered it is. In
    line four of a hex count: 8 against 8."""
    for unit, at in zip(WEST, ("1009", "1110", "0101"), strict=False):
        put(field, unit, at)
    put(field, EAST[0], "1010")

    def storm(*attackers: int) -> list[tuple[int, int]]:
        pairs = [(unit, EAST[0]) for unit in attackers]
        return chosen(west(field).storms(Pairs(field.forces.ensemble, *flat(pairs))), pairs)

    assert storm(WEST[0], WEST[1]) == [(WEST[0], EAST[0]), (WEST[1], EAST[0])]
    assert storm(WEST[0]) == []
    field.forces.formation[WEST[:2]] = LINE
    assert storm(WEST[0], WEST[1]) == []
    field.forces.formation[WEST[:2]], field.forces.state[EAST[0]] = COLUMN, DISORDERED
    assert storm(WEST[0]) == [(WEST[0], EAST[0])]
    field.forces.state[WEST[0]] = DISORDERED
    assert storm(WEST[0]) == []


def test_who_is_outnumbered_gives_way(field: Battle) -> None:
    """One and a half times 8 are 12: one enemy battalion next to it is too few, two are enough."""
    put(field, WEST[0], "1010")
    cases = field.forces.cases(np.ones(LANES, bool), WEST[0])
    put(field, EAST[0], "1009")
    assert not west(field).evades(cases).any()
    put(field, EAST[1], "1110")
    assert west(field).evades(cases).all()


def test_infantry_tries_carre_and_cavalry_reacts_if_it_can(field: Battle) -> None:
    put(field, WEST[1], "0609", GENERAL_ORDER)
    put(field, WEST[2], "0610", SQUARE)
    units = np.array([*WEST[:3], BATTERY, HUSSARS])
    carre, react = RESPONSE_CODES["carre@3"], RESPONSE_CODES["react"]
    found = west(field).responses(units, np.arange(LANES))
    assert found.tolist() == [[carre] * LANES, [0] * LANES, [0] * LANES, [0] * LANES, [react] * LANES]
    field.forces.readiness[HUSSARS] = 2
    assert not west(field).responses(units[4:], np.arange(LANES)).any()


def test_cavalry_charges_the_disordered_but_no_square(field: Battle) -> None:
    """Eight riders, six hexes straight away from eight men: in disorder half as many would do."""
    put(field, HUSSARS, "0410", facing=10)
    put(field, EAST[0], "1007", facing=6, state=DISORDERED)
    (charge,) = west(field).charges()
    assert charge.state.stack[HUSSARS].all()
    charge.state.close()
    put(field, EAST[0], "1007", SQUARE, facing=6, state=0)
    assert west(field).charges() == ()


def test_leaders_go_to_who_needs_them_and_is_near(field: Battle) -> None:
    """The general with battalion 1: battalion 2 routed next to him is worth 8 - 1, battalion 3 in disorder
    five hexes off 10 - 5; then the disordered one is as near."""
    lanes = np.arange(LANES)
    general = next(n for n, one in enumerate(SCENARIO.leaders) if one.name == "West's general")
    for unit in WEST:
        put(field, unit, "0101")
    put(field, WEST[0], "0508")
    put(field, WEST[1], "0509", state=ROUTED)
    put(field, WEST[2], "0513", state=DISORDERED)
    field.forces.leader_at[general] = WEST[0]
    west(field).march(field.forces.cases(np.ones(LANES, bool), WEST[0]))
    assert west(field).leads(general, lanes).tolist() == [WEST[1]] * LANES
    put(field, WEST[2], "0507")
    assert west(field).leads(general, lanes).tolist() == [WEST[2]] * LANES


def test_hexes_won_are_entered_but_not_by_who_holds_his_place(field: Battle) -> None:
    """West takes Centre: it enters. Told to hold Centre, who stands in it stays, who does not goes in."""
    player, everywhere = west(field), np.ones(LANES, bool)
    put(field, WEST[0], "1208")
    cases = field.forces.cases(everywhere, WEST[0])
    assert player.occupies(cases).all()
    player.tasks.kind[WEST[0]] = 1
    assert not player.occupies(cases).any()
    put(field, WEST[0], "1108")
    assert player.occupies(cases).all()


def test_no_charge_is_missed_because_its_target_does_not_promise() -> None:
    """After two turns of battle the charges that are chosen of all that are possible are those that are
    chosen of the promising ones."""
    fought = muster(SCENARIO, RandomDice(3, 0, 40, lumped=False), players_of)
    fought.halves = 4
    fought.run()
    chosen_by_all = left_out = 0
    for side, player in enumerate(fought.players):
        assert isinstance(player, Styled)
        every = possible_charges(fought.play, side)
        some = possible_charges(fought.play, side, player._promising())
        left_out += len(every) - len(some)
        found = [
            list(zip(*(row.tolist() for row in (one.lane, one.unit, one.target)), strict=True))
            for one in (pairs.where(player._best(pairs)) for pairs in (every, some))
        ]
        assert found[0] == found[1]
        chosen_by_all += len(found[0])
    assert chosen_by_all > 0
    assert left_out > 0
