"""Exact odds by the scalar play: every combination of rolls is played, faces that lead to the same are played
once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction

from sim.ensemble.dice import Decision
from sim.units.charges import Charge
from tests.agreement.play import Record, play


def count(
    charge: Charge, responses: str | Sequence[str], limit: int = 10**9
) -> list[tuple[Fraction, Record]]:
    """Every way a half can go, each with its exact probability; responses as in `play`.

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

        def roll(
            decision: Decision,
            meanings: Sequence[Hashable],
            script: tuple[int, ...] = script,
            taken: list[int] = taken,
        ) -> int:
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

        record = play(charge, responses, roll)
        assert weight <= before
        found.append((weight, record))
        if len(found) + len(waiting) > limit:  # each that waits is one way at least
            raise OverflowError(f"more than {limit} ways")
    return found


def share(ways: list[tuple[Fraction, Record]], event: Callable[[Record], bool]) -> Fraction:
    """The probability of an event."""
    return sum((weight for weight, record in ways if event(record)), Fraction(0))


def mean(ways: list[tuple[Fraction, Record]], value: Callable[[Record], int]) -> Fraction:
    """The expected value of a number."""
    return sum((weight * value(record) for weight, record in ways), Fraction(0))


def events(charge: Charge, record: Record, number: int = 0) -> dict[str, bool]:
    """The events of one charge of a run, under the names of the odds table."""
    fate, attack = record.charges[number], charge.attacks[number]
    regiments = [record.units[unit.id] for unit in attack.charger]
    top = next((one for one in regiments if one[3] is not None), None)
    state, _, formation, where, _ = record.units[attack.target[0].id]
    return {
        "charge succeeds": fate.success,
        "clean success": fate.clean,
        "bounced": fate.bounced,
        "target routed": state == "routed",
        "target disordered": state == "disordered",
        "target in square": state == "good" and formation == "square",
        "target in order": state == "good" and formation != "square",
        "target eliminated": where is None and state != "surrendered",
        "target surrendered": where is None and state == "surrendered",
        "charger in order": fate.worst == "good",
        "charger routed": fate.worst == "routed",
        "charger lost": fate.worst == "gone",
        "charger recovered": fate.recovered,
        "exhausted": top is not None and top[4] == "exhausted",
        "tired": top is not None and top[4] == "tired",
        "untouched": top is not None and top[4] == "fresh",
    }


def tally(charge: Charge, ways: list[tuple[Fraction, Record]], number: int = 0) -> dict[str, Fraction]:
    """The probability of each event of one charge, and the mean loss of each side in the half."""
    found = {name: Fraction(0) for name in events(charge, ways[0][1])} | {
        "charger": Fraction(0),
        "target": Fraction(0),
    }
    for weight, record in ways:
        for name, happened in events(charge, record, number).items():
            found[name] += weight * happened
        for side, lost in record.losses.items():
            found[side] += weight * lost
    return found
