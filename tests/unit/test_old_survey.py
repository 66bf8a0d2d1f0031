"""How a batch asks the board: interpreted and remembered, or compiled, with the same answers."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sim.board.kernel import Mode, fast_mode
from sim.old import survey
from sim.old.dice import ExhaustiveDice
from sim.old.engine import Battle
from sim.old.forces import Forces
from sim.old.setup import prepare
from sim.studies.batches import exact_tallies
from sim.studies.odds import responses_of, variants_of
from sim.units import scenarios
from sim.units.charges import Charge
from tests.agreement.charges import random_charge

CROWDED = 15
"""A random charge whose exact odds come by many positions."""


def forces_after(charge: Charge) -> Forces:
    """The lanes of the exact odds of a charge."""
    forces, orders = prepare(charge, variants_of(charge, responses_of(charge)))
    Battle(forces, ExhaustiveDice(), orders).run()
    return forces


def test_a_batch_with_many_positions_goes_over_to_compiled_kernels_and_its_odds_stay_equal_as_fractions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for index in range(CROWDED, CROWDED + 5):
        charge = random_charge(index)
        variants = variants_of(charge, responses_of(charge))
        survey.memories.cache_clear()
        told, _ = exact_tallies(charge, variants, ExhaustiveDice())
        for most in (0, 10):
            survey.memories.cache_clear()
            with monkeypatch.context() as patch:
                patch.setattr(survey, "MANY", most)
                assert forces_after(charge).survey.mode is fast_mode()
                again, _ = exact_tallies(charge, variants, ExhaustiveDice())
            assert [(one.events, one.losses) for one in again] == [(one.events, one.losses) for one in told]


def test_the_default_charge_stays_interpreted_and_works_out_each_position_once() -> None:
    charge = scenarios.load(scenarios.DEFAULT)
    survey.memories.cache_clear()
    first, second = forces_after(charge), forces_after(charge)
    assert (first.survey.mode, second.survey.mode) == (Mode.INTERPRETED, Mode.INTERPRETED)
    assert 0 < first.survey.worked_out < 500
    assert second.survey.worked_out == 0


def test_a_ground_remembers_no_more_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    charge = scenarios.load(scenarios.DEFAULT)
    survey.memories.cache_clear()
    monkeypatch.setattr(survey, "MOST_REMEMBERED", 3)
    forces = forces_after(charge)
    known = {name: len(memory.numbers) for name, memory in forces.survey.memories.items()}
    assert forces.survey.worked_out > 2 * sum(known.values())


@pytest.mark.parametrize("words", ["['--help']", "['chart', 'carre', '--help']", "['odds']", "['explain']"])
def test_the_default_charge_charts_and_help_load_no_compiler(words: str) -> None:
    told = (
        f"import sys; from sim.cli import main\ntry: main({words})\nexcept SystemExit: "
        "pass\nprint('numba' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stderr.split()[-1] == "False"
