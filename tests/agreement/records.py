"""The engine's runs in the form of the scalar play's records, and dice tables for it."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator, Philox

from sim.battle.setup import Played, play
from sim.ensemble.dice import Decision, RandomDice, ScriptedDice
from sim.studies import ends
from sim.studies.measures import SIDES
from sim.units.charges import Charge
from sim.units.orders import Variant
from sim.vocabulary import FORMATIONS, GONE, READINESS, STATES, Reason, State

ATTEMPTS = (None, "formed", "disordered", "routed")


def engine_runs(
    charge: Charge, responses: str | Sequence[str], seed: int, first: int, n: int, lumped: bool = True
) -> tuple[list[dict[str, Any]], list[Decision]]:
    """What came of runs first..first+n-1 of a half, and all decisions asked in the batch."""
    dice = RandomDice(seed, first, n, lumped)
    records = records_of(play(charge, dice, [_variant(charge, responses)]))
    return [records[lane] for lane in dice.lane_of_run.tolist()], dice.decisions


def engine_scripted(
    charge: Charge, responses: str | Sequence[str], rolls: Sequence[int]
) -> tuple[dict[str, Any], list[Decision]]:
    """What comes of given rolls, 11..66 or a die, all of them used, and the decisions they were for."""
    dice = ScriptedDice(rolls)
    (record,) = records_of(play(charge, dice, [_variant(charge, responses)]))
    dice.finish()
    return record, [one.decision for one in dice.rolled]


def _variant(charge: Charge, responses: str | Sequence[str]) -> tuple[Variant, ...]:
    chosen = [responses] if isinstance(responses, str) else responses
    return tuple(map(Variant.of, charge.attacks, chosen))


def records_of(played: Played) -> list[dict[str, Any]]:
    """What came of a half, lane by lane."""
    fates = [list(_fates(played, number)) for number in range(len(played.charges))]
    end = ends.ends(played)
    lost = {side: ends.losses(end, side) for side in SIDES}
    return [
        {
            "units": _units(played, lane),
            "charges": [fate[lane] for fate in fates],
            "losses": {side: int(values[lane]) for side, values in lost.items()},
        }
        for lane in range(played.forces.ensemble.n)
    ]


def _units(played: Played, lane: int) -> dict[str, tuple[Any, ...]]:
    """Every unit of a lane by its id: state or fate, increments, formation, hex, readiness."""
    forces, found = played.forces, {}
    for u, unit in enumerate(forces.units):
        gone = forces.state[u, lane] == GONE
        found[unit.id] = (
            Reason(forces.reason[u, lane]).word if gone else STATES[forces.state[u, lane]],
            int(forces.increments[u, lane]),
            FORMATIONS[forces.formation[u, lane]],
            forces.map.hex(int(forces.hex[u, lane])),
            READINESS[forces.readiness[u, lane]],
        )
    return found


def _fates(played: Played, number: int) -> Iterator[dict[str, Any]]:
    """What came of a charge, lane by lane."""
    charge = played.charges[number]
    happened = dict(ends.events(ends.ends(played, number)))
    worst = played.forces.half.worst[charge.stack].max(axis=0)
    for lane in range(played.forces.ensemble.n):
        yield {
            "success": bool(happened["charge succeeds"][lane]),
            "clean": bool(happened["clean success"][lane]),
            "bounced": bool(happened["bounced"][lane]),
            "recovered": bool(happened["charger recovered"][lane]),
            "worst": State(worst[lane]).word,
            "attempt": ATTEMPTS[charge.state.attempt[lane]],
        }


def stream(seed: int, decision: Decision, first: int, n: int) -> np.ndarray:
    """The numbers of runs first..first+n-1 for a decision, straight from NumPy's Philox
    (docs/charge.md 13.4)."""
    digest = int.from_bytes(hashlib.blake2b(decision.name.encode(), digest_size=8).digest(), "little")
    counter = [first // 4, decision.by << 16 | decision.about, decision.nth, 0]
    bits = Philox(key=np.array([seed, digest], np.uint64), counter=np.array(counter, np.uint64))
    return Generator(bits).random(first % 4 + n)[first % 4 :]


class Table:
    """Rolls of a seed by decision, drawn beforehand for a range of runs."""

    def __init__(self, seed: int, first: int, n: int) -> None:
        self.seed, self.first, self.n = seed, first, n
        self.drawn: dict[Decision, np.ndarray] = {}

    def _stream(self, decision: Decision) -> np.ndarray:
        if decision not in self.drawn:
            self.drawn[decision] = stream(self.seed, decision, self.first, self.n)
        return self.drawn[decision]

    def roll(self, run: int, decision: Decision, meanings: Sequence[Hashable]) -> int:
        """The face of a run for a decision, from 0."""
        return int(self._stream(decision)[run - self.first] * len(meanings))

    def for_run(self, run: int) -> Any:
        """The roll function of one run."""
        return partial(self.roll, run)
