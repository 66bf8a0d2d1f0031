"""Kinds of field that only rule sets need: sources, odds, ranges of rolls, rows of charts, lines of modifier
tables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from sim.ensemble import ladder
from sim.errors import InputError, did_you_mean, one_of
from sim.inputs.documents import Key
from sim.inputs.fields import (
    Choice,
    Field,
    Integer,
    Number,
    Problems,
    Record,
    Roll,
    Schema,
    Sequence,
    Text,
)
from sim.rulesets import blocks
from sim.rulesets.conditions import Setting
from sim.rulesets.sources import SOURCE, TAGS

LETTERS = ("AR", "AD", ".", "DD", "DR", "DS")
"""Results of the melee table, from the attacker's worst to his best; `.` is none."""
AMOUNT = Integer(low=-35, high=35)
"""What a modifier may add to the dice, in steps of the ladder."""

_ODDS = re.compile(r"[0-9]{1,3}(\.[0-9]{1,2})?:[0-9]{1,3}(\.[0-9]{1,2})?")
_SPAN = re.compile(r"[1-6][1-6](-[1-6][1-6])?")
_RESULT = re.compile(r"AR|AD|\.|DD|DR|DS|[0-9]\*?/[0-9]\*?")
_EXACT = re.compile(r"[0-9]{1,6}([./][0-9]{1,6})?")


class Source(Text):
    """Where a value comes from: a kind of evidence in brackets, then the reference."""

    def expected(self) -> str:
        return f"a source that begins with {one_of([f'[{tag}]' for tag in TAGS])}"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if isinstance(value, str) and len(value) <= self.longest and value.isprintable():
            if SOURCE.match(value):
                return value
            tag = re.match(r"\W*(\w+)", value)
            return self._wrong(value, key, problems, did_you_mean(tag[1], TAGS) if tag else "")
        return self._wrong(value, key, problems)

    def _schema(self) -> Schema:
        return super()._schema() | {"pattern": f"^{SOURCE.pattern}"}


class Lender(Text):
    """The rule set a value is borrowed from; another name than a known one is only doubtful."""

    known: tuple[str, ...]

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if isinstance(super().check(value, key, problems), str) and value not in self.known:
            near = did_you_mean(value, self.known)
            problems.warn(key, f"should be the name of a rule set, got {value!r}{near and f'.{near}'}")
        return value


class Exact(Number):
    """A number, written short: no exponents, which could be of any size."""

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if isinstance(value, str) and not _EXACT.fullmatch(value):
            return self._wrong(value, key, problems)
        return super().check(value, key, problems)


class Odds(Field):
    """Odds such as 1:2; the program uses attack divided by defence."""

    def expected(self) -> str:
        return 'odds, in quotes, such as "1:2" or "1.5:1"'

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if isinstance(value, str) and _ODDS.fullmatch(value):
            attack, defence = (Fraction(part) for part in value.split(":"))
            if attack and defence:
                return attack / defence
        return self._wrong(value, key, problems)

    def _schema(self) -> Schema:
        return {"type": "string", "pattern": f"^{_ODDS.pattern}$"}


class Column(Odds):
    """Odds that name a column: the text as it is written."""

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        return None if super().check(value, key, problems) is None else value


class Span(Field):
    """A range of rolls, as indices of the ladder."""

    def expected(self) -> str:
        return "a range of rolls from low to high such as 11-43, or one roll such as 66"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        text = (
            re.sub(" *- *", "-", str(value))
            if isinstance(value, str | int) and not isinstance(value, bool)
            else ""
        )
        if _SPAN.fullmatch(text):
            try:
                return ladder.parse_range(text)
            except InputError:
                pass
        return self._wrong(value, key, problems)

    def _schema(self) -> Schema:
        return {"anyOf": [{"type": "string", "pattern": f"^{_SPAN.pattern}$"}, Roll().schema()]}


class Partition(Field):
    """Results with the rolls that give them: every roll once, and higher rolls never a result that comes
    before.

    Attributes
    ----------
    result
        What a result may be: a `Choice` in the order in which rising rolls must give them, or an `Integer`.
    rising
        That order in words, after "must".
    """

    result: Choice | Integer
    rising: str

    def expected(self) -> str:
        return f"a mapping from {self.result.expected()} to ranges of rolls"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if not isinstance(value, dict):
            return self._wrong(value, key, problems)
        before = len(problems.errors)
        spans = {}
        for name, item in value.items():
            self.result.check(name, (*key, name), problems)
            spans[name] = Span().check(item, (*key, name), problems)
        if len(problems.errors) > before:
            return None
        given = [index for span in spans.values() for index in span]
        missing = sorted(set(range(ladder.STEPS)) - set(given))
        doubled = (
            sorted({index for index in given if given.count(index) > 1})
            if len(given) > ladder.STEPS - len(missing)
            else []
        )
        if missing or doubled:
            told = [f"missing {ladder.runs_of(missing)}"] * bool(missing) + [
                f"doubled {ladder.runs_of(doubled)}"
            ] * bool(doubled)
            problems.error(key, f"must give every roll once; {', '.join(told)}")
            return None
        for low, high in pairwise(sorted(spans, key=lambda name: spans[name].start)):
            if self._rank(low) > self._rank(high):
                first, last = ladder.format_range(spans[low]), ladder.format_range(spans[high])
                problems.error(key, f"must {self.rising}, got {low} on {first} and {high} on {last}")
                return None
        return spans

    def _rank(self, result: object) -> int:
        return self.result.values.index(result) if isinstance(self.result, Choice) else int(str(result))

    def _schema(self) -> Schema:
        return {"type": "object", "additionalProperties": Span().schema()}


class Result(Field):
    """A cell of the melee table."""

    def expected(self) -> str:
        return "AR, AD, ., DD, DR, DS, or losses such as 1/2 or 2*/0 (0 to 9, * for a check)"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if isinstance(value, str) and _RESULT.fullmatch(value):
            return value
        return self._wrong(
            value, key, problems, did_you_mean(value, LETTERS) if isinstance(value, str) else ""
        )

    def _schema(self) -> Schema:
        return {"type": "string", "pattern": f"^({_RESULT.pattern})$"}


class Numbered(Field):
    """A mapping from numbers to values of one kind, all numbers needed."""

    numbers: tuple[int, ...]
    item: Field

    def expected(self) -> str:
        return f"a mapping from the numbers {self.numbers[0]} to {self.numbers[-1]} to values"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if not isinstance(value, dict):
            return self._wrong(value, key, problems)
        known = Choice(values=self.numbers)
        result = {}
        for name, item in value.items():
            if known.check(name, (*key, name), Problems(problems.document)) is None:
                problems.error(
                    (*key, name),
                    f"must be a number from {self.numbers[0]} to {self.numbers[-1]}, without "
                    f"quotes, got {name!r}",
                )
            else:
                result[name] = self.item.check(item, (*key, name), problems)
        if missing := [number for number in self.numbers if number not in value]:
            problems.error(
                key,
                f"must have every number from {self.numbers[0]} to {self.numbers[-1]}; missing "
                f"{', '.join(map(str, missing))}",
            )
        return result

    def _schema(self) -> Schema:
        names = [str(number) for number in self.numbers]
        return {
            "type": "object",
            "additionalProperties": False,
            "required": names,
            "properties": dict.fromkeys(names, self.item.schema()),
        }


class Faces(Field):
    """A mapping from the 36 rolls to values of one kind, all rolls needed."""

    item: Field

    def expected(self) -> str:
        return "a mapping from the 36 rolls to lists of results"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if not isinstance(value, dict):
            return self._wrong(value, key, problems)
        result = {}
        for face, item in value.items():
            if ladder.is_face(Roll().check(face, (*key, face), problems)):
                result[face] = self.item.check(item, (*key, face), problems)
        if missing := [index for index in range(ladder.STEPS) if ladder.face_of(index) not in value]:
            problems.error(key, f"must give every roll once; missing {ladder.runs_of(missing)}")
        return result

    def _schema(self) -> Schema:
        names = [str(face) for face in ladder.FACES]
        return {
            "type": "object",
            "additionalProperties": False,
            "required": names,
            "properties": dict.fromkeys(names, self.item.schema()),
        }


class Entries(Record):
    """A record of entries of one kind, perhaps with a source beside them; what it builds holds them in
    `rows`, a plain mapping is only them."""

    def _built(self, checked: dict[Any, Any]) -> Any:
        return self._rest(checked)["rows"] if self.builds is None else super()._built(checked)

    def _rest(self, checked: Mapping[Any, object]) -> dict[str, object]:
        named = self.builds.attributes if self.builds else ()
        beside = ("source", "lender", *(name for name in self.fields if name in named))
        return {"rows": {name: one for name, one in checked.items() if name not in beside}}


class Table(Entries):
    """A record with further entries under free names, all of one kind: `least` of them or more."""

    rest: Field
    least: int = 0
    name: Field = Text(longest=60)

    def expected(self) -> str:
        return "a mapping from names to values"

    def _checked(self, value: dict[Any, Any], key: Key, problems: Problems) -> dict[Any, Any]:
        result = super()._checked(
            {name: item for name, item in value.items() if name in self.fields}, key, problems
        )
        for name, item in value.items():
            if name in self.fields:
                continue
            hint = "" if isinstance(item, dict | list) else did_you_mean(name, self.fields)
            if hint:
                problems.error((*key, name), f"is not a known field.{hint}")
            elif self.name.check(name, (*key, name), problems) is not None:
                result[name] = self.rest.check(item, (*key, name), problems)
        if len(value) < self.least:
            problems.error(key, f"must have {self.least} entry or more, got {len(value)}")
        return result

    def _schema(self) -> Schema:
        return (
            super()._schema()
            | {"additionalProperties": self.rest.schema()}
            | ({"minProperties": self.least} if self.least else {})
        )


class Levels(Field):
    """A value for each morale level."""

    def expected(self) -> str:
        return "a mapping from morale levels to integers from -35 to 35"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if not isinstance(value, dict):
            return self._wrong(value, key, problems)
        before = len(problems.errors)
        for level, amount in value.items():
            Integer(low=0, high=3, unit="a morale level").check(level, (*key, level), problems)
            AMOUNT.check(amount, (*key, level), problems)
        if len(problems.errors) > before:
            return None
        if missing := [level for level in (1, 2, 3) if level not in value]:
            problems.warn(
                key,
                f"should have the levels 1, 2 and 3; missing {', '.join(map(str, missing))}, which count 0",
            )
        amounts = [value[level] for level in sorted(value)]
        grows = all(abs(low) <= abs(high) and low * high >= 0 for low, high in pairwise(amounts))
        if not grows:
            problems.warn(key, f"should grow in size with the level, got {', '.join(map(str, amounts))}")
        return value

    def _schema(self) -> Schema:
        levels = {str(level): AMOUNT.schema() for level in range(4)}
        return {"type": "object", "additionalProperties": False, "properties": levels}


class Cancels(Field):
    """Which other lines of a table a line takes back: all that are below or above 0, or those of some
    keys."""

    known: tuple[str, ...] | None = None

    def expected(self) -> str:
        return "minus, plus, or a list of keys of modifiers"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if value in ("minus", "plus"):
            return value
        if not isinstance(value, list) or not value:
            return self._wrong(value, key, problems, did_you_mean(value, ("minus", "plus")))
        return tuple(Text(longest=60).check(one, (*key, i), problems) for i, one in enumerate(value))

    def _schema(self) -> Schema:
        return {
            "anyOf": [
                {"enum": ["minus", "plus"]},
                {"type": "array", "items": Text(longest=60).schema(), "minItems": 1},
            ]
        }


class Modifier(Record):
    """A line of a modifier table: one value, perhaps counted `per` a number, or values by the number that
    `of` names.

    A line may also take others back (`cancels`), or spare its unit the check (`no_check`); then it needs no
    value.

    Attributes
    ----------
    amounts
        The fields that hold a value that is not by level.
    """

    amounts: tuple[str, ...] = ("value",)

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        result = super().check(value, key, problems)
        if not isinstance(value, dict):
            return result
        single, spares = any(name in value for name in self.amounts), value.get("no_check") is True
        other = [name for name in (*self.amounts, "values", "cancels") if name in value]
        if spares and other:
            problems.error(
                (*key, "no_check"), f"must stand without '{other[0]}': who makes no check has no use for it"
            )
        elif single and "values" in value:
            problems.error(key, "must have either 'value', or 'values' and 'of', got both")
        elif not spares and not other and self.amounts == ("value",):
            problems.error(key, "must have either 'value', or 'values' and 'of', got neither")
        elif not spares and (single or not other):
            for name in self.amounts:
                if name not in value:
                    problems.error(
                        key, f"must have the field '{name}' ({AMOUNT.expected()}), but it is missing"
                    )
        if single and "values" in value:
            return result
        by_level = "of" in self.fields  # where it is no field, the record has told so
        if by_level and "values" in value and "of" not in value:
            problems.error(
                key,
                f"must have the field 'of' ({self.fields['of'].expected()}), by which 'values' go, "
                "but it is missing",
            )
        elif by_level and "of" in value and "values" not in value:
            problems.error((*key, "of"), "must stand beside 'values', got 'value'")
        elif "per" in value and not single:
            problems.error((*key, "per"), f"must stand beside '{self.amounts[0]}', which it multiplies")
        return result


class Given(Record):
    """A record that becomes a mapping of the fields that are given."""

    def _built(self, checked: dict[Any, Any]) -> Any:
        return {name: one for name, one in checked.items() if one is not None}


class Zones(Record):
    """How a formation faces, and the zone of each hexside by its turn away from the facing."""

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        result = super().check(value, key, problems)
        if isinstance(result, blocks.Facing) and result.zones is not None and result.faces:
            needed = 4 if result.faces == "side" else 3
            if len(result.zones) != needed:
                problems.error(
                    (*key, "zones"),
                    f"must be a list of {needed} values for a formation that faces a {result.faces}, got "
                    f"{len(result.zones)}",
                )
        return result


class ByArm(Field):
    """A record whose fields go by its field `arm`; the first arm is meant where it is left out."""

    arms: Mapping[str, Record]

    def expected(self) -> str:
        return "a mapping that describes a troop type"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if not isinstance(value, dict):
            return self._wrong(value, key, problems)
        arm = Choice(values=tuple(self.arms)).check(
            value.get("arm", next(iter(self.arms))), (*key, "arm"), problems
        )
        if arm is None:
            return None
        return self.arms[arm].check(
            {name: one for name, one in value.items() if name != "arm"}, key, problems
        )

    def _schema(self) -> Schema:
        found = []
        for i, (arm, record) in enumerate(self.arms.items()):
            inner = record.schema()
            inner["properties"] = {"arm": {"const": arm}, **inner["properties"]}
            found.append(inner | ({"required": ["arm", *inner.get("required", [])]} if i else {}))
        return {"anyOf": found}


class Thresholds(Sequence):
    """Numbers at which an organisation reaches level 1, 2 and 3."""

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        result = super().check(value, key, problems)
        if isinstance(result, tuple) and None not in result:
            for i, (low, high) in enumerate(pairwise(result), 1):
                if low >= high:
                    problems.error((*key, i), f"must be above {low}, the number for level {i}, got {high}")
        return result


class SwitchValue(Choice):
    """The value of a switch; anything where its values cannot be told."""

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        return super().check(value, key, problems) if self.values else value


class Scalar(Field):
    """A value of a switch."""

    def expected(self) -> str:
        return "true, false, an integer from 0 to 99 or text"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        fits = isinstance(value, bool) or (isinstance(value, int) and 0 <= value <= 99)
        if fits or (isinstance(value, str) and 0 < len(value) <= 40 and value.isprintable()):
            return value
        return self._wrong(value, key, problems)

    def _schema(self) -> Schema:
        return {"type": ["boolean", "integer", "string"]}


class Switch(Record):
    """A switch, its default one of its values."""

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        result = super().check(value, key, problems)
        if (
            isinstance(result, blocks.Switch)
            and result.values
            and result.default is not None
            and None not in result.values
        ):
            Choice(values=result.values).check(result.default, (*key, "default"), problems)
        return result


class Settings(Field):
    """Values for some of the switches."""

    switches: Mapping[str, tuple[Setting, ...]] | None

    def expected(self) -> str:
        return "a mapping from switches to values"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if not isinstance(value, dict):
            return self._wrong(value, key, problems)
        result = {}
        for name, one in value.items():
            if self.switches is not None and name not in self.switches:
                problems.error(
                    (*key, name),
                    f"is not a known switch.{did_you_mean(name, self.switches)}".removesuffix("."),
                )
            elif self.switches is not None:
                result[name] = SwitchValue(values=self.switches[name]).check(one, (*key, name), problems)
        return result

    def _schema(self) -> Schema:
        names = {name: {"enum": list(values)} for name, values in (self.switches or {}).items()}
        return {"type": "object", "additionalProperties": self.switches is None, "properties": names}


class Part(Record):
    """What an effect of the matrix does to one side, by arm; the program needs one of some arms."""

    needs: tuple[str, ...]

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if isinstance(value, dict) and not any(arm in value for arm in self.needs):
            problems.error(
                key, f"must have the field {one_of([repr(arm) for arm in self.needs])}, but it is missing"
            )
        return super().check(value, key, problems)


AMOUNT = Integer(low=-35, high=35)
_ODDS_FIELD = Odds()
