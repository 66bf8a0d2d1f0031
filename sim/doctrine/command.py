"""Who plays a scenario: a player for each side, by a style."""

from __future__ import annotations

from functools import lru_cache

from sim.battle.marching import HORSE_GUNS
from sim.battle.players import Player
from sim.board.going import going_of
from sim.board.hexmap import HexMap
from sim.board.kernel import Mode
from sim.board.tables import board_of
from sim.combat.play import Play
from sim.doctrine.baselines import Idle, March
from sim.doctrine.styled import Styled
from sim.doctrine.ways import Ways
from sim.rulesets.rulebook import Rulebook
from sim.units.battles import Scenario
from sim.units.fielded import sizes
from sim.units.styles import IDLE

Units = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""By unit: side, arm, kind, home."""


@lru_cache(maxsize=4)
def ways_of(
    map_: HexMap,
    book: Rulebook,
    units: Units,
    sizes: tuple[int, ...],
    horse_guns: tuple[bool, ...],
    mode: Mode,
) -> Ways:
    """The ways on a map for a roster; batches of one scenario share what they have found."""
    board = board_of(map_, book, *units)
    return Ways(map_, board, going_of(map_, board, book, sizes, horse_guns), mode)


def players_of(scenario: Scenario, play: Play) -> tuple[Player, Player]:
    """Players of both sides, each as the scenario says."""
    forces = play.forces
    rows = forces.side, forces.arm, forces.kind, forces.home
    side, arm, kind, home = (tuple(row.tolist()) for row in rows)
    horse_guns = tuple(unit.limber in HORSE_GUNS for unit in scenario.units)
    units = side, arm, kind, home
    ways = ways_of(forces.map, play.book, units, sizes(scenario), horse_guns, play.survey.mode)
    first, second = (_player(scenario, play, side, ways) for side in (0, 1))
    first.enemy, second.enemy = second, first
    return first, second


def _player(scenario: Scenario, play: Play, side: int, ways: Ways) -> Idle | Styled:
    doctrine = scenario.sides[side].doctrine
    if doctrine.style is not None:
        return Styled(play, scenario, side, ways, doctrine.style)
    return (Idle if doctrine.name == IDLE else March)(play, scenario, side, ways)
