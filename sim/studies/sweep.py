"""Sweeps: the odds of a charge while one or two of its fields vary."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sim.battle.refusals import forbidden, refuse
from sim.ensemble import ladder
from sim.errors import InputError
from sim.inputs import documents, plain
from sim.inputs.documents import Document
from sim.studies.measures import SUCCEEDS
from sim.studies.odds import Odds, by_charge, chosen_responses, odds
from sim.studies.outcomes import percent, records
from sim.studies.results import Result, found_by_name, how_found
from sim.studies.runs import joined
from sim.units import scenarios
from sim.units.charges import Charge

if TYPE_CHECKING:
    import pandas as pd

MOST_CELLS = 2_000


@dataclass(frozen=True)
class Axis:
    """A field and the values it takes."""

    field: str
    values: tuple[Any, ...]


def parse_axis(text: str) -> Axis:
    """An axis such as `target.morale=21..36`, `distance=1..4` or `target.formation=column,line`.

    Morale runs along the ladder (26 is followed by 31), everything else along the integers.

    Raises
    ------
    InputError
        If it is not FIELD=FROM..TO or FIELD=A,B,C.

    Examples
    --------
    >>> parse_axis("target.morale=25..32").values
    (25, 26, 31, 32)
    """
    name, equals, values = text.partition("=")
    if not equals or not name.strip() or not values.strip():
        raise InputError(
            f"--vary must be FIELD=FROM..TO or FIELD=A,B,C, such as target.morale=21..36, got '{text}'"
        )
    name = name.strip()
    try:
        documents.parse_key(name)
        if ".." not in values:
            return Axis(name, tuple(documents.parse_scalar(value) for value in values.split(",")))
    except InputError as error:
        raise InputError(f"--vary {text}: {error}") from None
    first, _, last = (part.strip() for part in values.partition(".."))
    low, high = plain.integer(first), plain.integer(last)
    if low is None or high is None:
        forms = [plain.plain_form(one) for one in (first, last)]
        hint = (
            f": write {forms[0]}..{forms[1]}"
            if all(form and plain.integer(form) is not None for form in forms)
            else ""
        )
        raise InputError(f"--vary {name} must run from an integer to an integer, got '{values}'{hint}")
    if high < low:
        raise InputError(f"--vary {name} must run from low to high, got '{values}'")
    if name.rpartition(".")[2] == "morale":
        if not (ladder.is_face(low) and ladder.is_face(high)):
            raise InputError(
                f"--vary {name} must run between rolls 11..66 with digits 1 to 6, got '{values}'"
            )
        return Axis(name, ladder.FACES[ladder.index_of(low) : ladder.index_of(high) + 1])
    if high - low >= MOST_CELLS:
        raise InputError(f"--vary {name} must take at most {MOST_CELLS:,} values, got '{values}'")
    return Axis(name, tuple(range(low, high + 1)))


def cell_key(value: Any) -> Any:
    """What a value of an axis is found by: itself, or, for a list or a mapping, its text.

    >>> cell_key(26), cell_key([0, 0])
    (26, '[0, 0]')
    """
    return value if isinstance(value, Hashable) else str(value)


@dataclass(frozen=True, repr=False)
class Sweep(Result):
    """Odds of each cell, in the order of the axes (the last varies fastest)."""

    axes: tuple[Axis, ...]
    cells: tuple[tuple[tuple[Any, ...], Odds], ...]

    def __getitem__(self, values: Any) -> Odds:
        """The odds of a cell: the value of the axis, or a tuple of one value an axis."""
        wanted = values if isinstance(values, tuple) else (values,)
        return found_by_name(self._by_key, tuple(map(cell_key, wanted)), "a cell")

    @property
    def charges(self) -> tuple[Sweep, ...]:
        """The sweep of each charge of the half, in order; itself where there is one."""
        number = len(self.cells[0][1].charges)
        if number == 1:
            return (self,)
        return tuple(
            Sweep(self.axes, tuple((values, found.charges[n]) for values, found in self.cells))
            for n in range(number)
        )

    @cached_property
    def _by_key(self) -> dict[tuple[Any, ...], Odds]:
        return {tuple(map(cell_key, values)): found for values, found in self.cells}

    def heading(self) -> list[str]:
        """The charge, what varies, and how the numbers were found."""
        found = self.cells[0][1]
        varied = " and ".join(axis.field for axis in self.axes)
        by = f"{'charge, ' * (len(self.charges) > 1)}response and {varied}"
        shown = f"{SUCCEEDS}, by {by}; {how_found(found.method, found.runs, found.seed)}"
        return [f"{found.charge.title}; {found.charge.played_by}", shown]

    def summary(self) -> pd.DataFrame:
        """How often the charge succeeds: a row a cell, a column a response."""
        import pandas as pd

        if len(self.charges) > 1:
            tables = {number: one.summary() for number, one in enumerate(self.charges, 1)}
            return pd.concat(tables, names=["charge"]).fillna("–")
        rows = [
            {row.response: "–" if row.refused else percent(row.tally, SUCCEEDS) for row in found.rows}
            for _, found in self.cells
        ]
        names = [axis.field for axis in self.axes]
        return pd.DataFrame(rows, index=pd.MultiIndex.from_tuples(list(self._by_key), names=names)).fillna(
            "–"
        )

    def ends(self) -> pd.DataFrame:
        """How the charges ended: the axes, and `Odds.ends` of each cell that has a response which the rules
        allow."""

        frames = []
        for values, found in self.cells:
            if any(row.refused is None for one in found.charges for row in one.rows):
                ends = found.ends()
                for place, (axis, value) in enumerate(zip(self.axes, values, strict=True)):
                    if axis.field in ends:
                        ends = ends.drop(columns=axis.field)
                    ends.insert(place, axis.field, [cell_key(value)] * len(ends))
                frames.append(ends)
        if not frames:
            raise InputError("there are no ends to tell: the rules forbid every response asked for")
        return joined(frames)

    def to_frame(self) -> pd.DataFrame:
        """A tidy frame: the axes, response, best, event, p, low, high, runs, expected losses, and how it was
        found.

        Forbidden responses have no p; `refused` says why. Where one response alone was asked for, `best` is
        empty.
        """
        import pandas as pd

        if len(self.charges) > 1:
            return by_charge([one.to_frame() for one in self.charges])
        rows = []
        for values, found in self.cells:
            where = {axis.field: cell_key(value) for axis, value in zip(self.axes, values, strict=True)}
            best = [row.response for row in found.ties]
            for row in found.rows:
                said = {
                    "response": row.response,
                    "best": row.response in best and not row.refused if len(found.rows) > 1 else None,
                }
                for one in records(row.tally):
                    if row.refused:
                        one |= {name: float("nan") for name, value in one.items() if isinstance(value, float)}
                    rows.append(
                        where
                        | said
                        | one
                        | {"refused": row.refused or ""}
                        | {k: v for k, v in found.origin().items() if k not in where}
                    )
        return pd.DataFrame(rows)


def sweep(
    document: Document,
    axes: Sequence[Axis],
    response: str | None,
    method: str,
    runs: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
    aim: str = "broken",
    over: Collection[documents.Key] = (),
) -> Sweep:
    """Odds over the grid of one or more axes.

    Parameters
    ----------
    over
        Fields that were changed before, and that may vary all the same.

    Raises
    ------
    InputError
        If a cell is not a valid charge, none of them may be made, or there are too many cells.
    """
    fields = [axis.field for axis in axes]
    for field in fields:
        if fields.count(field) > 1:
            raise InputError(f"--vary must name different fields, got {field} twice")
    number = 1
    for axis in axes:
        number *= len(axis.values)
        twice = [value for i, value in enumerate(axis.values) if value in axis.values[:i]]
        if twice:
            raise InputError(f"--vary {axis.field} must take each value once, got {twice[0]} twice")
    if number > MOST_CELLS:
        raise InputError(f"--vary must make at most {MOST_CELLS:,} cells, got {number:,}")
    charges = [
        (values, _cell(document, axes, values, over))
        for values in itertools.product(*(axis.values for axis in axes))
    ]
    for _, charge in charges:
        for attack in charge.attacks:
            chosen_responses(attack, response)
    if len({len(charge.attacks) for _, charge in charges}) > 1:
        raise InputError("--vary must leave the number of charges as it is")
    if all(any(forbidden(charge, n) for n in range(len(charge.attacks))) for _, charge in charges):
        refuse(charges[0][1], charges[0][1].document)
    cells = []
    for values, charge in charges:
        cells.append((values, odds(charge, response, method, runs, seed, aim=aim)))
        if progress is not None:
            progress(len(cells), number)
    return Sweep(tuple(axes), tuple(cells))


def _cell(
    document: Document, axes: Sequence[Axis], values: Sequence[Any], over: Collection[documents.Key]
) -> Charge:
    """The charge of a cell; each is checked before the first is played."""
    for axis, value in zip(axes, values, strict=True):
        said = (
            {None: "null", True: "true", False: "false"}.get(value)
            if value is None or isinstance(value, bool)
            else None
        )
        word, written = said or str(value), dict[documents.Key, str]({(): said} if said else {})
        document = scenarios.change(
            document, documents.parse_key(axis.field), value, f"--vary {axis.field}={word}", written, over
        )
    charge, problems = scenarios.check(document)
    problems.raise_first()
    if charge is None:
        raise InputError(f"{document.name}: the charge cannot be used")
    return charge
