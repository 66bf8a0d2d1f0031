"""Exact odds by the scalar play: every combination of rolls is played, faces that lead to the same are played once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction

from sim.scenarios import Charge
from tests.agreement.baseline import Record, play


def count(charge: Charge, response: str, limit: int = 10**9) -> list[tuple[Fraction, Record]]:
    """Every way a charge can go, each with its exact probability.

    Raises
    ------
    OverflowError
        If there are more ways than `limit`.
    """
    found: list[tuple[Fraction, Record]] = []
    waiting: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while waiting:
        script, weight = waiting.pop()
        taken: list[int] = []
        before = weight

        def roll(decision: str, meanings: Sequence[Hashable], script: tuple[int, ...] = script, taken: list[int] = taken) -> int:
            nonlocal weight
            if len(taken) < len(script):
                taken.append(script[len(taken)])
                return taken[-1]
            faces: dict[Hashable, list[int]] = {}
            for face, meaning in enumerate(meanings):
                faces.setdefault(meaning, []).append(face)
            first, *others = faces.values()
            for other in others:
                waiting.append(((*taken, other[0]), weight * Fraction(len(other), len(meanings))))
            weight *= Fraction(len(first), len(meanings))
            taken.append(first[0])
            return first[0]

        record = play(charge, response, roll)
        assert weight <= before
        found.append((weight, record))
        if len(found) > limit:
            raise OverflowError(f"more than {limit} ways")
    return found


def share(ways: list[tuple[Fraction, Record]], event: Callable[[Record], bool]) -> Fraction:
    """The probability of an event."""
    return sum((weight for weight, record in ways if event(record)), Fraction(0))


def mean(ways: list[tuple[Fraction, Record]], value: Callable[[Record], int]) -> Fraction:
    """The expected value of a number."""
    return sum((weight * value(record) for weight, record in ways), Fraction(0))
