"""How a charge ended, in a lane or in a run: a few small facts, packed into one number.

Everything that odds tell is a reduction of these numbers: of their weights, where equal ends are counted
together (`tally`), or of a frame that has a row a run (`runs`). The functions at the end alone read the
forces; nothing else in the studies knows them.

Arrays have shape (k,), one element an end, unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.battle.refusals import forbidden
from sim.battle.setup import Played
from sim.rules.carre import NEVER_AT_DISTANCE, REFUSALS
from sim.studies.measures import EVENTS, SIDES
from sim.units.charges import Charge
from sim.units.orders import Variant
from sim.vocabulary import GONE, GOOD, ROUTED, SQUARE, SURRENDERED, State

Codes = NDArray[np.int64]
"""Packed ends, shape (k,)."""


@dataclass(frozen=True)
class Column:
    """A fact of an end.

    Attributes
    ----------
    bits
        How many it takes in a packed end.
    names
        What its values stand for; none: it is a number, or yes and no where it takes one bit.
    """

    bits: int
    names: tuple[str, ...] = ()

    @property
    def dtype(self) -> type[np.generic]:
        """The smallest type that holds it."""
        return np.bool_ if self.bits == 1 else np.int8 if self.bits < 8 else np.int16


TARGET = ("in order", "in square", "disordered", "routed", "eliminated", "surrendered")
CHARGER = ("in order", "disordered", "routed", "lost")
READINESS = ("untouched", "tired", "exhausted", "gone")
ATTEMPT = ("none", "formed", "disordered", "routed")

COLUMNS: Mapping[str, Column] = {
    "succeeds": Column(1),
    "clean": Column(1),
    "bounced": Column(1),
    "target": Column(3, TARGET),  # at the end
    "charger": Column(2, CHARGER),  # the worst state of its regiments
    "recovered": Column(1),  # its regiments routed, and are all in order again
    "readiness": Column(2, READINESS),  # of the first regiment left
    "attempt": Column(2, ATTEMPT),  # what the target's carré attempt gave
    "target_losses": Column(12),  # increments lost in the half by the whole side
    "charger_losses": Column(12),
}
"""The facts of an end, in the order of a frame's columns; the first is packed lowest."""

_PLACES = dict(
    zip(COLUMNS, np.cumsum([0, *(column.bits for column in COLUMNS.values())]).tolist(), strict=False)
)

_EVENTS: Mapping[str, tuple[str, int]] = {
    "charge succeeds": ("succeeds", 1),
    "clean success": ("clean", 1),
    "bounced": ("bounced", 1),
    **{f"target {name}": ("target", value) for value, name in enumerate(TARGET)},
    **{f"charger {name}": ("charger", value) for value, name in enumerate(CHARGER)},
    "charger recovered": ("recovered", 1),
    **{name: ("readiness", value) for value, name in enumerate(READINESS)},
}
"""The column of each event, and the value that it has there."""


def pack(facts: Mapping[str, NDArray[Any]]) -> Codes:
    """Ends as numbers: a column each of `COLUMNS`.

    Raises
    ------
    ValueError
        If a number is too large for its column.
    """
    codes = np.zeros(len(next(iter(facts.values()))), np.int64)
    for name, column in COLUMNS.items():
        values = np.asarray(facts[name], np.int64)
        if (values >> column.bits).any():
            raise ValueError(f"{name} must be from 0 to {2**column.bits - 1}")
        codes |= values << _PLACES[name]
    return codes


def column_of(codes: Codes, name: str) -> NDArray[Any]:
    """One fact of ends, in its own type.

    >>> column_of(np.array([0b101]), "bounced")
    array([ True])
    """
    column = COLUMNS[name]
    return (codes >> _PLACES[name] & (1 << column.bits) - 1).astype(column.dtype)


def happened(codes: Codes, event: str) -> NDArray[np.bool_]:
    """Whether an event (`measures.EVENTS`) happened in each end."""
    name, value = _EVENTS[event]
    return column_of(codes, name) == value


def events(codes: Codes) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Every event, and where it happened."""
    return ((event, happened(codes, event)) for event in EVENTS)


def losses(codes: Codes, side: str) -> NDArray[np.int16]:
    """Increments lost in the half by a side."""
    return column_of(codes, f"{side}_losses")


def ends(played: Played, number: int = 0) -> Codes:
    """How each lane ended for one of the charges, shape (lanes,).

    The charge succeeds when its target was disordered, routed, eliminated, surrendered or driven from its hex
    by a lettered result or a failed check: its fate alone; or the second unit was, where the charge turned to
    that. A success is clean when no regiment of the charging stack routed or was lost (0-decisions 4). What
    another charge did to the target does not count.
    """
    forces, charge = played.forces, played.charges[number]
    told, stack = charge.state, charge.stack
    target = forces.cases(np.ones(forces.ensemble.n, bool), told.target)
    state, reason = forces.state[target.at], forces.reason[target.at]
    worst, now = forces.half.worst[stack].max(axis=0), forces.state[stack].max(axis=0)
    left = forces.state[stack] != GONE
    lead = target.of(stack[left.argmax(axis=0)])
    in_order = np.where(
        forces.formation[target.at] == SQUARE, TARGET.index("in square"), TARGET.index("in order")
    )
    gone = np.where(reason == SURRENDERED, TARGET.index("surrendered"), TARGET.index("eliminated"))
    lost = np.array([unit.increments for unit in forces.units])[:, None] - forces.increments
    return pack(
        {
            "succeeds": told.hit,
            "clean": told.hit & (worst == GOOD),
            "bounced": told.bounced,
            "target": np.select(
                [state == GOOD, state == GONE],
                [in_order, gone],
                state - State.DISORDERED + TARGET.index("disordered"),
            ),
            "charger": worst,
            "recovered": (worst == ROUTED) & (now == GOOD),
            "readiness": np.where(left.any(axis=0), forces.readiness[lead.at], READINESS.index("gone")),
            "attempt": told.attempt,
            **{f"{side}_losses": lost[forces.side == place].sum(axis=0) for place, side in enumerate(SIDES)},
        }
    )


def variants(played: Played) -> NDArray[np.int16]:
    """The variant that each lane belongs to, shape (lanes,)."""
    return played.forces.variant


def refusals(
    charge: Charge, played: Played, variants_played: Sequence[Variant], number: int = 0
) -> list[str | None]:
    """Why a variant of one of the charges is not possible: its cavalry may not make the charge, or no lane
    could make its carré attempt; None where it is."""
    reason, told = forbidden(charge, number), played.charges[number].state
    if reason:
        return [reason] * len(variants_played)
    found: list[str | None] = []
    for place, variant in enumerate(variants_played):
        lanes = np.flatnonzero(variants(played) == place)
        if not variant.response.startswith("carre") or told.attempt[lanes].any():
            found.append(None)
            continue
        reasons = told.refused[lanes]
        reasons = reasons[reasons > 0]
        found.append(REFUSALS[int(np.bincount(reasons).argmax()) if len(reasons) else NEVER_AT_DISTANCE])
    return found
