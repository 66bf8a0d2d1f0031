"""One charge among forty units, 4,000 lanes that all differ: ratios and shares in one run.

Processor time, so that a busy machine says much the same. Run: python3 -m tests -m bench -s
"""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from sim.battle.battle import Battle
from sim.battle.filed import FromFile
from sim.units.orders import Variant, orders
from tests.agreement.forty import forty, half_of, placing, play_placed
from tests.agreement.records import Table
from tests.bench.rooms import ROOMS, seconds, shares

pytestmark = pytest.mark.bench

LANES, SCALAR, SEED = 4_000, 150, 7


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Kernels are compiled, or loaded, and every run is placed."""
    ready().run()


def ready() -> Battle:
    """The half, everybody placed."""
    return half_of("stand", SEED, 0, LANES)


def test_a_lane_costs_at_most_a_hundredth_of_the_scalar_play() -> None:
    table = Table(SEED, 0, SCALAR)

    def scalar() -> None:
        for run in range(SCALAR):
            play_placed(placing(run), "stand", table.for_run(run))

    scalar()
    fast, slow = [], []
    for _ in range(5):
        slow.append(seconds(scalar) / SCALAR)
        fast += [seconds(ready().run) / LANES for _ in range(6)]
    ratio = min(slow) / min(fast)
    print(
        f"\nforty units: {1000 * min(fast):.3f} ms a lane, the scalar play {1000 * min(slow):.1f}, ratio "
        f"{ratio:.0f}"
    )
    with shares() as spent:
        half = ready()
        spent.update(dict.fromkeys(ROOMS, 0.0))
        whole = seconds(half.run)
    spent["rules"] = whole - sum(spent.values())
    print("shares: " + ", ".join(f"{room} {100 * part / whole:.0f} %" for room, part in spent.items()))
    assert ratio >= 100


def test_the_state_proper_is_at_most_a_kilobyte_a_lane() -> None:
    half = ready()
    proper = sum(rows.shape[1] for rows in half.play.forces.bytes())
    whole = sum(rows.shape[1] for frame in half.play.ensemble.frames for rows in frame.bytes())
    print(
        f"\nforty units: state proper {proper} bytes a lane, with the half's and the charge's frames {whole}"
    )
    assert proper <= 1000


def test_memory_is_flat_over_a_hundred_charges() -> None:
    """One after the other in one battle: a charge's memory is dropped with it, no position is remembered."""
    half, order = ready(), forty()
    play, held = half.play, []
    given = orders(order, [(Variant.of(order.attacks[0], "stand"),)], half.play.book)
    tracemalloc.start()
    for number in range(1, 101):
        players = FromFile(play, 0, given), FromFile(play, 1, given)
        half = Battle(play, players, order.phasing, halves=1)
        half.run()
        half.half.close()
        if number in (10, 100):
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    print(f"\nheld after ten charges {held[0] / 1e6:.2f} MB, after a hundred {held[1] / 1e6:.2f} MB")
    assert held[1] - held[0] < 100_000
