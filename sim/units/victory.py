"""Victory as data: a ladder of results, each with the condition under which it is the result.

The first rung whose condition holds at the end is the result; the last has none. Conditions are about
measures, integers that the battle counts: what they mean is said in `sim.rules.victory`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sim.board.hexmap import Hex

KINDS = ("held", "exited", "lost", "balance", "broken", "level")
"""What can be measured: hexes held, increments that left the map, increments lost, increments inflicted minus
suffered, battalions routed or eliminated, a morale level."""
_NEVER_FALL = ("exited", "lost")
"""Measures that only grow."""


@dataclass(frozen=True)
class Measure:
    """Something that is counted for a victory condition.

    Attributes
    ----------
    kind
        One of `KINDS`.
    side
        Number of the side that it is about: who holds, who has left, whose losses or battalions; of a balance
        whose advantage.
    units
        Numbers of the units that count; all of the side's where the condition names none.
    hexes
        Those that are held, or by which increments leave; () for any way off the map.
    organisation
        Number of the organisation whose level it is.
    turn
        The last turn that counts, at whose end it is taken; None for the end of the battle.
    """

    kind: str
    side: int
    units: tuple[int, ...] = ()
    hexes: tuple[Hex, ...] = ()
    organisation: int | None = None
    turn: int | None = None


@dataclass(frozen=True)
class Least:
    """A measure is at least a number."""

    measure: Measure
    number: int


@dataclass(frozen=True)
class Not:
    """A condition does not hold."""

    part: Condition


@dataclass(frozen=True)
class AllOf:
    """All of some conditions hold."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class AnyOf:
    """At least one of some conditions holds."""

    parts: tuple[Condition, ...]


Condition = Least | Not | AllOf | AnyOf


@dataclass(frozen=True)
class Rung:
    """A result, the number of the side that wins by it (None: neither), and when it is the result."""

    result: str
    side: int | None
    condition: Condition | None


def leaves(condition: Condition | None) -> Iterator[Least]:
    """The single comparisons of a condition, in order."""
    if isinstance(condition, Least):
        yield condition
    elif isinstance(condition, Not):
        yield from leaves(condition.part)
    elif condition is not None:
        for part in condition.parts:
            yield from leaves(part)


def measures(ladder: Sequence[Rung]) -> tuple[Measure, ...]:
    """What has to be counted to decide a ladder, each once, in order."""
    return tuple(dict.fromkeys(leaf.measure for rung in ladder for leaf in leaves(rung.condition)))


def implies(one: Condition, other: Condition) -> bool:
    """Whether a condition cannot hold without another; False also where this is not seen."""
    if one == other:
        return True
    if isinstance(other, AllOf):
        return all(implies(one, part) for part in other.parts)
    if isinstance(one, AnyOf):
        return all(implies(part, other) for part in one.parts)
    if isinstance(one, AllOf) and any(implies(part, other) for part in one.parts):
        return True
    if isinstance(other, AnyOf):
        return any(implies(one, part) for part in other.parts)
    if isinstance(one, Not) and isinstance(other, Not):
        return implies(other.part, one.part)
    if isinstance(one, Least) and isinstance(other, Least):
        return _least_implies(one, other)
    return False


def _least_implies(one: Least, other: Least) -> bool:
    """Of the same measure a greater number; of one that never falls also an earlier one, or fewer units."""
    same = replace(one.measure, turn=other.measure.turn) == other.measure
    if one.number < other.number:
        return False
    if one.measure == other.measure:
        return True
    if one.measure.kind not in _NEVER_FALL:
        return False
    last = other.measure.turn
    earlier = last is None or (one.measure.turn is not None and one.measure.turn <= last)
    wider = replace(one.measure, turn=None, units=(), hexes=()) == replace(
        other.measure, turn=None, units=(), hexes=()
    )
    within = set(one.measure.units) <= set(other.measure.units) and (
        not other.measure.hexes
        or (bool(one.measure.hexes) and set(one.measure.hexes) <= set(other.measure.hexes))
    )
    return earlier and (same or (wider and within))


def contradicts(condition: Condition) -> bool:
    """Whether a condition can never hold; False also where this is not seen."""
    if isinstance(condition, AnyOf):
        return all(contradicts(part) for part in condition.parts)
    if not isinstance(condition, AllOf):
        return False
    refused = [part.part for part in condition.parts if isinstance(part, Not)]
    return any(contradicts(part) for part in condition.parts) or any(
        implies(part, no) for part in condition.parts for no in refused if not isinstance(part, Not)
    )
