"""The turn clock, and the signal that calls units in rank order and complains when one does not play its
part."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
import simpy

from sim.battle.clock import Process, Timeline
from sim.battle.signal import Call, OrderOfPlayError, Signal, Waiter


def waiter(signal: Signal[str], rank: int, acted: list[int], turns: int = 99) -> Waiter[str]:
    for _ in range(turns):
        with (yield signal.wait(rank)):
            acted.append(rank)


def called(ranks: Iterable[int], waiters: Iterable[int] = (0, 1, 2)) -> tuple[list[int], Timeline]:
    """Who acted, when waiters were called by these ranks."""
    env, acted = Timeline(), list[int]()
    signal = Signal[str](env, "unit")
    for rank in waiters:
        env.process(waiter(signal, rank, acted))
    env.run(env.process(signal.call("melee", ranks)))
    return acted, env


def test_waiters_act_in_the_order_of_their_ranks_however_they_began_to_wait() -> None:
    assert called((0, 2), waiters=(2, 1, 0))[0] == [0, 2]


def test_a_call_costs_two_events() -> None:
    assert called((0, 1, 2))[1].events - called((0, 1))[1].events == 2


def test_ranks_are_read_as_their_turns_come() -> None:
    env, acted = Timeline(), list[int]()
    signal = Signal[str](env, "unit")
    for rank in range(3):
        env.process(waiter(signal, rank, acted))
    env.run(env.process(signal.call("recovery", (rank for rank in range(3) if len(acted) < 2))))
    assert acted == [0, 1]


def test_a_waiter_called_in_the_wrong_order_is_refused() -> None:
    with pytest.raises(OrderOfPlayError, match="unit 1 is called for melee after 2"):
        called((0, 2, 1))


def test_a_rank_that_nobody_waits_in_is_refused() -> None:
    with pytest.raises(OrderOfPlayError, match="unit 3 is called for melee, but does not wait"):
        called((0, 3))


def test_a_waiter_that_acts_out_of_turn_is_refused() -> None:
    env = Timeline()
    signal = Signal[str](env, "unit")

    def forged() -> Process:
        with Call(signal, 1, "melee"):
            yield env.timeout(1)

    env.process(forged())
    with pytest.raises(OrderOfPlayError, match="unit 1 acts out of turn"):
        env.run()


def test_a_waiter_that_answers_twice_is_refused() -> None:
    env = Timeline()
    signal = Signal[str](env, "unit")

    def hasty() -> Waiter[str]:
        call = yield signal.wait(0)
        with call:
            call.__exit__(None, None, None)

    env.process(hasty())
    with pytest.raises(OrderOfPlayError, match="unit 0 answers twice"):
        env.run(env.process(signal.call("melee", (0,))))


def test_a_waiter_that_never_answers_is_named() -> None:
    env = Timeline()
    signal = Signal[str](env, "unit")

    def silent() -> Waiter[str]:
        with (yield signal.wait(0)):
            yield env.event()

    env.process(silent())
    with pytest.raises(RuntimeError, match="No scheduled events"):
        env.run(env.process(signal.call("melee", (0,))))
    with pytest.raises(OrderOfPlayError, match="unit 0 was called for melee and never answered"):
        signal.check()


@pytest.mark.parametrize("killed", [True, False], ids=["killed", "at its end"])
def test_a_waiter_whose_process_has_ended_is_named(killed: bool) -> None:
    env, acted = Timeline(), list[int]()
    signal = Signal[str](env, "unit")
    env.process(waiter(signal, 0, acted))
    life = env.process(waiter(signal, 1, acted, turns=99 if killed else 1))

    def killer() -> Process:
        yield env.timeout(1)
        if killed:
            life.interrupt()
        yield from signal.call("melee", (0, 1))

    with pytest.raises(OrderOfPlayError, match="the process of unit 1 has ended while the battle goes on"):
        env.run(env.process(killer()))


def test_a_waiter_that_waits_again_before_it_has_answered_is_refused() -> None:
    env = Timeline()
    signal = Signal[str](env, "unit")

    def greedy() -> Waiter[str]:
        with (yield signal.wait(0)):
            yield signal.wait(0)

    env.process(greedy())
    with pytest.raises(OrderOfPlayError, match="unit 0 waits again before it has answered"):
        env.run(env.process(signal.call("melee", (0,))))


def test_errors_of_a_waiter_come_out_as_they_are() -> None:
    env = Timeline()
    signal = Signal[str](env, "unit")

    def faulty() -> Waiter[str]:
        with (yield signal.wait(0)):
            raise ValueError("a fault of its own")

    env.process(faulty())
    with pytest.raises(ValueError, match="a fault of its own"):
        env.run(env.process(signal.call("melee", (0,))))


def test_the_clock_tells_turn_half_and_segment_whatever_steps_were_made() -> None:
    clock, told = Timeline(), list[str]()

    def chronology() -> Process:
        for steps in range(14):
            for _ in range(steps):
                yield clock.timeout(2**-12)
            told.append(clock.moment)
            yield clock.end_of_segment()

    clock.run(clock.process(chronology()))
    assert told[0] == "1.1.charge"
    assert told[4] == "1.1.melee"
    assert told[5:7] == ["1.1.recovery", "1.2.charge"]
    assert told[12:] == ["2.1.charge", "2.1.movement"]
    assert clock.now == 14
    assert isinstance(clock, simpy.Environment)
