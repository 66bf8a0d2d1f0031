"""What is best for the defender, by each aim (0-decisions 3)."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

from sim.cli import main
from sim.errors import InputError
from sim.inputs import documents
from sim.report import tables
from sim.studies.compare import compare
from sim.studies.measures import AIMS, EVENTS, best_of, rivals, worth
from sim.studies.odds import odds
from sim.studies.sweep import parse_axis, sweep
from sim.studies.tally import Tally
from sim.units import scenarios
from sim.units.charges import Charge
from sim.units.orders import square_plans

CLOSE = ["distance=3"]
"""From three hexes, a square at 3 is broken least often, and a battalion that stands loses least."""


def charge(*changes: str) -> Charge:
    return scenarios.load(scenarios.DEFAULT, [*CLOSE, *changes])


def flat(lines: list[str]) -> str:
    """Text in one line, however it was broken."""
    return " ".join(" ".join(lines).split())


def price(tally: Tally) -> Fraction:
    found: Fraction = tally.mean_loss("target") - tally.mean_loss("charger")
    return found


MEASURES: dict[str, Callable[[Tally], tuple[Fraction, ...]]] = {
    "broken": lambda tally: (tally.p("charge succeeds"), price(tally)),
    "losses": lambda tally: (price(tally),),
    "clean": lambda tally: (tally.p("clean success"), price(tally)),
}


@pytest.mark.parametrize("aim", AIMS)
@pytest.mark.parametrize("changes", [[], ["charger.melee=40"], ["target.morale=16", "edition=2019"]])
def test_the_best_response_has_the_least_of_what_the_aim_looks_at(aim: str, changes: list[str]) -> None:
    found = odds(charge(*changes), "all", "exact", aim=aim)
    allowed = {row.response: MEASURES[aim](row.tally) for row in found.rows if row.refused is None}
    least = min(allowed.values())
    assert [row.response for row in found.ties] == [name for name, value in allowed.items() if value == least]
    others = sorted(value[0] for name, value in allowed.items() if value != least)
    assert found.margin == others[0] - least[0]


def test_the_aims_disagree_and_the_table_says_so_and_by_how_much() -> None:
    found = odds(charge(), "all", "exact")
    stand, square = found["stand"].tally, found["carre@3"].tally
    assert found.best.response == "carre@3"
    rival = found.rivals[0]
    assert (rival.aim, rival.responses, rival.gain) == ("losses", ("stand",), price(square) - price(stand))
    text = flat(tables.odds_lines(found))
    assert (
        f"best for the defender: carre@3, by {100 * float(found.margin):.1f} points of success (aim: broken)"
        in text
    )
    assert f"other aims would choose: losses stand, by {float(rival.gain):.2f} increments" in text
    assert f"best for the defender: stand, by {float(rival.gain):.2f} increments (aim: losses)" in flat(
        tables.odds_lines(odds(charge(), "all", "exact", aim="losses"))
    )


def test_where_the_aims_agree_no_line_is_said() -> None:
    found = odds(scenarios.load(scenarios.DEFAULT), "all", "exact")
    assert {odds(found.charge, "all", "exact", aim=aim).best.response for aim in AIMS} == {"carre@4"}
    assert found.rivals == ()
    assert "other aims" not in flat(tables.odds_lines(found))


def test_a_tie_goes_to_the_response_that_costs_less_increments() -> None:
    half = Fraction(1, 2)
    worths = {
        name: {
            aim: worth(aim, success, half, {"target": Fraction(lost), "charger": Fraction(theirs)})
            for aim in AIMS
        }
        for name, success, lost, theirs in (("a", half, 2, 0), ("b", half, 3, 2), ("c", 1, 0, 0))
    }
    assert best_of("broken", worths) == ("b",)
    assert best_of("losses", worths) == ("c",)
    assert [(rival.aim, rival.responses, rival.gain) for rival in rivals("broken", worths)] == [
        ("losses", ("c",), 1)
    ]


@pytest.mark.parametrize("aim", AIMS)
def test_a_charger_with_the_choice_takes_what_is_worst_for_the_aim(aim: str) -> None:
    found = odds(charge("plan.square=best"), "carre@3", "exact", aim=aim).rows[0]
    each = {
        plan: odds(charge(f"plan.square={plan}"), "carre@3", "exact").rows[0].tally
        for plan in square_plans(charge().attacks[0])
    }
    assert MEASURES[aim](found.tally) == max(MEASURES[aim](tally) for tally in each.values())
    assert MEASURES[aim](each[found.variant.square]) == MEASURES[aim](found.tally)


def test_the_charger_chooses_otherwise_for_losses_than_for_success() -> None:
    """A square costs the horse that presses on more than the foot."""
    chosen = {
        aim: odds(charge("plan.square=best"), "carre@3", "exact", aim=aim).rows[0].variant.square
        for aim in AIMS
    }
    assert chosen["broken"] == "press"
    assert chosen["losses"] != "press"


@pytest.mark.parametrize(("method", "aim"), list(product(("exact", "mc"), AIMS)))
def test_a_comparison_names_the_best_before_and_after(method: str, aim: str) -> None:
    first, second = scenarios.load(scenarios.DEFAULT), charge()
    found = compare(first, second, "all", method, 20_000, 3, aim=aim)
    expected = [[row.response for row in odds(one, "all", "exact", aim=aim).ties] for one in (first, second)]
    assert [list(found.best(which)) for which in (0, 1)] == expected


@pytest.mark.parametrize("method", ["exact", "mc"])
def test_a_forbidden_response_is_said_and_never_compared(method: str) -> None:
    """From three hexes the charger is never at four."""
    found = compare(scenarios.load(scenarios.DEFAULT), charge(), "all", method, 500, 1)
    assert found.refused == {"carre@4": (None, "the charger was never at that distance")}
    assert list(found.rows) == ["stand", "carre@3", "carre@2", "carre@1"]
    text = flat(tables.compare_lines(found, ("one", "other")))
    assert "carre@4: no comparison, not possible after: the charger was never at that distance" in text
    row = next(row for row in tables.compare_json(found)["responses"] if row["response"] == "carre@4")
    assert (row["outcomes"], row["refused"]) == (
        [],
        {"before": None, "after": "the charger was never at that distance"},
    )


def test_a_comparison_of_the_best_response_takes_the_best_before_by_the_aim() -> None:
    assert list(compare(charge(), charge("target.morale=32"), "best", "exact", aim="losses").rows) == [
        "stand"
    ]


def test_a_sweep_says_in_how_many_cells_another_aim_would_choose_otherwise() -> None:
    found = sweep(documents.read(scenarios.DEFAULT), [parse_axis("distance=2..4")], "all", "exact", 1, 1)
    text = flat(tables.sweep_lines(found, "charge succeeds"))
    assert "* best for the defender (aim: broken)" in text
    gain = odds(charge(), "all", "exact").rivals[0].gain
    assert (
        f"other aims would choose otherwise: losses in 1 of 3 cells, by up to {float(gain):.2f} increments"
        in text
    )


def test_the_best_answers_of_an_explained_run_follow_the_aim(capsys: pytest.CaptureFixture[str]) -> None:
    for aim, response in (("broken", "carre@3"), ("losses", "stand")):
        assert main(["explain", "--set", "distance=3", "--aim", aim]) == 0
        assert f"response: {response} (best for the defender, aim: {aim})" in capsys.readouterr().out


def test_aims_are_told_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odds", "--set", "distance=3", "--json"]) == 0
    best = json.loads(capsys.readouterr().out)["best"]
    assert (best["aim"], best["response"]) == ("broken", "carre@3")
    assert [(one["aim"], one["responses"]) for one in best["others"]] == [("losses", ["stand"])]


def test_another_aim_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        InputError, match=r"aim must be one of broken, losses, clean, got 'loss'. Did you mean 'losses'"
    ):
        odds(charge(), aim="loss")


def test_the_help_of_a_sweep_lists_every_event(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["sweep", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert all(name in told for name in EVENTS)


def test_where_nothing_is_allowed_nothing_is_best() -> None:
    """Cossacks may not charge infantry in good order (D10.3): every response is refused, and no aim chooses
    between them."""
    fields = {
        "ruleset": "leipzig-1813",
        "charger": {
            "nation": "Russian",
            "type": "Cossack",
            "movement": 15,
            "increments": 6,
            "melee": 12,
            "morale": 33,
        },
        "target": {
            "nation": "French",
            "type": "Ligne",
            "formation": "line",
            "increments": 8,
            "fire": 6,
            "melee": 16,
            "morale": 31,
        },
    }
    loaded, problems = scenarios.check(documents.Document("a charge", fields))
    assert loaded is not None
    assert problems.errors == []
    found = odds(loaded, "all", "exact")
    assert (found.has_choice, found.rivals) == (False, ())
    text = flat(tables.odds_lines(found))
    assert "best for the defender" not in text
    assert "other aims" not in text
    assert "%" not in text
    with pytest.raises(
        InputError, match=r"D10\.3"
    ):  # a table of which every cell is forbidden says why instead
        sweep(documents.Document("a charge", fields), [parse_axis("distance=3,4")], "all", "exact", 1, 1)
