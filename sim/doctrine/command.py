"""Who plays a scenario: a player for each side, by a style."""

from __future__ import annotations

from sim.battle.marching import Terms
from sim.battle.players import Player
from sim.combat.play import Play
from sim.doctrine.simple import Simple
from sim.doctrine.style import load
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
    going = Terms.of(play, scenario).going
    first, second = (Simple(play, scenario, side, going, one) for side in (0, 1))
    first.enemy, second.enemy = second, first
    return first, second
