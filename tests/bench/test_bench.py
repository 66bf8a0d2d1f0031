"""Benchmarks: ratios and counts measured in one run, never a timed assertion on an absolute.

Run: python3 -m tests -m bench -s
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from itertools import compress
from pathlib import Path

import icepool
import numpy as np
import pytest

from sim.battle.setup import play as play_battle
from sim.ensemble.dice import Decision, ExhaustiveDice, RandomDice, stream
from sim.report import parquet
from sim.studies import ends
from sim.studies.batches import BATCH, exact_tallies, simulated, simulated_tallies
from sim.studies.odds import odds, responses_of, variants_of
from sim.studies.tally import Tally
from sim.units import scenarios
from sim.units.orders import Variant
from tests.agreement.charges import random_charge
from tests.agreement.counting import count
from tests.agreement.play import play
from tests.agreement.records import Table

pytestmark = pytest.mark.bench

RESPONSES = ("stand", "carre@4", "carre@2")


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best_of(count: int, work: Callable[[], object]) -> float:
    return min(timed(work) for _ in range(count))


@pytest.mark.parametrize("response", RESPONSES)
def test_a_simulated_charge_is_at_least_forty_times_the_rate_of_the_scalar_play(response: str) -> None:
    """The scalar play gets its dice from a table made beforehand; both play the default charge to the end of
    the half."""
    charge = scenarios.load(scenarios.DEFAULT)
    slow_runs, fast_runs = 400, 240_000
    table = Table(1, 0, slow_runs)
    for run in range(slow_runs):
        play(charge, response, table.for_run(run))
    slow = timed(lambda: [play(charge, response, table.for_run(run)) for run in range(slow_runs)]) / slow_runs
    simulated_tallies(charge, variants_of(charge.attacks[0], [response]), BATCH, 1)
    fast = (
        timed(lambda: simulated_tallies(charge, variants_of(charge.attacks[0], [response]), fast_runs, 1))
        / fast_runs
    )
    print(
        f"\n{response}: {1 / fast:,.0f} charges a second, scalar play {1 / slow:,.0f}, ratio "
        f"{slow / fast:,.0f}"
    )
    assert slow / fast >= 40


@pytest.mark.parametrize("response", RESPONSES)
def test_a_million_runs_take_at_most_fifteen_times_their_dice(response: str) -> None:
    """As many rolls as the engine asked of the streams, from the same streams, turned into faces and nothing
    else."""
    charge = scenarios.load(scenarios.DEFAULT)
    runs, variants = 1_000_000, variants_of(charge.attacks[0], [response])
    decisions: list[tuple[Decision, int, int]] = []
    asked = 0

    def simulate() -> None:
        nonlocal asked
        decisions.clear()
        asked = 0
        for first in range(0, runs, BATCH):
            dice = RandomDice(1, first, min(BATCH, runs - first))
            play_battle(charge, dice, [(variant,) for variant in variants])
            asked += dice.used
            decisions.extend((decision, first, dice.runs) for decision in dice.decisions)

    simulate()
    whole = timed(simulate)
    dice_alone = timed(
        lambda: [(stream(1, decision, first, n) * 36).astype("int8") for decision, first, n in decisions]
    )
    words = sum(n for _, _, n in decisions)
    strict = dice_alone * asked / words
    print(
        f"\n{response}: {runs / whole:,.0f} charges a second; {words / runs:.1f} words drawn and "
        f"{asked / runs:.1f} rolls used a charge;"
        f" {whole / dice_alone:.1f} times the streams drawn, {whole / strict:.1f} times the rolls used"
    )
    assert whole / dice_alone <= 15


def test_memory_does_not_grow_with_the_number_of_runs() -> None:
    charge = scenarios.load(scenarios.DEFAULT)
    variants = variants_of(charge.attacks[0], ["stand"])
    peaks = []
    for runs in (2 * BATCH, 8 * BATCH):
        tracemalloc.start()
        simulated_tallies(charge, variants, runs, 1)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    print(
        f"\npeak memory: {peaks[0] / 1e6:.1f} MB for {2 * BATCH:,} runs, {peaks[1] / 1e6:.1f} MB "
        f"for {8 * BATCH:,}"
    )
    assert peaks[1] < 1.25 * peaks[0]


def test_memory_of_written_runs_does_not_grow_with_their_number(tmp_path: Path) -> None:
    """Of Python and NumPy, and of Arrow, which has its own."""
    import pyarrow as pa

    charge = scenarios.load(scenarios.DEFAULT)
    pool = pa.default_memory_pool()
    parquet.write(tmp_path / "few.parquet", odds(charge, "stand", "mc", 1_000).each_run(), {})
    peaks = []
    for runs in (2 * BATCH, 8 * BATCH):
        found = odds(charge, "stand", "mc", runs)
        tracemalloc.start()
        parquet.write(tmp_path / "many.parquet", found.each_run(), {})
        peaks.append(tracemalloc.get_traced_memory()[1] + pool.max_memory())
        tracemalloc.stop()
    print(
        f"\npeak memory of written runs: {peaks[0] / 1e6:.1f} MB for {2 * BATCH:,} runs,"
        f" {peaks[1] / 1e6:.1f} MB for {8 * BATCH:,}"
    )
    assert peaks[1] < 1.25 * peaks[0]


@pytest.mark.parametrize("response", RESPONSES)
def test_frames_of_runs_take_less_than_as_long_again_as_to_play_them(response: str) -> None:
    """A row a run; a weighted frame and the tallies, a row each different end, cost next to nothing."""
    charge = scenarios.load(scenarios.DEFAULT)
    runs = 4 * BATCH
    found = odds(charge, response, "mc", runs)
    variants = variants_of(charge.attacks[0], [response])
    played = best_of(3, lambda: list(simulated(charge, variants, runs, 1)))
    tallied = best_of(3, lambda: simulated_tallies(charge, variants, runs, 1))
    framed = best_of(3, lambda: [len(frame) for frame in found.each_run()])
    print(
        f"\n{response}: {runs:,} runs played in {played:.2f} s, with tallies {tallied / played:.2f} times,"
        f" with frames {framed / played:.2f} times as long"
    )
    assert tallied < 1.3 * played
    assert framed < 2 * played


def test_weighted_ends_are_added_up_as_integers() -> None:
    """The ends of the largest random charge against a sum of fractions, lane by lane, for success alone."""
    charge = random_charge(126)
    dice = ExhaustiveDice()
    variants = [(variant,) for variant in variants_of(charge.attacks[0], responses_of(charge.attacks[0]))]
    lanes = ends.ends(play_battle(charge, dice, variants))
    (numerators, whole), weights = dice.weights(), dice.fractions()
    parts = np.array(numerators, object)
    hits = ends.happened(lanes, "charge succeeds")
    tally = Tally.of_parts(lanes, parts, whole)
    all_events = best_of(3, lambda: Tally.of_parts(lanes, parts, whole).events)
    one_event = timed(lambda: sum(compress(weights, hits), Fraction(0)))
    print(
        f"\n{len(lanes):,} lanes, {len(tally.codes)} different ends:"
        f" {1000 * all_events:.1f} ms for all events,"
        f" fractions lane by lane {1000 * one_event:.0f} ms for one, ratio {one_event / all_events:.0f}"
    )
    assert tally.weight(ends.happened(tally.codes, "charge succeeds")) == sum(compress(weights, hits))
    assert one_event > 3 * all_events


def test_exact_odds_beside_icepool() -> None:
    """All responses of the default charge, and the carré, stand and recall part computed with icepool."""
    charge = scenarios.load(scenarios.DEFAULT)
    odds(charge)
    whole = best_of(5, lambda: odds(charge))
    lanes = ExhaustiveDice()
    exact_tallies(charge, variants_of(charge.attacks[0], responses_of(charge.attacks[0])), lanes)

    def front() -> dict[str, Fraction]:
        d66 = icepool.d(36)
        carre = d66.map(lambda roll: "formed" if roll <= 17 else "disordered" if roll <= 30 else "routed")
        stand = (d66 > 18).map({True: "halted", False: "routed"})
        recall = (icepool.d6 >= 3).map({True: "recalled", False: "not recalled"})
        pairs = [
            carre.map(
                lambda name: (
                    icepool.tupleize(name, recall) if name == "routed" else icepool.tupleize(name, "")
                )
            ),
            stand,
        ]
        return {
            str(key): value for key, value in zip(pairs[0].outcomes(), pairs[0].probabilities(), strict=True)
        }

    front()
    part = best_of(5, front)
    print(f"\nexact: {1000 * whole:.0f} ms for all responses, {len(lanes.fractions())} lanes at the end")
    print(f"icepool, carré, stand and recall alone: {1000 * part:.1f} ms")
    assert sum(front().values()) == 1


def test_lanes_of_the_default_charge() -> None:
    """As many lanes are left as the charge has different ends, no two of them alike: the scalar play counts
    them."""
    charge = scenarios.load(scenarios.DEFAULT)
    dice = ExhaustiveDice()
    forces = play_battle(charge, dice, [(Variant.of(charge.attacks[0], "stand"),)]).forces
    ways = count(charge, "stand")
    ends = {
        (*record.units.items(), fate.bounced, fate.worst, fate.success, fate.recovered)
        for _, record in ways
        for fate in record.charges
    }
    print(f"\nstand: {forces.ensemble.n} lanes at the end, {len(ways)} ways to {len(ends)} ends")
    assert forces.ensemble.n == len(ends)
