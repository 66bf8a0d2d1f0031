"""A signal: units wait for it, each with a rank, and are called one by one in that order.

A waiter says `with (yield signal.wait(rank)) as what:`; leaving the block is its answer. The next one is
called when it has answered.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from types import TracebackType
from typing import Generic, TypeVar

import simpy

from sim.battle.clock import Process

T = TypeVar("T")


class OrderOfPlayError(AssertionError):
    """Somebody was called and never answered, answered twice, or acted when it was not its turn: a fault of
    the battle, not of a user."""


class Call(Generic[T]):
    """One waiter's turn.

    Parameters
    ----------
    signal
        The signal that calls.
    rank
        Whom it calls.
    what
        What it is called for.
    """

    def __init__(self, signal: Signal[T], rank: int, what: T) -> None:
        self.signal, self.rank, self.what = signal, rank, what
        self.answer = signal.env.event()

    def __enter__(self) -> T:
        self.signal.begins(self)
        return self.what

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.signal.ends(self)


Waiter = Generator[simpy.Event, Call[T], None]
"""The process of a waiter: what it waits for is its call."""


class Signal(Generic[T]):
    """Calls its waiters in the order of their ranks.

    Parameters
    ----------
    env
        The timeline.
    who, told
        What a waiter is called in errors, before its rank, and what a call is for.
    once
        Whether a waiter is done when it has answered; if not, its process goes on as long as the battle.
    """

    def __init__(
        self,
        env: simpy.Environment,
        who: str = "waiter",
        told: Callable[[T], str] = str,
        once: bool = False,
    ) -> None:
        self.env, self.who, self.told, self.once = env, who, told, once
        self._waiting: dict[int, simpy.Event] = {}
        self._lives: dict[int, simpy.Process | None] = {}
        self._turn: Call[T] | None = None

    def wait(self, rank: int) -> simpy.Event:
        """The event that a rank is called; its value is the `Call`.

        Raises
        ------
        OrderOfPlayError
            If it waits already, or has not answered its last call.
        """
        if rank in self._waiting:
            raise OrderOfPlayError(f"{self.who} {rank} waits twice")
        if self._turn is not None and self._turn.rank == rank:
            raise OrderOfPlayError(f"{self.who} {rank} waits again before it has answered")
        process = self.env.active_process
        if process is not None and self._lives.get(rank) is not process:
            self._lives[rank] = process
            process.callbacks.append(lambda ended: self._ended(rank, ended))
        self._waiting[rank] = self.env.event()
        return self._waiting[rank]

    def call(self, what: T, ranks: Iterable[int]) -> Process:
        """Call waiters, each when the one before has answered; over when all have.

        `ranks` must rise, and is read as the turns come.

        Raises
        ------
        OrderOfPlayError
            If a rank is out of order, or nobody waits in it.
        """
        before = -1
        for rank in ranks:
            if rank <= before:
                raise OrderOfPlayError(f"{self.who} {rank} is called for {self.told(what)} after {before}")
            if self._turn is not None:
                raise OrderOfPlayError(f"{self.who} {rank} is called in the turn of {self._turn.rank}")
            if rank not in self._waiting:
                raise OrderOfPlayError(
                    f"{self.who} {rank} is called for {self.told(what)}, but does not wait"
                )
            self._turn, before = Call(self, rank, what), rank
            self._waiting.pop(rank).succeed(self._turn)
            yield self._turn.answer

    def begins(self, call: Call[T]) -> None:
        """A waiter begins its turn."""
        if call is not self._turn:
            raise OrderOfPlayError(f"{self.who} {call.rank} acts out of turn")

    def ends(self, call: Call[T]) -> None:
        """A waiter answers."""
        if call is not self._turn:
            raise OrderOfPlayError(f"{self.who} {call.rank} answers twice, or out of turn")
        self._turn = None
        call.answer.succeed()

    def check(self) -> None:
        """Raise `OrderOfPlayError` if somebody who was called has not answered."""
        if self._turn is not None:
            raise OrderOfPlayError(
                f"{self.who} {self._turn.rank} was called for {self.told(self._turn.what)} and never answered"
            )

    def _ended(self, rank: int, process: simpy.Event) -> None:
        """A waiter's process is over, killed or at its end, while it is still to be called."""
        answered = rank not in self._waiting and (self._turn is None or self._turn.rank != rank)
        if self.once and process.ok and answered:
            del self._lives[rank]
            return
        if process.ok or isinstance(process.value, simpy.Interrupt):
            process.defused = True
            raise OrderOfPlayError(f"the process of {self.who} {rank} has ended while the battle goes on")
