"""The battle: the chronology and the unit processes. SimPy lives here and nowhere else."""

from sim.old.engine import Battle
from sim.old.setup import play

__all__ = ["Battle", "play"]
