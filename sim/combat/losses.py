"""How losses fall on the units of a hex (B2.9; docs/charge.md 9.8).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.combat.play import Play
from sim.ensemble.cases import Cases
from sim.rules.fire import split_losses
from sim.vocabulary import ARTILLERY, INFANTRY, UNLIMBERED


def spread(
    play: Play,
    cases: Cases,
    sides: NDArray[np.integer] | int,
    hexes: NDArray[np.integer],
    result: NDArray[np.integer],
    halve_guns: bool,
    rule: str,
) -> None:
    """Let losses fall on the units of a side in a hex, top first; on infantry and unlimbered guns in turn.

    Parameters
    ----------
    cases
        The lanes.
    sides, hexes, result
        Whose losses, where, and how many.
    halve_guns
        Fire: unlimbered guns alone lose half.
    """
    forces = play.forces
    lanes = cases.lane
    here = forces.standing(hexes, lanes, sides)
    guns = here & (forces.arm == ARTILLERY)[:, None] & (forces.formation[:, lanes] == UNLIMBERED)
    foot = (here & (forces.arm == INFANTRY)[:, None]).any(axis=0)
    guns &= foot | ~(here & ~guns).any(axis=0)
    formed = here & ~guns
    any_formed, any_guns = np.asarray(formed.any(axis=0)), np.asarray(guns.any(axis=0))
    on_formed, on_guns = split_losses(result, any_formed, any_guns)
    if not halve_guns:
        on_guns = np.where(any_guns & ~any_formed, result, on_guns)
    for share, standing in ((on_formed, formed), (on_guns, guns)):
        if share.any():
            forces.lose_in_order(standing, cases, share, rule)
