"""What every answer can do in Python: a short repr, a text, a table in a notebook, and a pandas frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from sim.errors import UnknownNameError, did_you_mean

if TYPE_CHECKING:
    import pandas as pd


Found = TypeVar("Found")


def found_by_name(known: Mapping[Any, Found], name: Any, what: str) -> Found:
    """One of some named parts.

    Raises
    ------
    UnknownNameError
        If there is none of that name.
    """
    if name not in list(known):
        raise UnknownNameError(
            f"{what} must be one of {', '.join(map(str, known))}, got {name!r}.{did_you_mean(name, known)}"
        )
    return known[name]


def how_found(method: str, runs: int, seed: int) -> str:
    """How numbers were found, in words."""
    return "exact odds" if method == "exact" else f"{runs:,} simulated runs, seed {seed}, 95 % intervals"


class Result:
    """Base of all answers.

    Each says its `heading`, its `summary` to be read, and its numbers with `to_frame`.
    """

    _lines: ClassVar[Callable[[Any], Iterable[str]] | None] = None

    @classmethod
    def told_by(cls, lines: Callable[[Any], Iterable[str]]) -> None:
        """Have all answers of this class told as text by a report; without one they tell heading and
        summary."""
        cls._lines = staticmethod(lines)

    def heading(self) -> list[str]:
        """What was asked, and how it was answered: lines of text, the first of them enough to tell answers
        apart."""
        raise TypeError("an answer says what it answers")

    def summary(self) -> pd.DataFrame:
        """The answer as a table of texts."""
        raise TypeError("an answer can be shown")

    def to_frame(self) -> pd.DataFrame:
        """The answer as a tidy frame of numbers."""
        raise TypeError("an answer has numbers")

    def __str__(self) -> str:
        tell = type(self)._lines
        return "\n".join(tell(self) if tell else [*self.heading(), "", self.summary().to_string()])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.heading()[0]}>"

    def _repr_html_(self) -> str:
        first, *more = map(escape, self.heading())
        lines = "<br>".join([f"<strong>{first}</strong>", *more])
        return f"<p>{lines}</p>\n{self.summary().to_html(border=0)}"
