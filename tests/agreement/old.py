"""The names of decisions by which the engine in sim/old draws its rolls: goes with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sim.units.charges import Leader
from tests.agreement.play.pieces import Piece
from tests.agreement.play.run import Run


def ask(run: Run, kind: str, about: Piece | Leader, meanings: Sequence[Any], repeatable: bool = False) -> Any:
    """As `Run.ask`, under a name that holds the ids."""
    ids = about.id
    if kind == "melee":
        assert run.attack.lead is not None
        ids = f"{run.attack.lead.id}>{about.id}"
    name: Any = f"1.1.{run.segment}/{kind}/{ids}"
    run.times[name] = times = run.times.get(name, 0) + 1
    if times > 1:
        assert repeatable, f"{name} is asked a second time"
        name = f"{name}#{times}"
    run.decisions.append(name)
    return meanings[run.roll(name, meanings)]


@contextmanager
def names() -> Iterator[None]:
    """Within, the scalar play asks under these names."""
    new = Run.ask
    setattr(Run, "ask", ask)  # noqa: B010
    try:
        yield
    finally:
        setattr(Run, "ask", new)  # noqa: B010
