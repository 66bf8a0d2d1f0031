"""The package in Python: what `import sim` offers, costs and refuses."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sim
from sim.errors import CarreError, CarreWarning, InputError, ScriptError, UnknownNameError
from sim.units import scenarios

LIGHT = (
    "import sys, time; start = time.perf_counter(); import sim; print(time.perf_counter() - start, "
    "*sys.modules)"
)


def test_importing_the_package_is_quick_and_loads_nothing_heavy() -> None:
    answers = [
        subprocess.check_output([sys.executable, "-c", LIGHT], text=True, timeout=60).split()
        for _ in range(5)
    ]
    assert min(float(answer[0]) for answer in answers) < 0.03
    assert not {"numpy", "pandas", "matplotlib", "yaml", "simpy", "sim.api"} & set(answers[0][1:])


def test_functions_are_listed_before_they_are_loaded_and_other_names_are_refused() -> None:
    code = "import sim; print(*dir(sim)); sim.nonsense"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert set(sim.__all__) <= set(done.stdout.split())
    assert done.stderr.endswith("AttributeError: module 'sim' has no attribute 'nonsense'\n")


def test_functions_stay_functions_after_everything_is_loaded() -> None:
    import sim.cli.compare  # the command line imports modules with like names
    import sim.studies.compare
    import sim.studies.odds
    import sim.studies.sweep

    assert all(callable(getattr(sim, name)) for name in sim.__all__)


@pytest.fixture
def fields() -> dict[str, Any]:
    return dict(sim.load_charge().document.data)


def test_a_path_a_dict_a_loaded_charge_and_nothing_are_the_same_charge(fields: dict[str, Any]) -> None:
    for charge in (scenarios.DEFAULT, str(scenarios.DEFAULT), fields, sim.load_charge(scenarios.DEFAULT)):
        assert sim.load_charge(charge) == sim.load_charge()


def test_changes_are_one_dict_for_fields_plan_switches_rule_set_and_edition() -> None:
    changes = {
        "target.morale": 26,
        "plan.square": "break off",
        "switches.lance": "counter",
        "ruleset": "halle-1806",
        "edition": 2014,
    }
    charge = sim.load_charge(changes=changes)
    assert (charge.target[0].morale, charge.plan["square"], charge.switches["lance"]) == (
        26,
        "break off",
        "counter",
    )
    assert (charge.ruleset.name, charge.edition) == ("halle-1806", 2014)


def test_changes_add_up_and_leave_the_charge_as_it_was() -> None:
    first = sim.load_charge(changes={"target.morale": 26})
    second = sim.load_charge(first, changes={"distance": 3})
    assert (second.target[0].morale, len(second.path)) == (26, 2)
    assert first == sim.load_charge(changes={"target.morale": 26})


def test_a_dict_is_left_alone_and_takes_what_python_has_for_lists_and_numbers(fields: dict[str, Any]) -> None:
    before = repr(fields)
    charge = sim.load_charge(
        fields, changes={"target.morale": np.int64(26), "distance": None, "path": (0, 1, 0)}
    )
    assert (charge.target[0].morale, charge.path) == (26, (0, 1, 0))
    assert repr(fields) == before


def test_a_rule_set_of_ones_own_is_found_where_python_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.yaml").write_text(
        "ruleset: mine\ntitle: Mine\nversion: 1\nextends: prusse-1806\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    assert sim.load_charge(changes={"ruleset": "mine.yaml"}).ruleset.name == "mine"
    assert sim.load_ruleset(Path("mine.yaml")).name == "mine"
    assert (
        sim.chart("recall", ruleset=sim.load_ruleset("mine.yaml"), cavalry="French").identity["ruleset"]
        == "mine"
    )


def test_odds_are_read_by_response_and_event() -> None:
    found = sim.odds()
    assert found["stand"]["charge succeeds"] == found.rows[0].tally.p("charge succeeds")
    assert isinstance(found["stand"]["bounced"], Fraction)
    assert found["best"] is found.best


def test_a_comparison_is_read_by_response_and_event() -> None:
    found = sim.compare(changes={"target.morale": 22})
    before, after = sim.odds(), sim.odds(changes={"target.morale": 22})
    one = found["stand"]["charge succeeds"]
    assert (one.before, one.after) == (before["stand"]["charge succeeds"], after["stand"]["charge succeeds"])
    assert sim.compare(None, {**sim.load_charge().document.data, "distance": 5}, "best").rows.keys() == {
        before.best.response
    }


def test_a_sweep_is_read_by_the_values_of_its_axes() -> None:
    found = sim.sweep(vary={"distance": [3, 4], "target.morale": "26..31"}, response="stand")
    assert (
        found[4, 31]["stand"]
        == sim.odds(response="stand", changes={"distance": 4, "target.morale": 31})["stand"]
    )
    assert sim.sweep(vary={"distance": range(3, 5)}, response="stand")[3]["stand"].response == "stand"


def test_a_field_that_was_changed_before_may_vary_but_not_one_changed_in_the_same_call() -> None:
    charge = sim.load_charge(changes={"target.morale": 36})
    assert (
        sim.sweep(charge, vary={"target.morale": [31]}, response="stand")[31]["stand"]
        == sim.odds(response="stand")["stand"]
    )
    with pytest.raises(InputError, match="is set by changes"):
        sim.sweep(changes={"target.morale": 36}, vary={"target.morale": [31]})


def test_a_story_is_what_the_command_line_tells(capsys: pytest.CaptureFixture[str]) -> None:
    from sim.cli import main

    main(["explain", "--response", "stand", "--run", "2"])
    assert str(sim.explain(response="stand", run=2)) + "\n" == capsys.readouterr().out
    assert (
        sim.explain(response="stand", run=6)["rolls"] == sim.explain(response="stand", rolls=[11, 5])["rolls"]
    )


ANSWERS: dict[str, Callable[[], Any]] = {
    "charge": lambda: sim.load_charge(),
    "rule set": lambda: sim.load_ruleset(),
    "odds": lambda: sim.odds(),
    "simulated odds": lambda: sim.odds(method="mc", runs=500),
    "row": lambda: sim.odds()["stand"],
    "comparison": lambda: sim.compare(changes={"target.morale": 22}),
    "simulated comparison": lambda: sim.compare(changes={"target.morale": 22}, method="mc", runs=500),
    "sweep": lambda: sim.sweep(vary={"distance": [2, 4]}),
    "chart": lambda: sim.chart("morale", morale=34),
    "chart without dice": lambda: sim.chart("assault", attackers=9, defenders=6),
    "story": lambda: sim.explain(),
}


def flat(text: str) -> str:
    """Text in one line, however it was broken."""
    return " ".join(text.split())


ROWS = dict.fromkeys(("odds", "simulated odds", "comparison", "simulated comparison"), 5 * 16)
ROWS |= {"sweep": 2 * 5 * 16, "chart": 2, "chart without dice": 0, "story": 11}
"""Rows of the frame: a response and an event each, for each cell; an outcome each; a step each."""


@pytest.mark.parametrize("answer", list(ANSWERS))
def test_a_repr_is_one_short_line(answer: str) -> None:
    text = repr(ANSWERS[answer]())
    assert len(text) <= 200
    assert text.startswith("<")
    assert "\n" not in text


@pytest.mark.parametrize("answer", [name for name in ANSWERS if name not in ("charge", "rule set", "row")])
def test_an_answer_is_a_frame_a_text_and_a_table_in_a_notebook(answer: str) -> None:
    found = ANSWERS[answer]()
    html = found._repr_html_()
    tag = "pre" if answer == "story" else "table"
    assert html.count(f"<{tag}") == html.count(f"</{tag}>") == 1
    frame, text, html = found.to_frame(), flat(str(found)), flat(html)
    assert len(frame) == ROWS[answer]
    key = "who" if answer == "story" else "outcome" if answer.startswith("chart") else "response"
    for name in {str(one) for one in frame[key] if one == one and one} - {
        "result"
    }:  # the last step of a story is its result
        assert name in text
        assert name in html


def test_a_title_cannot_become_markup() -> None:
    assert "<script>" not in sim.odds(changes={"title": "<script>alert(1)</script>"})._repr_html_()


REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "field": (
        lambda: sim.odds(changes={"target.moral": 3}),
        InputError,
        "changes target.moral: 'target.moral' is not a known field. Did you mean 'morale'?",
    ),
    "value": (
        lambda: sim.odds(changes={"target.morale": 18}),
        InputError,
        "changes target.morale: 'target.morale' must be one of the 36 rolls 11..16",
    ),
    "dict": (
        lambda: sim.odds({"charger": 3}),
        InputError,
        "the charge: 'charger' must be a mapping with name, nation",
    ),
    "no charge": (
        lambda: sim.odds(3),  # type: ignore[arg-type]
        InputError,
        "a charge must be a path, a dict or a loaded charge, got int",
    ),
    "no file": (lambda: sim.odds("none.yaml"), InputError, "none.yaml: there is no such file"),
    "response": (lambda: sim.odds(response="stad"), UnknownNameError, "response must be one of stand"),
    "method": (
        lambda: sim.odds(method="guess"),
        UnknownNameError,
        "method must be one of auto, exact, mc, got 'guess'.",
    ),
    "runs": (
        lambda: sim.odds(method="mc", runs=0),
        InputError,
        "runs must be an integer from 1 to 1,000,000,000, got 0",
    ),
    "row": (lambda: sim.odds()["stad"], UnknownNameError, "a response must be one of stand"),
    "event": (
        lambda: sim.odds()["stand"]["bounce"],
        UnknownNameError,
        "an event must be one of charge succeeds",
    ),
    "nothing to compare": (
        lambda: sim.compare(),
        InputError,
        "other or changes must say what to compare with",
    ),
    "nothing to vary": (lambda: sim.sweep(), InputError, "vary must give at least one field with its values"),
    "no values": (
        lambda: sim.sweep(vary={"distance": []}),
        InputError,
        "vary must give at least one field with its values",
    ),
    "axis": (
        lambda: sim.sweep(vary={"target.morale": "17..22"}),
        InputError,
        "vary target.morale must run between rolls 11..66",
    ),
    "rolls": (lambda: sim.explain(rolls=[11]), ScriptError, "rolls ended after 1 rolls"),
    "rule set": (
        lambda: sim.load_ruleset("prusse"),
        UnknownNameError,
        "there is no rule set 'prusse'. Did you mean 'prusse-1806'?",
    ),
    "chart": (lambda: sim.chart("moral"), UnknownNameError, "a chart must be one of morale, carre"),
    "chart's value": (
        lambda: sim.chart("morale", morale=18),
        InputError,
        "chart morale: 'morale' must be one of the 36 rolls",
    ),
    "chart's option": (
        lambda: sim.chart("morale", morale=26, face=3),
        InputError,
        "chart morale: 'face' is not a known field",
    ),
    "chart's missing option": (
        lambda: sim.chart("fire", attack=6),
        InputError,
        "chart fire: must have the field 'defence'",
    ),
    "chart's nation": (
        lambda: sim.chart("carre", nation="Frensh", formation="line", distance=2, charger="light"),
        UnknownNameError,
        "nation must be one of",
    ),
}


@pytest.mark.parametrize("wrong", list(REFUSED))
def test_what_cannot_be_used_is_one_error_of_the_project_with_its_field(wrong: str) -> None:
    call, kind, message = REFUSED[wrong]
    with pytest.raises(kind) as caught:
        call()
    assert isinstance(caught.value, CarreError)
    assert str(caught.value).startswith(message)


def test_a_slip_is_warned_of() -> None:
    with pytest.warns(CarreWarning, match="charger"):
        sim.load_charge(
            changes={"charger.nation": "Prussian", "charger.type": "Dragoon", "target.nation": "Prussian"}
        )


OWN = "extends: prusse-1806\nruleset: {name}\n"


@pytest.fixture
def in_a(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two directories with a rule set of one file name each; the charge is in the first, where we are."""
    for name in ("A", "B"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "r.yaml").write_text(OWN.format(name=name), encoding="utf-8")
    told = scenarios.DEFAULT.read_text(encoding="utf-8")
    (tmp_path / "A/c.yaml").write_text(
        told.replace("ruleset: prusse-1806", "ruleset: ./r.yaml"), encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path / "A")
    return tmp_path


def plays(charge: Any) -> set[str]:
    """The rule sets that every kind of study of a charge plays by."""
    few: dict[str, Any] = {"method": "mc", "runs": 10}
    found = [sim.odds(charge, "stand", **few).charge, sim.load_charge(charge, {"target.morale": 26})]
    found += [odds.charge for _, odds in sim.sweep(charge, {"distance": [3, 4]}, "stand", **few).cells]
    found += [
        sim.compare(charge, charge, "stand", **few).first,
        sim.compare(charge, changes={"distance": 4}, **few).second,
    ]
    return {one.ruleset.name for one in found} | {sim.explain(charge, "stand")["ruleset"]}


def test_a_loaded_charge_is_played_by_the_rule_set_it_was_loaded_with(
    in_a: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    charge = sim.load_charge("c.yaml")
    assert charge.ruleset.name == "A"
    monkeypatch.chdir(in_a / "B")
    assert plays(charge) == {"A"}
    (in_a / "A/r.yaml").write_text(OWN.format(name="edited"), encoding="utf-8")
    assert plays(charge) == {"A"}
    (in_a / "A/r.yaml").unlink()
    assert plays(charge) == {"A"}
    assert sim.load_charge(charge, {"ruleset": "r.yaml"}).ruleset.name == "B"


def test_odds_are_a_collection_of_rows_by_response() -> None:
    found = sim.odds()
    assert [row.response for row in found] == ["stand", "carre@4", "carre@3", "carre@2", "carre@1"]
    assert list(found) == list(found.rows)
    assert len(found) == 5
    assert "stand" in found
    assert "react" not in found
    assert found.rows[0] in found
    assert len(repr(list(found))) < 600
    assert len(repr(found["stand"].tally)) < 100


@pytest.mark.parametrize("answer", ["odds", "simulated odds", "comparison", "sweep"])
def test_a_printed_answer_fits_a_narrow_terminal(answer: str) -> None:
    assert max(map(len, str(ANSWERS[answer]()).splitlines())) <= 80


def test_printed_odds_and_sweeps_are_those_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    from sim.cli import main

    assert main(["odds"]) == 0
    assert capsys.readouterr().out == f"{sim.odds()}\n"
    assert main(["sweep", "--vary", "distance=2..4"]) == 0
    assert capsys.readouterr().out == f"{sim.sweep(vary={'distance': '2..4'})}\n"
    assert main(["compare", "--with", "target.morale=22", "--with", "night=true"]) == 0
    assert capsys.readouterr().out == f"{sim.compare(changes={'target.morale': 22, 'night': True})}\n"


def test_rolls_may_be_a_text_as_on_the_command_line() -> None:
    assert sim.explain(response="stand", rolls="24,5") == sim.explain(response="stand", rolls=[24, 5])
    with pytest.raises(InputError, match=r"^rolls must be rolls such as 43,26,5, got '24,x'"):
        sim.explain(response="stand", rolls="24,x")


loose: Any = sim
ITSELF: dict[str, Any] = {}
ITSELF["itself"] = ITSELF


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: loose.explain(run=-1), "run must be an integer from 0 to 1,000,000,000,000, got -1"),
        (
            lambda: loose.explain(run=10**12 + 5),
            "run must be an integer from 0 to 1,000,000,000,000, got 1000000000005",
        ),
        (lambda: loose.explain(run=True), "run must be an integer from 0 to 1,000,000,000,000, got True"),
        (lambda: loose.explain(run="3"), "run must be an integer from 0 to 1,000,000,000,000, got '3'"),
        (lambda: loose.explain(run=10**5000), "got a number of more than 60 digits"),
        (lambda: loose.explain(seed=1.5), "seed must be an integer from 0 to 2^63 - 1, got 1.5"),
        (lambda: loose.explain(seed="7"), "seed must be an integer from 0 to 2^63 - 1, got '7'"),
        (lambda: loose.explain(seed=-1), "seed must be an integer from 0 to 2^63 - 1, got -1"),
        (lambda: loose.explain(rolls=24), "rolls must be a list of rolls such as [43, 26, 5], got 24"),
        (
            lambda: loose.explain(rolls=[24.0]),
            "rolls must be a list of rolls such as [43, 26, 5], got 24.0 among them",
        ),
        (lambda: loose.explain(aim=[]), "aim must be one of broken, losses, clean, got a list"),
        (lambda: loose.explain(response=[]), "response must be one of "),
        (lambda: loose.odds(None, []), "response must be one of "),
        (lambda: loose.odds(None, ""), "response must be one of "),
        (lambda: loose.odds(seed=1.5), "seed must be an integer from 0 to 2^63 - 1, got 1.5"),
        (lambda: loose.odds(runs=True), "runs must be an integer from 1 to 1,000,000,000, got True"),
        (lambda: loose.odds(runs=1e3), "runs must be an integer from 1 to 1,000,000,000, got 1000.0"),
        (lambda: loose.odds(runs="1000"), "runs must be an integer from 1 to 1,000,000,000, got '1000'"),
        (lambda: loose.odds(aim=[]), "aim must be one of broken, losses, clean, got a list"),
        (lambda: loose.odds(method={}), "method must be one of auto, exact, mc, got a dict"),
        (lambda: loose.odds(precision="x"), "precision must be a number of points from 0.004 to 25, got 'x'"),
        (
            lambda: loose.odds(precision=float("nan")),
            "precision must be a number of points from 0.004 to 25, got nan",
        ),
        (
            lambda: loose.odds(precision=True),
            "precision must be a number of points from 0.004 to 25, got True",
        ),
        (lambda: loose.odds(precision=1, watched=["bouncd"]), "Did you mean 'bounced'?"),
        (
            lambda: loose.odds(precision=1, watched="bounced"),
            "watched must be a list of names, got 'bounced'",
        ),
        (lambda: loose.odds(precision=1, watched=3), "watched must be a list of names, got 3"),
        (lambda: loose.compare(None, None, [], changes={"distance": 4}), "response must be one of "),
        (lambda: loose.compare(changes={"distance": 4}, runs="9"), "runs must be an integer"),
        (
            lambda: loose.sweep(None, {"distance": 5}),
            "vary distance must be a list of values, or a text such as '21..36', got 5",
        ),
        (lambda: loose.sweep(None, {1: [2]}), "vary must name fields such as 'target.morale', got 1"),
        (
            lambda: loose.sweep(None, "distance=2..4"),
            "vary must be a dict such as {'distance': range(2, 5)}, got 'distance=2..4'",
        ),
        (
            lambda: loose.load_charge(changes="target.morale=26"),
            "changes must be a dict such as {'target.morale': 26}, got 'target.morale=26'",
        ),
        (
            lambda: loose.load_charge(changes={1: 2}),
            "changes must name fields such as 'target.morale', got 1",
        ),
        (
            lambda: loose.load_charge(changes={"target.nix": None}),
            "changes target.nix: 'target.nix' is not a known field of the charge",
        ),
        (
            lambda: loose.load_charge(changes={"targt.morale": None}),
            "'targt' is not a known field of the charge. Did you mean 'target'?",
        ),
        (
            lambda: loose.load_charge(changes={"switches.nix": None}),
            "'switches.nix' is not a known field of the charge",
        ),
        (
            lambda: loose.load_charge(changes={"target": ITSELF}),
            "changes target: a value must be nested at most 50 deep, and not contain itself",
        ),
        (lambda: loose.load_charge(ITSELF), "a value must be nested at most 50 deep, and not contain itself"),
        (lambda: loose.load_charge({None: 1}), "the name of a field must be text, got None"),
        (lambda: loose.load_charge({(1, 2): 1}), "the name of a field must be text, got a tuple"),
        (lambda: loose.chart([]), "a chart must be one of morale, "),
        (
            lambda: loose.chart("morale", morale=34, edition=[]),
            "edition must be an integer from 2000 to 2100, got a list",
        ),
        (
            lambda: loose.chart("morale", morale=34, edition=True),
            "edition must be an integer from 2000 to 2100, got True",
        ),
        (lambda: loose.chart("morale", morale=34, ruleset=""), "there is no rule set ''"),
        (lambda: loose.odds()["stand"][[]], "an event must be one of"),
    ],
)
def test_arguments_that_are_no_right_values_are_told_in_one_line(
    call: Callable[[], object], says: str
) -> None:
    with pytest.raises(CarreError) as told:
        call()
    assert says in str(told.value)
    assert "\n" not in str(told.value)


def test_numbers_and_arrays_of_numpy_are_as_good_as_python_s() -> None:
    found = loose.odds(method="mc", runs=np.int64(10), seed=np.uint8(3), precision=None)
    assert (type(found.runs), found.runs, type(found.seed), found.seed) == (int, 10, int, 3)
    assert str(loose.explain(run=np.int32(2), seed=np.int64(3))) == str(loose.explain(run=2, seed=3))
    changed = loose.load_charge(changes={"path": np.array([0, 0, 1]), "target.morale": np.int64(26)})
    assert (changed.path, changed.target[0].morale) == ((0, 0, 1), 26)
    assert loose.chart("morale", morale=np.int64(34))["pass"].p == Fraction(5, 9)


def test_a_field_that_is_not_there_may_be_taken_away_and_nothing_else_changes() -> None:
    charge = loose.load_charge(changes={"target.leader.morale": None, "path": None, "plan.away": None})
    assert charge == loose.load_charge()
