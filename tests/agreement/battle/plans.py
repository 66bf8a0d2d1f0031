"""What the units of a side mean to do in a half: told to the engine's player and to the scalar play alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from tests.agreement.play.hexes import Hex, distance, neighbour

KEEP = -1


@dataclass(frozen=True)
class Plan:
    """What a unit does in the movement segment.

    Attributes
    ----------
    first
        Formation that it takes before it goes, None for its own.
    path
        Hexes that it goes through, its own the first; alone in it where it does not go.
    most
        Steps that it makes at most.
    then, facing
        Formation that it takes where it has stopped, and facing to which it turns.
    """

    first: str | None = None
    path: Sequence[Hex] = ()
    most: int = 99
    then: str | None = None
    facing: int | None = None


@dataclass(frozen=True)
class Choices:
    """All choices of a half, by the numbers of units.

    Attributes
    ----------
    plans
        Of each unit of the phasing side.
    likes
        How much a unit likes to shoot at, or assault, another; it does not where that is 0 or less.
    evades, occupies
        Whether a unit retreats before a melee; whether it enters a hex whose defenders have failed.
    """

    plans: dict[int, Plan] = field(default_factory=dict)
    likes: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), int))
    evades: Sequence[bool] = ()
    occupies: Sequence[bool] = ()


def random_path(
    rng: np.random.Generator, start: Hex, steps: int, ahead: int, holds: Callable[[Hex], bool]
) -> list[Hex]:
    """A way that never comes back beside itself, mostly straight on, to the map's edge at most."""
    path, direction = [start], ahead
    for _ in range(steps):
        turn = int(rng.choice([0, 0, 0, 1, -1]))
        here = neighbour(path[-1], (direction + turn) % 6)
        if not holds(here) or any(distance(here, one) < 2 for one in path[:-1]):
            break
        path.append(here)
        direction = (direction + turn) % 6
    return path
