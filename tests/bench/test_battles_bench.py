"""Whole battles: how many a second on one core, where the time goes, and how it grows; ratios in one run.

Processor time, so that a busy machine says much the same; but for two workers, which need two idle cores.
Run: python3 -m tests -m bench -s
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sim.battle.clock import Timeline
from sim.battle.players import Player
from sim.doctrine.styled import Styled
from sim.studies.engine import play, set_up
from sim.studies.run import BATCH, run
from sim.units import battlefiles
from sim.units.battles import Scenario
from tests.bench.rooms import ROOMS, seconds, shares

pytestmark = pytest.mark.bench

ALONE = 4
"""Runs played one by one, for the ratio."""
EACH = 200
"""Runs of every scenario."""
DECIDING = {
    "doctrine": tuple(
        (Styled, name) for name, one in vars(Player).items() if callable(one) and not name.startswith("_")
    )
}
"""What players are asked, with all that they ask the board meanwhile."""


@pytest.fixture(scope="module")
def halle() -> Scenario:
    """Halle, its kernels compiled or loaded."""
    found = battlefiles.load("halle-1806")
    play(found, 1, 0, 2)
    return found


@contextmanager
def by_segment() -> Iterator[dict[str, float]]:
    """Seconds spent within, by segment; the command step counts for the charges after it."""
    spent: dict[str, float] = {}
    plain = Timeline.step

    def step(self: Timeline) -> None:
        start = time.process_time()
        plain(self)
        segment = self.segment.word  # the event that ends a segment begins the next one
        spent[segment] = spent.get(segment, 0.0) + time.process_time() - start

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Timeline, "step", step)
        yield spent


def percent(parts: dict[str, float]) -> str:
    whole = sum(parts.values())
    return ", ".join(f"{name} {100 * part / whole:.0f} %" for name, part in parts.items())


def test_a_batch_is_at_least_a_hundred_times_one_run_an_environment(halle: Scenario) -> None:
    alone = seconds(lambda: [play(halle, 1, number, 1) for number in range(ALONE)]) / ALONE
    with by_segment() as segments:
        together = seconds(lambda: play(halle, 1, 0, BATCH)) / BATCH
    with shares() as rooms:
        battle = set_up(halle, 1, 0, BATCH)
        rooms.update(dict.fromkeys(ROOMS, 0.0))
        whole = seconds(battle.run)
    rooms["rules"] = whole - sum(rooms.values())
    print(
        f"\nHalle, {BATCH:,} lanes: {1 / together:,.0f} battles a second on one core, "
        f"{battle.clock.events:,} events a batch; a run alone {alone:.2f} s, ratio {alone / together:,.0f}"
    )
    print(f"by segment: {percent(segments)}")
    print(f"by room: {percent(rooms)}")
    assert alone / together >= 100


def test_every_scenario_spends_less_than_a_third_on_decisions() -> None:
    """A table: battles a second of each scenario that comes with Carré, and the doctrine's share."""
    width = max(map(len, battlefiles.names()))
    found = {}
    print(f"\n{'scenario':{width}}   units   turns   battles/s   doctrine")
    for name in battlefiles.names():
        one = battlefiles.load(name)
        play(one, 1, 0, 2)
        rate = EACH / seconds(lambda one=one: play(one, 1, 0, EACH))  # type: ignore[misc]
        with shares(DECIDING) as spent:
            whole = seconds(lambda one=one: play(one, 1, 0, EACH))  # type: ignore[misc]
        found[name] = spent["doctrine"] / whole
        told = f"{name:{width}}   {len(one.units):5}   {one.calendar.turns:5}   {rate:9,.0f}"
        print(f"{told}   {100 * found[name]:6.0f} %")
    assert all(0 < part < 1 / 3 for part in found.values())


def test_time_grows_with_the_runs_and_memory_does_not() -> None:
    """Batches of 1,000 of the smallest scenario."""
    small = battlefiles.load("raszyn-pontoon-1809", ["turns.to=19:20"])
    play(small, 1, 0, 2)
    times, peaks = [], []
    tracemalloc.start()  # what is kept from batch to batch is there before it is measured
    run(small, 2_000, 1, size=1_000, each=lambda _: None)
    tracemalloc.stop()
    print("\n   runs   seconds   battles/s   peak MB")
    for runs in (1_000, 2_000, 4_000):
        took = seconds(lambda runs=runs: run(small, runs, 1, size=1_000, each=lambda _: None))  # type: ignore[misc]
        tracemalloc.start()
        run(small, runs, 1, size=1_000, each=lambda _: None)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        times.append(took)
        print(f"{runs:7,}   {took:7.1f}   {runs / took:9,.0f}   {peaks[-1] / 1e6:7.1f}")
    assert times[-1] < 1.25 * 4 * times[0]
    assert peaks[-1] < 1.25 * peaks[0]


def test_time_with_the_number_of_units(tmp_path: Path) -> None:
    """Battalions in line of battle on the mirror's map, as many on either side; only a table, and no worse
    than the square of their number."""
    rates = {}
    print("\n  units   battles/s   ms a unit")
    for units in (10, 20, 40, 80):
        found = fielded(units, tmp_path)
        play(found, 1, 0, 2)
        rates[units] = 1_000 / seconds(lambda found=found: play(found, 1, 0, 1_000))  # type: ignore[misc]
        print(f"{units:7}   {rates[units]:9,.0f}   {1000 / rates[units] / units:9.3f}")
    assert rates[10] / rates[80] <= 8**2


def fielded(units: int, folder: Path) -> Scenario:
    """A scenario of so many battalions: two hours on the mirror's map."""
    half = units // 2
    names = ("West", "East")
    head = "side,organisation,unit,arm,nation,type,count,inc,fire,melee,morale,mp\n"
    roster = folder / f"{units}.csv"
    rows = [f"{one},{one},{one} #,infantry,French,Ligne,{half},8,6,19,25,8\n" for one in names]
    roster.write_text("# ruleset: halle-1806\n" + head + "".join(rows), encoding="utf-8")
    sheet = battlefiles.load("mirror").sheet
    map_, grid = sheet.map, sheet.grid
    clear = [map_.hex(number) for number in range(map_.off)]
    free = [hex_ for hex_ in clear if hex_ is not None and map_.terrain.get(hex_, "clear") == "clear"]
    places = {
        "West": [grid.label(one) for one in free if 3 <= grid.column_row(one)[0] <= 7],
        "East": [grid.label(one) for one in reversed(free) if 16 <= grid.column_row(one)[0] <= 20],
    }
    stand = "\n".join(
        f"  - {{who: {one}, at: [{', '.join(repr(place) for place in _spread(places[one], half))}], "
        f"facing: {facing}}}"
        for one, facing in (("West", "[SE, NE]"), ("East", "[NW, SW]"))
    )
    path = folder / f"{units}.yaml"
    path.write_text(
        f"""title: {units} battalions
synthetic: true
ruleset: halle-1806
map: mirror
rosters: {roster.name}
turns: {{from: 9:00, to: 11:00}}
sides:
  - {{name: West, home: NW}}
  - {{name: East, home: SE}}
placement:
{stand}
orders:
  - {{who: West, order: take, goal: Centre}}
  - {{who: East, order: take, goal: Centre}}
victory:
  - {{result: West, winner: West, when: {{balance: West, at_least: 1}}}}
  - {{result: East, winner: East, when: {{balance: East, at_least: 1}}}}
  - {{result: draw}}
""",
        encoding="utf-8",
    )
    return battlefiles.load(path)


def _spread(places: list[str], number: int) -> list[str]:
    """So many of the places, as even as can be."""
    return [places[n * len(places) // number] for n in range(number)]


def test_two_workers_are_almost_twice_one(halle: Scenario) -> None:
    """By the clock: on two cores that nothing else uses. What a worker needs to start is left out: the
    difference between more work and less, in batches of one size."""
    once = battlefiles.load("raszyn-pontoon-1809")
    play(once, 1, 0, 2)

    def clock(workers: int, runs: int) -> float:
        start = time.perf_counter()
        run(once, runs, 1, workers, size=2_000, each=lambda _: None)
        return time.perf_counter() - start

    one = clock(1, 16_000) - clock(1, 4_000)
    two = clock(2, 16_000) - clock(2, 4_000)
    print(
        f"\n12,000 battles more, in six batches: one worker {one:.1f} s, two {two:.1f} s, "
        f"ratio {one / two:.2f}"
    )
    assert one / two >= 1.8
