"""The battle: the chronology and the unit processes. SimPy lives here and nowhere else."""

from sim.battle.engine import Battle
from sim.battle.setup import play

__all__ = ["Battle", "play"]
