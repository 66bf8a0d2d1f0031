"""The mistakes Carré reports: one class per kind, each also a builtin exception.

Every message has one form: where it is, what was expected, what was found, and, when there is one,
the nearest right name.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

_LONGEST = 1_500
_LONGEST_NAME = 100


def printable(text: str) -> str:
    r"""A text on one line that no terminal takes for a command: what is not printable stands as its escape.

    >>> printable("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    return (
        text if text.isprintable() else "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)
    )


def one_line(text: str) -> str:
    """A text as `printable` gives it, and not longer than can be read: of a very long one the beginning and
    the end."""
    text = printable(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 300]} ... {text[-200:]}"


class CarreError(Exception):
    """Base of every error a user can cause; the command line prints it and exits with 2.

    Its message is a printable line for each fault.
    """

    def __init__(self, *faults: str) -> None:
        super().__init__(*(one_line(fault) for fault in faults))

    def __str__(self) -> str:
        return "\n".join(map(str, self.args))


class CarreWarning(UserWarning):
    """Something in a file that is allowed but looks like a slip."""


class InputError(CarreError, ValueError):
    """A file, option or value that cannot be used."""


class UnknownNameError(InputError, LookupError):
    """A rule set, nation, formation or other name that does not exist."""


class ScriptError(InputError):
    """Scripted rolls that do not fit the decisions of the run.

    Attributes
    ----------
    steps
        The run as far as it came.
    """

    def __init__(self, message: str, decision: str = "") -> None:
        super().__init__(message)
        self.args = (*self.args, decision)  # a process that fails hands on a copy, made from these
        self.steps: list[dict[str, Any]] = []

    @property
    def decision(self) -> str:
        """The name of the decision that had no fitting roll, or nothing."""
        return str(self.args[1])

    def __str__(self) -> str:
        return str(self.args[0])


class LaneLimitError(CarreError, RuntimeError):
    """An exact enumeration that would need more lanes than allowed."""


class RepeatedDecisionError(CarreError, AssertionError):
    """A lane was asked for the same decision twice: a fault of the program."""


class ImpossibleStateError(CarreError, RuntimeError):
    """A battle that met a state the rules do not know: a fault of the program.

    Attributes
    ----------
    finished
        What came of the battles before it; None if there are none.
    """

    def __init__(self, scenario: str, run: int, last: int, seed: int, why: str) -> None:
        which = f"run {run}" if run == last else f"one of runs {run} to {last}, played together,"
        super().__init__(
            f"{which} of seed {seed} met an impossible state ({why}); what was finished before it is kept; "
            f"carre explain {scenario} --run {run} --seed {seed} tells it"
        )
        self.finished: Any = None


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """A closing sentence with the nearest known name, or nothing.

    >>> did_you_mean("colum", ["column", "line"])
    " Did you mean 'column'?"
    """
    if len(str(name)) > _LONGEST_NAME:
        return ""
    names = {str(item).lower(): str(item) for item in known}
    close = difflib.get_close_matches(str(name).lower(), names, n=1, cutoff=0.6)
    return f" Did you mean {names[close[0]]!r}?" if close else ""


def one_of(names: Iterable[object]) -> str:
    """`a, b or c`, for the expected part of a message."""
    listed = [str(name) for name in names]
    return listed[0] if len(listed) == 1 else ", ".join(listed[:-1]) + " or " + listed[-1]
