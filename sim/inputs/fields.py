"""What a field of a file may hold: constraints as data, one validator, one form of message.

Each kind of field checks a value, says what it expected, and describes itself as JSON Schema, so that the
checks, the messages and the schema that editors use cannot drift apart.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, ClassVar, Self, dataclass_transform

from sim.ensemble import ladder
from sim.errors import InputError, did_you_mean, one_line, one_of
from sim.inputs import plain
from sim.inputs.documents import Document, Key, dotted
from sim.inputs.plain import Written

REQUIRED = object()
Schema = dict[str, Any]
"""JSON Schema."""
_LARGEST = 10**15
_WIDEST = 80
_MOST_HINTS = 100
_MOST_TOLD = 100


class Problems:
    """Collects what is wrong with one document, in the order found."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.errors: list[str] = list(document.problems)
        self.warnings: list[str] = []
        self.silent = False
        self._faulty: set[Key] = set()

    def trial(self) -> Problems:
        """A collection of the same kind for one value that is only tried; nobody reads what it collects."""
        trial = Problems(self.document)
        trial.errors.clear()
        trial.silent = True
        return trial

    def error(self, key: Key, text: str, about: Key | None = None, named: bool = True) -> None:
        """Note an error about the value at `key`.

        Parameters
        ----------
        text
            Goes on after the field's name, or (`named` false) says all itself.
        about
            The field itself where it is missing, and `key` is what lacks it.
        """
        self.errors.append(
            one_line(self._line(key, text) if named else f"{self.document.where(key)}: {text}")
        )
        self._faulty.add(key if about is None else about)

    def sound(self, *keys: Key) -> bool:
        """Whether no error is about these values, anything in them, or anything that they stand in."""
        return not any(one[: len(key)] == key[: len(one)] for one in self._faulty for key in keys)

    def warn(self, key: Key, text: str) -> None:
        """Note something that is allowed but looks like a slip."""
        self.warnings.append(one_line(self._line(key, text)))

    def _line(self, key: Key, text: str) -> str:
        subject = f"'{dotted(key)}' " if key else ""
        return f"{self.document.where(key)}: {subject}{text}"

    def raise_first(self, kind: type[InputError] = InputError) -> None:
        """Raise the errors, if there are any: of a file as it stands the first, since lint tells the rest; of
        what is in no file all of them."""
        more = len(self.errors) - 1
        if more > 0 and self.document.path is not None and not self.document.origins:
            raise kind(f"{self.errors[0]} (and {more} more: see carre lint)")
        if self.errors:
            rest = len(self.errors) - _MOST_TOLD
            raise kind(*self.errors[:_MOST_TOLD], *([f"and {rest} more"] if rest > 0 else []))


@dataclass_transform(kw_only_default=True, frozen_default=True, eq_default=False)
class Built:
    """Base of kinds of field and of the frozen objects that records build: attributes as annotated, given by
    keyword, with defaults.

    A data class to the type checker only: writing code for each class takes a fifth of a look-up's start-up.
    """

    attributes: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.attributes = (*cls.attributes, *inspect.get_annotations(cls))

    def __init__(self, **values: Any) -> None:
        vars(self).update(
            {name: values[name] if name in values else getattr(type(self), name) for name in self.attributes}
        )

    def changed(self, **values: Any) -> Self:
        """The same with other values of some attributes."""
        return type(self)(**vars(self) | values)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.attributes)
        return f"{type(self).__name__}({told})"


class Field(Built):
    """Base of all kinds: a default (`REQUIRED` if none) and one line of description."""

    default: Any = REQUIRED
    doc: str = ""

    def expected(self) -> str:
        """What a value must be, for messages."""
        raise TypeError("a kind of field says what it expects")

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        """The value as the program uses it; notes an error and returns the default otherwise."""
        raise TypeError("a kind of field checks its values")

    def schema(self) -> Schema:
        """JSON Schema of the field."""
        inner = self._schema()
        if self.doc:
            inner["description"] = self.doc
        if (
            self.default is not REQUIRED
            and self.default is not None
            and isinstance(self.default, str | int | bool)
        ):
            inner["default"] = self.default
        return inner

    def _schema(self) -> Schema:
        return {}

    def _wrong(self, value: object, key: Key, problems: Problems, hint: str = "") -> Any:
        told = (
            f"must be {self.expected()}, got "
            f"{_shown(value, _word(value, key, problems))}{self._form(value, key, problems)}"
        )
        problems.error(key, f"{told}.{hint}".removesuffix("."))
        if self.default is REQUIRED:
            return None
        return self.default() if callable(self.default) else self.default

    def _form(self, value: object, key: Key, problems: Problems) -> str:
        """How to write a value that means the right thing but is written in a way that is not read, or
        nothing."""
        if problems.silent:
            return ""
        word = value if isinstance(value, str) else _word(value, key, problems)
        form = plain.plain_form(word) if isinstance(value, str | float | Written) and word else None
        if form is not None and len(form) <= plain.LONGEST:
            number = Fraction(form)
            if self._accepts(int(number) if number.denominator == 1 else number, key, problems):
                return f": write {number if number.denominator == 1 else form}"
        if not isinstance(value, str) and word and self._accepts(word, key, problems):
            return f": write {word!r}"
        return ""

    def _accepts(self, value: object, key: Key, problems: Problems) -> bool:
        trial = problems.trial()
        self.check(value, key, trial)
        return not trial.errors


def _word(value: object, key: Key, problems: Problems) -> str | None:
    """A number or a word of YAML's as it is written; None for anything else."""
    if isinstance(value, Written):
        return value.text
    if value is None or isinstance(value, bool | float):
        return problems.document.written.get(key)
    return str(value) if isinstance(value, int) and abs(value) < _LARGEST else None


def _shown(value: object, word: str | None = None) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, int) and abs(value) >= _LARGEST:
        return "a number of more than 15 digits"
    if value is None or isinstance(value, bool):
        return word or ("nothing" if value is None else str(value).lower())
    text = word or repr(value[:_WIDEST] if isinstance(value, str) else value)
    return text if len(text) < _WIDEST else text[: _WIDEST - 3] + "..."


class Integer(Field):
    """A whole number within limits."""

    low: int
    high: int
    unit: str = ""

    def expected(self) -> str:
        return f"an integer from {self.low} to {self.high}" + (f" ({self.unit})" if self.unit else "")

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high:
            return value
        return self._wrong(value, key, problems)

    def _schema(self) -> Schema:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


class Roll(Field):
    """A face of the ladder, 11..66."""

    def expected(self) -> str:
        return "one of the 36 rolls 11..16, 21..26, ..., 61..66"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        return value if ladder.is_face(value) else self._wrong(value, key, problems)

    def _schema(self) -> Schema:
        return {"type": "integer", "enum": list(ladder.FACES)}


class Number(Field):
    """An exact number: an integer, a decimal, or a fraction such as 3/2."""

    low: Fraction | int = 0
    high: Fraction | int = 1000

    def expected(self) -> str:
        return f"a number from {self.low} to {self.high}, such as 2, 1.5 or 3/2"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if (
            isinstance(value, int | float | str | Fraction)
            and not isinstance(value, bool)
            and not (isinstance(value, int) and abs(value) >= _LARGEST)
        ):
            number = plain.number(str(value))
            if number is not None and self.low <= number <= self.high and number.denominator <= 1000:
                return number
        return self._wrong(value, key, problems)

    def _schema(self) -> Schema:
        number = {"type": "number", "minimum": float(self.low), "maximum": float(self.high)}
        return {
            "anyOf": [
                number,
                {"type": "string", "pattern": r"^[-+]?(0|[1-9][0-9]*)(\.[0-9]+|/[1-9][0-9]*)?$"},
            ]
        }


class Flag(Field):
    """true or false."""

    def expected(self) -> str:
        return "true or false"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        return value if isinstance(value, bool) else self._wrong(value, key, problems)

    def _schema(self) -> Schema:
        return {"type": "boolean"}


class Text(Field):
    """Printable text on one line."""

    longest: int = 200

    def expected(self) -> str:
        return f"text of at most {self.longest} characters"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if isinstance(value, str) and 0 < len(value) <= self.longest and value.isprintable():
            return value
        hint = ""
        if isinstance(value, str) and len(value) <= self.longest:
            hint = " It has a character that is not printable." if value else " It is empty."
        return self._wrong(value, key, problems, hint)

    def _schema(self) -> Schema:
        return {"type": "string", "minLength": 1, "maxLength": self.longest}


class Choice(Field):
    """One of some values."""

    values: tuple[object, ...]

    def expected(self) -> str:
        return one_of([str(value).lower() if isinstance(value, bool) else value for value in self.values])

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        for known in self.values:
            if type(known) is type(value) and known == value:
                return value
        return self._wrong(value, key, problems, did_you_mean(value, self.values))

    def _schema(self) -> Schema:
        return {"enum": list(self.values)}


class Sequence(Field):
    """A list of values of one kind."""

    item: Field
    longest: int = 100
    shortest: int = 0

    def expected(self) -> str:
        if self.shortest == self.longest:
            return f"a list of {self.longest} values"
        return f"a list of {self.shortest} to {self.longest} values"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if not isinstance(value, list) or not self.shortest <= len(value) <= self.longest:
            return self._wrong(value, key, problems)
        return tuple([self.item.check(item, (*key, i), problems) for i, item in enumerate(value)])

    def _schema(self) -> Schema:
        return {
            "type": "array",
            "items": self.item.schema(),
            "minItems": self.shortest,
            "maxItems": self.longest,
        }


class Record(Field):
    """A mapping with named fields; unknown names are errors that offer the nearest right one.

    Attributes
    ----------
    builds
        What the mapping becomes; its attributes are the fields' names, with an underscore after a word of
        Python's.
    """

    fields: Mapping[str, Field]
    builds: type[Built] | None = None

    def expected(self) -> str:
        return f"a mapping with {one_of(list(self.fields))}"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if not isinstance(value, dict):
            return self._wrong(value, key, problems)
        return self._built(self._checked(value, key, problems))

    def _checked(self, value: dict[Any, Any], key: Key, problems: Problems) -> dict[Any, Any]:
        """The value of each field, None or its default where it is faulty or missing."""
        for name in value:
            if name not in self.fields:
                hint = (
                    ""
                    if len(problems.errors) > _MOST_HINTS
                    else did_you_mean(name, self.fields) or f" Known fields: {', '.join(self.fields)}."
                )
                problems.error((*key, name), f"is not a known field{hint and '.'}{hint}")
        result = {}
        for name, kind in self.fields.items():
            if name in value:
                result[name] = kind.check(value[name], (*key, name), problems)
            elif kind.default is REQUIRED:
                problems.error(
                    key, f"must have the field '{name}' ({kind.expected()}), but it is missing", (*key, name)
                )
                result[name] = None
            else:
                result[name] = kind.default() if callable(kind.default) else kind.default
        return result

    def _built(self, checked: dict[Any, Any]) -> Any:
        """What the fields' values become."""
        if self.builds is None:
            return checked
        names = [(name, name.removesuffix("_")) for name in self.builds.attributes]
        return self.builds(
            **{name: checked.get(key) for name, key in names if key in self.fields}, **self._rest(checked)
        )

    def _rest(self, checked: Mapping[Any, object]) -> dict[str, object]:
        """What else the object is made of."""
        return {}

    def _schema(self) -> Schema:
        needed = [name for name, kind in self.fields.items() if kind.default is REQUIRED]
        schema: Schema = {"type": "object", "additionalProperties": False}
        schema["properties"] = {name: kind.schema() for name, kind in self.fields.items()}
        return schema | ({"required": needed} if needed else {})


class Mapped(Field):
    """A mapping from free names to values of one kind."""

    item: Field
    name: Callable[[object], bool] = lambda name: True
    names: str = "names"

    def expected(self) -> str:
        return f"a mapping from {self.names} to values"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if not isinstance(value, dict):
            return self._wrong(value, key, problems)
        result = {}
        for name, item in value.items():
            if not self.name(name):
                quoted = (
                    isinstance(name, str) and (bare := plain.integer(name)) is not None and self.name(bare)
                )
                problems.error(
                    (*key, name),
                    f"is not one of {self.names}" + (f": write {bare} without quotes" if quoted else ""),
                )
            else:
                result[name] = self.item.check(item, (*key, name), problems)
        return result

    def _schema(self) -> Schema:
        return {"type": "object", "additionalProperties": self.item.schema()}


class Either(Field):
    """A value that one of several kinds accepts; the message is the expectation of all."""

    kinds: tuple[Field, ...]

    def expected(self) -> str:
        return " or ".join(kind.expected() for kind in self.kinds)

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        for kind in self.kinds:
            trial = problems.trial()
            result = kind.check(value, key, trial)
            if not trial.errors:
                return result
        return self._wrong(value, key, problems)

    def _schema(self) -> Schema:
        return {"anyOf": [kind.schema() for kind in self.kinds]}


def optional(kind: Field) -> Either:
    """A kind that may also be null."""
    return Either(kinds=(_Null(), kind), default=None, doc=kind.doc)


class _Null(Field):
    def expected(self) -> str:
        return "null"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        return value if value is None else self._wrong(value, key, problems)

    def _schema(self) -> Schema:
        return {"type": "null"}
