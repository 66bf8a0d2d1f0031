"""Charge files: loaded, changed by options, checked; nothing is played here."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from sim.errors import InputError, did_you_mean
from sim.inputs import documents
from sim.inputs.documents import Document
from sim.inputs.fields import Either, Field, Problems, Record, Sequence
from sim.rulesets import catalogue, chain, kinds, shipped
from sim.rulesets.catalogue import RuleSet
from sim.units import chargecheck
from sim.units.chargefields import CHARGE, PLANS
from sim.units.charges import Charge
from sim.units.muster import Muster

DIRECTORY = Path(__file__).parents[1] / "data" / "charges"
DEFAULT = DIRECTORY / "default.yaml"


def load(
    path: Path | str, changes: list[str] | None = None, ruleset: str | None = None, edition: int | None = None
) -> Charge:
    """A charge from a file, with `--set` changes such as `target.morale=26`.

    Raises
    ------
    InputError
        If the file or a change is not valid; the first fault is told with its place.
    """
    document = documents.read(path)
    for text in changes or []:
        document = changed(document, text)
    if ruleset is not None:
        document = change(document, ("ruleset",), ruleset, "--ruleset")
    if edition is not None:
        document = change(document, ("edition",), edition, "--edition")
    charge, problems = check(document)
    problems.raise_first()
    if charge is None:
        raise InputError(f"{document.name}: the charge cannot be used")
    return charge


def read(path: Path | str | None) -> Document:
    """A charge file as written, or (None) the charge that comes with Carré.

    Raises
    ------
    InputError
        As `documents.read`.
    """
    return (
        documents.read(path)
        if path is not None
        else replace(documents.read(DEFAULT), name="the default charge", places={})
    )


_OTHER_WAY = {"distance": "path", "path": "distance"}
"""Fields that say one thing in two ways: an option takes the place of either."""


def changed(
    document: Document, text: str, option: str = "--set", over: Collection[documents.Key] = ()
) -> Document:
    """A document with one `field=value` applied; words of the plan may be joined by hyphens.

    `option` is where it comes from.

    Raises
    ------
    InputError
        If it is no change, or cannot be made (see `change`).
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"{option} must be FIELD=VALUE, such as target.morale=26, got '{text}'")
    try:
        key, given = documents.parse_key(name), documents.parse_value(value)
    except InputError as error:
        raise InputError(f"{option} {text}: {error}") from None
    wanted = given.data
    if len(key) > 1 and key[-2] == "plan" and key[-1] in PLANS and isinstance(wanted, str):
        wanted = wanted.replace("-", " ")
    return change(document, key, wanted, f"{option} {text}", given.written, over)


def change(
    document: Document,
    key: documents.Key,
    value: Any,
    origin: str,
    written: dict[documents.Key, str] | None = None,
    over: Collection[documents.Key] = (),
) -> Document:
    """A document with one field set, which errors place at `origin`.

    Parameters
    ----------
    written
        As of a document, within the value.
    over
        Fields that options have set and that this change may set again; a variant changes what is compared
        with it.

    Raises
    ------
    InputError
        If there is no such field, or another option has set it, a part of it, or the same in another way
        (`distance` and `path`).
    """
    other = _other_way(key)
    holder = document.at(other[:-1])
    there = bool(other) and isinstance(holder, dict) and other[-1] in holder
    for earlier, before in document.origins.items():
        within = earlier[: len(key)] == key or (there and earlier[: len(other)] == other)
        if within and earlier not in over and (earlier != key or document.at(key) != value):
            raise InputError(f"{origin}: '{documents.dotted(earlier)}' is set by {before} already")
    if there:
        document = document.without(other)
    return document.changed(key, value, origin, written)


def _other_way(key: documents.Key) -> documents.Key:
    """The field of the same charge that says what a field says in another way; () if there is none."""
    base = key[:2] if key[0] == "charges" else ()
    name = key[len(base)] if len(key) > len(base) else None
    return (*base, _OTHER_WAY[str(name)]) if name in _OTHER_WAY else ()


def check_known(key: documents.Key, origin: str) -> None:
    """Refuse a field that no charge has, so that one misspelt is not taken away in silence.

    Raises
    ------
    InputError
        Naming it, and the nearest right name.
    """
    kind: Field = CHARGE
    for number, part in enumerate(key):
        if isinstance(kind, Either):
            kind = kind.kinds[0]
        if isinstance(kind, Record) and part in kind.fields:
            kind = kind.fields[str(part)]
            continue
        if isinstance(kind, Sequence) and isinstance(part, int):
            kind = kind.item
            continue
        hint = did_you_mean(part, kind.fields) if isinstance(kind, Record) else ""
        raise InputError(
            f"{origin}: '{documents.dotted(key[: number + 1])}' is not a known field of the "
            f"charge{hint and '.'}{hint}"
        )


def check(document: Document) -> tuple[Charge | None, Problems]:
    """The charge of a document and everything that is wrong with it; no charge if something is."""
    problems = Problems(document)
    if (kind := kinds.kind_of(document.data)) != kinds.CHARGE:
        hint = _OTHER_KINDS.get(kind, "")
        problems.error((), f"must be a charge file, but looks like a {kind}{hint}")
        return None, problems
    raw = CHARGE.check(document.data, (), problems)
    if raw is None:
        return None, problems
    rules, switches = rules_of(raw, problems)
    charge = Muster(rules, problems).charge(raw, switches)
    chargecheck.check(charge, problems)
    _fitting(rules, problems)
    return (None if problems.errors else charge), problems


_OTHER_KINDS = {
    kinds.RULE_SET: " (play a charge by it with --ruleset)",
    kinds.SCENARIO: " (carre run plays it)",
    kinds.STYLE: " (a side of a scenario may be played by it)",
}
"""What to do with other files, by their kind."""


def _fitting(rules: RuleSet, problems: Problems) -> None:
    """Where the charge that comes with Carré is played by a battle that lacks its troops: one error that says
    so, in place of one a field."""
    document = problems.document
    origin = document.origins.get(("ruleset",))
    own = [
        (side, name)
        for side in ("charger", "target")
        for name in ("nation", "type")
        if (side, name) not in document.origins
    ]
    if document.path != DEFAULT or origin is None or not problems.sound(("ruleset",)) or problems.sound(*own):
        return
    told = (
        f"the default charge is of 1806, French against Prussians, and has troops that {rules.name} "
        "does not know"
    )
    rest = [one for one in problems.errors if not one.startswith(f"{document.name}:")]
    problems.errors[:] = [
        f"{origin}: {told}: give a charge file of this battle (carre new charge NAME writes one to fill in)",
        *rest,
    ]


def rules_of(raw: dict[str, Any], problems: Problems) -> tuple[RuleSet, dict[str, Any]]:
    """The rule set and its switches; where something is wrong with them, another rule set and its own
    switches, so that the rest can be checked."""
    try:
        rules = _ruleset(raw["ruleset"], problems.document)
    except InputError as error:
        problems.error(("ruleset",), str(error), named=False)
        rules = catalogue.load(shipped.DEFAULT)
        return rules, rules.switches()
    edition = raw["edition"]
    try:
        rules.switches(edition)
    except InputError as error:
        problems.error(("edition",), str(error).removeprefix("edition "))
        edition = None
    for name, value in raw["switches"].items():
        try:
            if problems.sound(("switches", name)):
                rules.switches(edition, {name: value})
        except InputError as error:
            problems.error(("switches", name), str(error), named=False)
    right = {name: value for name, value in raw["switches"].items() if problems.sound(("switches", name))}
    return rules, rules.switches(edition, right)


def _ruleset(name: str, document: Document) -> RuleSet:
    """The rule set that a charge names: a path in its file is relative to that file, one in an option to the
    working directory.

    Of a charge that was loaded before it is the one found then, whatever has become of the file.
    """
    if ("ruleset",) in document.loaded:
        return cast("RuleSet", document.loaded["ruleset",])
    return catalogue.load(name, folder=_folder(document))


def _folder(document: Document) -> Path | None:
    """What the path of a charge's rule set is relative to; None for the working directory."""
    given = document.origins.get(("ruleset",))
    return None if given or document.path is None else document.path.parent


def files(document: Document) -> list[Path]:
    """The files that a charge is read from: its own, its rule set's, and those that extends; as far as they
    can be read."""
    own = [] if document.path is None else [document.path]
    name = document.data.get("ruleset", shipped.DEFAULT) if isinstance(document.data, dict) else None
    try:
        return own + (chain.files(name, _folder(document)) if isinstance(name, str) else [])
    except InputError:
        return own
