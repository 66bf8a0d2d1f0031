"""The engine's runs in the form of the scalar play's records, and dice tables for it."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator, Philox

from sim.ensemble.dice import Decision
from sim.old import play
from sim.old.dice import RandomDice
from sim.old.dice import stream as old_stream
from sim.old.forces import Forces
from sim.studies import ends
from sim.studies.measures import SIDES
from sim.units.charges import Charge
from sim.units.orders import Variant
from sim.vocabulary import READINESS, STATES, Reason

ATTEMPTS = (None, "formed", "disordered", "routed")


def engine_runs(
    charge: Charge, responses: str | Sequence[str], seed: int, first: int, n: int
) -> tuple[list[dict[str, Any]], list[Any]]:
    """What came of runs first..first+n-1 of a half, and all decisions asked in the batch."""
    (response,) = [responses] if isinstance(responses, str) else responses
    from sim.vocabulary import FORMATIONS

    dice = RandomDice(seed, first, n)
    forces = play(charge, dice, [Variant.of(charge, response)])
    stack, goal = tuple(range(len(charge.charger))), len(charge.charger)
    end = ends.ends(forces, stack, goal)
    happened = dict(ends.events(end))
    lost = {side: ends.losses(end, side) for side in SIDES}
    records = []
    for lane in dice.lane_of_run.tolist():
        units = {}
        for u, unit in enumerate(charge.units):
            gone = forces.state[u, lane] == 3
            state = Reason(forces.reason[u, lane]).word if gone else STATES[forces.state[u, lane]]
            hex_ = forces.map.hex(int(forces.hex[u, lane]))
            units[unit.id] = (
                state,
                int(forces.increments[u, lane]),
                FORMATIONS[forces.formation[u, lane]],
                hex_,
                READINESS[forces.readiness[u, lane]],
            )
        records.append(
            {
                "units": units,
                "charges": [
                    {
                        "success": bool(happened["charge succeeds"][lane]),
                        "clean": bool(happened["clean success"][lane]),
                        "bounced": bool(happened["bounced"][lane]),
                        "recovered": bool(happened["charger recovered"][lane]),
                        "worst": _worst(forces, stack, lane),
                        "attempt": ATTEMPTS[forces.attempt[goal, lane]],
                    }
                ],
                "losses": {side: int(values[lane]) for side, values in lost.items()},
            }
        )
    return records, dice.decisions


def _worst(forces: Forces, stack: tuple[int, ...], lane: int) -> str:
    return ("good", "disordered", "routed", "gone")[int(forces.worst[list(stack), lane].max())]


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
            draw: Any = stream if isinstance(decision, Decision) else old_stream
            self.drawn[decision] = draw(self.seed, decision, self.first, self.n)
        return self.drawn[decision]

    def roll(self, run: int, decision: Decision, meanings: Sequence[Hashable]) -> int:
        """The face of a run for a decision, from 0."""
        return int(self._stream(decision)[run - self.first] * len(meanings))

    def for_run(self, run: int) -> Any:
        """The roll function of one run."""
        return partial(self.roll, run)
