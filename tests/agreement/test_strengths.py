"""What an explained run lists of strengths and modifiers makes what it applied, on random charges (invariant 8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sim.battle.setup import play
from sim.combat.told import Rolled
from sim.ensemble.dice import RandomDice
from sim.report.narration import explain
from sim.rules.strengths import telling, total
from sim.rulesets.rulebook import ratio_of, rulebook
from sim.studies.odds import responses_of
from sim.units.charges import Charge
from sim.units.orders import Variant
from sim.units.record import Recorder
from tests.agreement.charges import random_charge


def told(charge: Charge, run: int) -> Iterator[tuple[Rolled, dict[str, Any]]]:
    """The rolls of a run, each with the step as it is told."""
    recorder, response = (
        Recorder(),
        responses_of(charge.attacks[0])[run % len(responses_of(charge.attacks[0]))],
    )
    play(charge, RandomDice(5, run, 1), [(Variant.of(charge.attacks[0], response),)], recorder)
    steps = explain(charge, response, run, 5)["steps"]
    rolls = [entry.event for entry in recorder.entries if isinstance(entry.event, Rolled)]
    yield from zip(rolls, (step for step in steps if "roll" in step), strict=True)


def column_of(columns: Sequence[str], attack: Fraction, defence: Fraction) -> int:
    """The last column not above the odds, by the definition; below all of them the first, without a defence the last."""
    if not defence:
        return len(columns) - 1
    fitting = [
        k for k, name in enumerate(columns) if attack * ratio_of(name)[1] >= defence * ratio_of(name)[0]
    ]
    return fitting[-1] if fitting else 0


@pytest.mark.parametrize("first", range(0, 120, 15))
def test_listed_strengths_give_the_column_and_listed_modifiers_the_result(first: int) -> None:
    for index in range(first, first + 15):
        charge = random_charge(index)
        book = rulebook(charge.ruleset, charge.switches)
        charts = {
            "fire": (book.fire_chart, book.fire_columns),
            "melee": (book.melee_chart, book.melee_columns),
        }
        for entry, step in (one for run in range(2) for one in told(charge, run)):
            shift = np.array([sum(one["value"] for one in step["modifiers"])])
            if step["text"].startswith("must beat "):
                needed = int(step["text"].split()[2].strip(","))
                assert step["result"] == ("pass" if step["modified"] > needed else "fail")
            if entry.strengths is None:
                continue
            chart, columns = charts.get(
                entry.chart,
                (
                    None,
                    sorted(
                        book.ruleset.merged["premelee"]["columns"],
                        key=lambda name: Fraction(*ratio_of(name)),
                    ),
                ),
            )
            column = (
                column_of(columns, entry.strengths.total("attack"), entry.strengths.total("defence"))
                + entry.strengths.shift[0]
            )
            column = min(column, len(columns) - 1)
            assert entry.strengths.column == columns[column] == step["strengths"]["column"]
            if chart is not None:
                outcome = chart.rows(np.array([column]), shift)[0][entry.roll] % len(chart.outcomes)
                assert str(chart.outcomes[outcome]) == step["result"]
            for side in ("attack", "defence"):
                shares = step["strengths"][side]["shares"]
                assert sum(Fraction(one["value"]) for one in shares) == Fraction(
                    step["strengths"][side]["value"]
                )
                for one, share in zip(shares, getattr(entry.strengths, side), strict=True):
                    assert Fraction(one["value"]) == total(telling(share.factors)) == total(share.factors)
                    assert [Fraction(factor["amount"]) for factor in one["factors"]] == [
                        factor.amount for factor in telling(share.factors)
                    ]
