"""The stand check against a charge: what its chart may ask, and who routs in place.

Rule 38, option 1; seed 001; docs/charge.md 6.10, 6.11.

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.rulesets.conditions import code
from sim.units.attributes import Attributes
from sim.vocabulary import DISORDERED, ZONES

Numbers = NDArray[np.integer]
Mask = NDArray[np.bool_]

ZONE_CODES = np.array([code(zone) for zone in ZONES])
"""Code of each `vocabulary.Zone`, as modifiers ask for it."""


def situation(target: Attributes, charger: Attributes, zone: Numbers, crosses: Numbers) -> Attributes:
    """What the chart of the stand check may ask.

    Parameters
    ----------
    target, charger
        Attributes `target.*` and `charger.*`.
    zone
        The zone of the target's side by which the charger comes.
    crosses
        Code of what the charger crosses there.
    """
    return target | charger | {"hexside": ZONE_CODES[zone], "crosses": crosses}


def stays(state: Numbers, dd_stays: bool) -> Mask:
    """Whether a unit that fails routs and stays in its hex (`dd_fails_stand: stays`)."""
    return (state == DISORDERED) & dd_stays
