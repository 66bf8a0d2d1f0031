"""What is asked of a study, in numbers and names: checked in one place for the command line and for
Python."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from sim.errors import InputError, ScriptError, UnknownNameError, did_you_mean

RUN = (0, 10**12)
RUNS = (1, 10**9)
SEED = (0, 2**63 - 1)
EDITIONS = (2000, 2100)
"""The least and the greatest number of a run, of runs, of a seed, and of an edition."""

_DEEPEST = 50
_LONGEST = 80


def shown(value: object) -> str:
    """A value for a message: never long, whatever it is.

    >>> shown("3"), shown(True), shown(1.5)
    ("'3'", 'True', '1.5')
    """
    if isinstance(value, int) and value.bit_length() > 200:
        return "a number of more than 60 digits"
    if isinstance(value, str | int | float) or value is None:
        text = repr(value[:_LONGEST] if isinstance(value, str) else value)
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
    return f"a {type(value).__name__}"


def whole(name: str, value: Any, low: int, high: int) -> int:
    """A whole number as a plain integer; NumPy's are taken too, truth values are none.

    Raises
    ------
    InputError
        If it is no integer, or not within the limits.
    """
    number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None
    if number is None or not low <= number <= high:
        limit = "2^63 - 1" if high == SEED[1] else f"{high:,}" if high > 10_000 else high
        raise InputError(
            f"{name} must be an integer from {low} to {limit}, got "
            f"{shown(value if number is None else number)}"
        )
    return number


def number(name: str, value: Any, low: float, high: float, unit: str) -> float:
    """A number within limits.

    Raises
    ------
    InputError
        If it is none.
    """
    right = isinstance(value, Real) and not isinstance(value, bool)
    if not right or not low <= value <= high:
        got = f"{float(value):g}" if right and abs(value) < 10**300 else shown(value)
        raise InputError(f"{name} must be a number of {unit} from {low:g} to {high:g}, got {got}")
    return float(value)


def one_of(name: str, value: Any, known: Collection[str]) -> str:
    """One of some names.

    Raises
    ------
    UnknownNameError
        If it is none of them.
    """
    if not isinstance(value, str) or value not in known:
        hint = did_you_mean(value, known) if isinstance(value, str) else ""
        raise UnknownNameError(f"{name} must be one of {', '.join(known)}, got {shown(value)}.{hint}")
    return value


def several(name: str, values: Any, known: Collection[str]) -> tuple[str, ...]:
    """Some of some names, given as a list.

    Raises
    ------
    InputError
        If it is no list, or one of them is unknown.
    """
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"{name} must be a list of names, got {shown(values)}")
    return tuple(one_of(name, value, known) for value in values)


def rolls(values: Any) -> list[int]:
    """Given rolls as plain integers; whether each is one that can be rolled shows when it is needed.

    Raises
    ------
    ScriptError
        If it is no list of integers.
    """
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ScriptError(f"--rolls must be a list of rolls such as [43, 26, 5], got {shown(values)}")
    found = []
    for value in values:
        if not isinstance(value, Integral) or isinstance(value, bool):
            raise ScriptError(
                f"--rolls must be a list of rolls such as [43, 26, 5], got {shown(value)} among them"
            )
        found.append(int(value))
    return found


def plain(value: Any, deep: int = 0) -> Any:
    """A value of Python's as a file would hold it: numbers and arrays of NumPy's, tuples, ranges and paths
    are taken too.

    Raises
    ------
    InputError
        If it is nested too deep, as what contains itself is, or a name in it is no text.
    """
    if deep > _DEEPEST:
        raise InputError(f"a value must be nested at most {_DEEPEST} deep, and not contain itself")
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str | int) or isinstance(name, bool):
                raise InputError(f"the name of a field must be text, got {shown(name)}")
        return {name: plain(inner, deep + 1) for name, inner in value.items()}
    if isinstance(value, list | tuple | range):
        return [plain(inner, deep + 1) for inner in value]
    if isinstance(value, Path):
        return str(value)
    return value.tolist() if hasattr(value, "tolist") else value
