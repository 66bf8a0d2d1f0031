"""Who plays a scenario: a player for each side, by a style."""

from __future__ import annotations

from sim.battle.players import Player
from sim.board.going import going_of
from sim.combat.play import Play
from sim.doctrine.simple import Simple
from sim.doctrine.style import load
from sim.rulesets.compiled import BATTALION, REGIMENT
from sim.units.battles import Scenario

DEFAULT = "simple"


def players_of(scenario: Scenario, play: Play, style: str = DEFAULT) -> tuple[Player, Player]:
    """Players of both sides.

    Raises
    ------
    UnknownNameError
        If there is no such style.
    """
    one = load(style)
    sizes = [REGIMENT if unit.size == "regiment" else BATTALION for unit in scenario.units]
    horse_guns = [unit.arm == "artillery" and "horse" in (unit.limber or "") for unit in scenario.units]
    going = going_of(play.forces.map, play.survey.board, play.book, sizes, horse_guns)
    first, second = (Simple(play, scenario, side, going, one) for side in (0, 1))
    first.enemy, second.enemy = second, first
    return first, second
