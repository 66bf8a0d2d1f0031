"""Where the time goes: seconds by room of the house, and processor time of a piece of work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from sim.board.kernel import Kernel
from sim.board.survey import Survey
from sim.ensemble.dice import RandomDice
from sim.ensemble.frames import Frame
from sim.ensemble.lanes import Ensemble

ROOMS: dict[str, tuple[tuple[type[Any], str], ...]] = {
    "geometry": ((Kernel, "__call__"), (Survey, "_ask"), (Survey, "retreat")),
    "dice": ((RandomDice, "ask"),),
    "lanes": (
        (Frame, "__init__"),
        (Frame, "close"),
        (Frame, "cases"),
        (Ensemble, "fork"),
        (Ensemble, "keep"),
    ),
}
"""What belongs to which share; all else are rules."""


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


@contextmanager
def shares(house: Mapping[str, Sequence[tuple[type[Any], str]]] = ROOMS) -> Iterator[dict[str, float]]:
    """Seconds spent in each room within, without what one room spends in another."""
    spent, inside = dict.fromkeys(house, 0.0), [0.0]
    with pytest.MonkeyPatch.context() as patch:
        for room, methods in house.items():
            for owner, name in methods:
                patch.setattr(owner, name, _timed(getattr(owner, name), room, spent, inside))
        yield spent


def _timed(
    method: Callable[..., Any], room: str, spent: dict[str, float], inside: list[float]
) -> Callable[..., Any]:
    def timed(*arguments: Any, **named: Any) -> Any:
        start = time.process_time()
        inside.append(0.0)
        try:
            return method(*arguments, **named)
        finally:
            took = time.process_time() - start
            spent[room] += took - inside.pop()
            inside[-1] += took

    return timed
