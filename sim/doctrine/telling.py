"""How players tell what they decide: nothing where no run is told, the decisions of one lane where one is."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.combat.play import Play
from sim.doctrine.told import PLAN, Decided
from sim.ensemble.cases import Cases, Mask, Pairs
from sim.ensemble.lanes import Ids

Amount = NDArray[Any] | Fraction | float
"""One for all, or one a case."""


def tell(
    play: Play,
    kind: type[Decided],
    cases: Cases | Pairs,
    where: Mask,
    has: Amount,
    wants: Amount,
    **more: NDArray[Any],
) -> None:
    """Tell of those of some cases that decide so; amounts and masks have shape (k,)."""
    if play.recorder is None or not where.any():
        return
    amounts = {"has": has, "wants": wants}
    told = {name: _numbers(one, where.shape)[where] for name, one in amounts.items()}
    told |= {name: np.broadcast_to(one, where.shape)[where] for name, one in more.items()}
    lane, unit = cases.lane[where], cases.unit[where]
    play.log(kind, Cases(play.ensemble, lane, unit, unit, play.ensemble.epoch), PLAN, **told)


def tell_of(
    play: Play,
    kind: type[Decided],
    units: Ids,
    lanes: Ids,
    where: Mask,
    has: Amount,
    wants: Amount,
    **more: NDArray[Any],
) -> None:
    """Tell of units in lanes, shape (m,) and (k,); masks and amounts fit the shape (m, k)."""
    if play.recorder is None:
        return
    (watched,) = (lanes == play.recorder.lane).nonzero()
    for k in watched.tolist():
        found = np.full(len(units), lanes[k])
        cases = Cases(play.ensemble, found, units, units, play.ensemble.epoch)
        amounts = (_numbers(one, where.shape)[:, k] for one in (has, wants))
        rest = {name: np.broadcast_to(one, where.shape)[:, k] for name, one in more.items()}
        tell(play, kind, cases, where[:, k], *amounts, **rest)


def _numbers(amount: Amount, shape: tuple[int, ...]) -> NDArray[np.float64]:
    plain = float(amount) if isinstance(amount, Fraction) else amount
    return np.broadcast_to(np.asarray(plain, np.float64), shape)
