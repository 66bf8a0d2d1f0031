"""What the program remembers of one charge never enters the odds of another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sim.board.hexmap import HexMap, Rhombus
from sim.board.survey import memories
from sim.studies.odds import odds
from sim.units import scenarios
from sim.units.charges import Charge
from tests.agreement.charges import random_charge

PAIRS = 150
RUNS = 50
MEMO = """ruleset: prusse-1806
charger: {nation: French, type: Dragoon, movement: 12, increments: 8, melee: 30, morale: 22}
target: {nation: Prussian, type: Musketeer, increments: 7, fire: 5, melee: 36, morale: 31}
neighbours:
 - {nation: Prussian, type: Musketeer, increments: 6, fire: 5, melee: 14, morale: 31, at: front-left}
 - {nation: Prussian, type: Musketeer, increments: 6, fire: 5, melee: 14, morale: 31, at: front-right}
distance: 6
"""


def on_other_ground(charge: Charge, rng: Random) -> Charge:
    """The same charge with other terrain and hexsides along its way."""
    rules = charge.ruleset.merged
    names = {
        kind: [name for name, one in rules[kind].items() if isinstance(one, dict)]
        for kind in ("terrain", "hexsides")
    }
    ground: list[tuple[int, str | None, str | None]] = []
    for step in range(1, len(charge.path) + 1):
        if rng.random() < 0.3:
            ground.append((step, rng.choice(names["terrain"]), None))
        if rng.random() < 0.5:
            ground.append((step, None, rng.choice(names["hexsides"])))
    way = replace(charge.attacks[0], ground=tuple(ground), crosses=rng.choice(["none", *names["hexsides"]]))
    return replace(charge, attacks=(way,))


def answer(charge: Charge) -> list[Any]:
    """Everything that the odds of a charge tell, by response."""
    return [(row.tally.events, row.tally.losses) for row in odds(charge, method="mc", runs=RUNS).rows]


def forget() -> None:
    """Know of no position on any ground."""
    memories.cache_clear()


def alone(charge: Charge) -> list[Any]:
    """The answer of a program that knows of no other charge."""
    forget()
    return answer(charge)


def test_charges_on_different_ground_have_the_same_odds_alone_and_one_after_the_other_in_either_order() -> (
    None
):
    for index in range(PAIRS):
        rng = Random(index)
        first = random_charge(index)
        second = on_other_ground(first, rng) if index % 5 else random_charge(index + PAIRS)
        expected = [alone(first), alone(second)]
        for order in ((0, 1), (1, 0)):
            forget()
            found = {one: answer((first, second)[one]) for one in order}
            assert [found[0], found[1]] == expected, f"random charge {index}, order {order}"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_stream_behind_the_charger_counts_though_the_same_charge_was_just_played_on_open_ground(
    order: tuple[int, int], tmp_path: Path
) -> None:
    path = tmp_path / "memo.yaml"
    path.write_text(MEMO, encoding="utf-8")
    open_ground, stream = scenarios.load(path), scenarios.load(path, ["ground=[{step: 5, hexside: stream}]"])
    expected = [odds(one, "stand", "exact").rows[0].tally for one in (open_ground, stream)]
    forget()
    found = {one: odds((open_ground, stream)[one], "stand", "exact").rows[0].tally for one in order}
    assert [found[0].events, found[1].events] == [one.events for one in expected]
    assert float(expected[1].mean_loss("charger")) == pytest.approx(0.96, abs=0.005)
    assert float(expected[1].p("charger routed")) == pytest.approx(0.289, abs=0.0005)


def test_a_map_is_complete_when_it_is_made() -> None:
    map_ = HexMap(Rhombus(3), {(0, 0): "woods"})
    with pytest.raises(TypeError):
        map_.terrain[(1, 0)] = "woods"  # type: ignore[index]
