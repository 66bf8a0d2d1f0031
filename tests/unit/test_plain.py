"""Numbers are what they look like, in every numeric field of both kinds of file and in every numeric option.

The fields are walked from the tables that the program checks files by, so that a new field is tested with the
others.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from sim.cli import arguments, main
from sim.errors import InputError
from sim.inputs import documents, plain
from sim.inputs.fields import Choice, Either, Field, Integer, Mapped, Number, Problems, Record, Roll, Sequence
from sim.rulesets import catalogue, chain, consistency, shipped
from sim.rulesets.attributes import Vocabulary
from sim.rulesets.fields import ruleset
from sim.rulesets.values import Levels, Numbered, Partition, Span, Table
from sim.units import scenarios
from sim.units.chargefields import CHARGE, ONE_OF_SEVERAL
from tests.unit.test_files import FULL

# a notation that is refused, and the plain form
NOTATIONS = {
    "a leading zero": ("026", "26"),
    "zeros": ("000", "0"),
    "octal to YAML": ("010", "10"),
    "octal": ("0o14", "12"),
    "hexadecimal": ("0x1a", "26"),
    "binary": ("0b11", "3"),
    "sexagesimal": ("1:30", "90"),
    "a space": ("3 0", "30"),
    "an underscore": ("1_000", "1000"),
    "an exponent": ("1e1", "10"),
    "a decimal's exponent": ("1.5e+1", "15"),
    "no digit before the point": (".5", "0.5"),
    "no digit after the point": ("5.", "5"),
    "a fraction with zeros": ("09/2", "9/2"),
    "a fraction with spaces": ("3 / 2", "3/2"),
    "digits of another script": ("٣", "3"),
    "with a minus": ("-03", "-3"),
}
DATES = ("1806-10-14", "2001-12-14t21:59:43.10-05:00")


def numeric(kind: Field, key: documents.Key = ()) -> Iterator[tuple[documents.Key, Field]]:
    """Every field below `kind` that holds a number, with the way to it."""
    if isinstance(kind, Integer | Roll | Number | Span | Levels) or (
        isinstance(kind, Choice) and all(type(one) is int for one in kind.values)
    ):
        yield key, kind
    elif isinstance(kind, Either):
        for one in kind.kinds:
            yield from numeric(one, key)
    elif isinstance(kind, Sequence):
        yield from numeric(kind.item, (*key, 0))
    elif isinstance(kind, Partition):
        yield from numeric(kind.result, (*key, "result"))
        yield (*key, "rolls"), Span()
    elif isinstance(kind, Mapped | Numbered):
        yield from numeric(kind.item, (*key, "any"))
    elif isinstance(kind, Record):
        for name, one in kind.fields.items():
            yield from numeric(one, (*key, name))
        if isinstance(kind, Table):
            yield from numeric(kind.rest, (*key, "any"))


CHARGE_FIELDS = list(numeric(CHARGE))
RULE_FIELDS = list(numeric(ruleset(Vocabulary.of(catalogue.load("prusse-1806").merged, shipped.names()))))
PLAYED: set[documents.Key] = {key for key, _ in CHARGE_FIELDS if key[0] != "switches"}
PLAYED_IN_ORDER: list[documents.Key] = sorted(PLAYED, key=documents.dotted)


def accepted(kind: Field, form: str) -> bool:
    value = Fraction(form)
    problems = Problems(documents.Document("x", None))
    kind.check(int(value) if value.denominator == 1 else value, (), problems)
    return not problems.errors


def test_the_walk_finds_the_numeric_fields_of_both_kinds_of_file() -> None:
    """Else the tests below would test nothing."""
    assert {
        ("distance",),
        ("path", 0),
        ("edition",),
        ("target", "stack", 0, "morale"),
        ("ground", 0, "step"),
        ("charger", "lance"),
    } <= PLAYED
    assert len(PLAYED) > 70
    names = {documents.dotted(key) for key, _ in RULE_FIELDS}
    assert {
        "year",
        "charge.light_from",
        "stand.modifiers[0].value",
        "fire.table.any.result",
        "premelee.columns.any.attack",
        "levels.any[0]",
    } <= names
    assert len(names) > 60


@pytest.mark.parametrize(("written", "form"), NOTATIONS.values(), ids=NOTATIONS)
def test_every_numeric_field_refuses_what_does_not_look_like_its_number_and_says_how_to_write_it(
    written: str, form: str
) -> None:
    document = documents.parse(f"x: {written}", "x.yaml")
    for key, kind in CHARGE_FIELDS + RULE_FIELDS:
        problems = Problems(document)
        kind.check(document.data["x"], ("x",), problems)
        assert len(problems.errors) == 1, key
        told = problems.errors[0]
        assert told.startswith("x.yaml:1:4: 'x' must be "), key
        assert f"got {written}" in told or f"got '{written}'" in told, key
        assert told.endswith(f": write {form}") == accepted(kind, form), (key, told)


@pytest.mark.parametrize("written", DATES)
def test_every_numeric_field_refuses_a_date_and_shows_it_as_written(written: str) -> None:
    document = documents.parse(f"x: {written}", "x.yaml")
    for key, kind in CHARGE_FIELDS + RULE_FIELDS:
        problems = Problems(document)
        kind.check(document.data["x"], ("x",), problems)
        assert len(problems.errors) == 1, key
        assert f"got {written}" in problems.errors[0], key


def spoilt(key: documents.Key, written: str) -> str:
    """The charge that gives everything, with one value written as told."""
    data = yaml.safe_load(FULL)
    if key[0] == "charges":
        own = {name: data.pop(name) for name in [*data] if name in ONE_OF_SEVERAL.fields}
        data["charges"] = [own]
    here = data
    for part, following in itertools.pairwise(key):
        if isinstance(here, dict):
            here = here.setdefault(part, [] if isinstance(following, int) else {})
        else:
            here = here[part]
    if isinstance(here, list) and not here:
        here.append(None)
    here[key[-1]] = "WRITTEN"
    return yaml.safe_dump(data, allow_unicode=True).replace("WRITTEN", written)


@pytest.mark.parametrize("key", PLAYED_IN_ORDER, ids=documents.dotted)
def test_file_change_and_sweep_refuse_a_number_in_disguise(
    key: documents.Key, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`01` looks like 1 and `0x2` like 2; a field that takes neither refuses them for that."""
    path, field = tmp_path / "charge.yaml", documents.dotted(key)
    for written in ("01", "0x2"):
        path.write_text(spoilt(key, written), encoding="utf-8")
        _, problems = scenarios.check(documents.read(path))
        assert any(f"'{field}' must be " in one and f"got {written}" in one for one in problems.errors), (
            problems.errors
        )
    path.write_text(spoilt(key, "1"), encoding="utf-8")
    for arguments_ in (
        ["odds", str(path), "--set", f"{field}=01"],
        ["sweep", str(path), "--vary", f"{field}=1,01"],
    ):
        if arguments_[0] == "sweep" and main(
            ["odds", str(path), "--response", "best", "--method", "mc", "--runs", "1"]
        ):
            continue  # 1 itself is no value of this field
        capsys.readouterr()
        assert main(arguments_) == 2
        told = capsys.readouterr().err
        assert f"{arguments_[2]} {field}=01: '{field}' must be " in told
        assert "got 01" in told
    assert main(["sweep", str(path), "--vary", f"{field}=01..2"]) == 2
    assert (
        f"--vary {field} must run from an integer to an integer, got '01..2': write 1..2"
        in capsys.readouterr().err
    )


def options() -> Iterator[tuple[str, argparse.Action]]:
    """Every option of every command that has a type."""
    todo: list[argparse.ArgumentParser] = [arguments.build()]
    while todo:
        parser = todo.pop()
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                todo += action.choices.values()
            elif (
                action.type is not None
                and "text" not in getattr(action.type, "__name__", "")
                and "name" not in getattr(action.type, "__name__", "")
            ):
                yield f"{parser.prog} {'/'.join(action.option_strings)}", action


OPTIONS = list(options())


def test_the_walk_finds_the_numeric_options() -> None:
    names = {name for name, _ in OPTIONS}
    assert {
        "carre odds --runs",
        "carre chart fire --attack",
        "carre chart morale --morale",
        "carre explain --run",
        "carre sweep --seed",
    } <= names


@pytest.mark.parametrize(("name", "action"), OPTIONS, ids=[name for name, _ in OPTIONS])
def test_every_numeric_option_refuses_a_number_in_disguise(name: str, action: argparse.Action) -> None:
    read: Any = action.type
    assert read not in (int, float, Fraction), f"{name}: Python reads 1_000 and other scripts"
    forms = [form for form in ("1", "2", "26", "2014") if not refuses(read, form)]
    assert forms, name
    for form in forms:
        for written in (
            f"0{form}",
            f" {form}",
            f"{form} ",
            f"{form[0]}_{form[1:]}" if len(form) > 1 else f"{form}e0",
            hex(int(form)),
        ):
            told = refuses(read, written)
            assert told is not None, (name, written)
            assert told.endswith(f"got {written!r}: write {form}")


def refuses(read: Any, text: str) -> str | None:
    """What an option's type says against a text."""
    try:
        read(text)
    except argparse.ArgumentTypeError as error:
        return str(error)
    return None


def test_given_rolls_must_be_written_plainly(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--rolls", "66,011"]) == 2
    assert capsys.readouterr().err == "carre: --rolls must be rolls such as 43,26,5, got '66,011': write 11\n"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("title: no", "'title' must be text of at most 200 characters, got no: write 'no'"),
        ("title: On", "got On: write 'On'"),
        ("title: 026", "got 026: write '026'"),
        ("title: 1806-10-14", "got 1806-10-14: write '1806-10-14'"),
        ("title: ~", "'title' must be text of at most 200 characters, got ~"),
        ("title: Null", "got Null"),
        ("title:", "got nothing"),
        ("title: 1.50", "got 1.50: write '1.50'"),
        ("night: 0", "'night' must be true or false, got 0"),
        ("crosses: no", "'crosses' must be text of at most 200 characters, got no: write 'no'"),
        (
            "switches: {1:2: true}",
            "the name 1:2 must be in quotes, '1:2', or written 62, since YAML reads it as something else",
        ),
        (
            "switches: {010: true}",
            "the name 010 must be in quotes, '010', or written 10, since YAML reads it as something else",
        ),
        (
            "switches: {1806-10-14: true}",
            "the name 1806-10-14 must be in quotes, '1806-10-14', since YAML reads it as something else",
        ),
    ],
)
def test_values_that_yaml_has_words_for_are_shown_as_they_are_written(line: str, says: str) -> None:
    name = line.partition(":")[0]
    text = yaml.safe_dump({one: value for one, value in yaml.safe_load(FULL).items() if one != name})
    _, problems = scenarios.check(documents.parse(f"{text}{line}\n", "x.yaml"))
    assert any(says in one for one in problems.errors), problems.errors


@pytest.mark.parametrize(("word", "night"), [("yes", True), ("off", False), ("TRUE", True)])
def test_words_for_a_flag_are_what_they_say(word: str, night: bool) -> None:
    text = yaml.safe_dump({one: value for one, value in yaml.safe_load(FULL).items() if one != "night"})
    charge, problems = scenarios.check(documents.parse(f"{text}night: {word}\n", "x.yaml"))
    assert charge is not None, problems.errors
    assert charge.night is night


def test_a_rule_set_refuses_numbers_in_disguise_and_dates(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "extends: prusse-1806\nruleset: mine\nyear: 0x70e\nretreat: {disordered: 03}\ntitle: 1806-10-14\n",
        encoding="utf-8",
    )
    with pytest.raises(InputError) as caught:
        catalogue.load(str(path))
    assert str(caught.value).startswith(
        f"{path}:5:8: 'title' must be text of at most 200 characters, got 1806-10-14: write "
        "'1806-10-14' (and 2 more"
    )
    _, merged = chain.merge(path)
    told = consistency.check(documents.read(path), merged).errors
    assert told[1:] == [
        f"{path}:3:7: 'year' must be an integer from 1700 to 1900, got 0x70e: write 1806",
        f"{path}:4:23: 'retreat.disordered' must be an integer from 1 to 30, got 03: write 3",
    ]


@pytest.mark.parametrize("written", ["1 1-43", "11-4 3", "011-43", "11 - 043"])
def test_ranges_of_rolls_are_written_without_spaces_within_a_roll(written: str) -> None:
    problems = Problems(documents.Document("x", None))
    Span().check(written, (), problems)
    assert len(problems.errors) == 1


@pytest.mark.parametrize("text", ["26", "-3", "+3", "0"])
def test_plain_integers_are_read(text: str) -> None:
    assert plain.integer(text) == int(text)
    assert plain.plain_form(text) == str(int(text))
