"""Results as pandas frames: a row a run and response, or a row a different end with its weight; and what
their facts are distributed like.

Both have the facts of an end (`ends.COLUMNS`) as truth values, categories and small integers, and say in
every row by which rules, by which method and from which seed they come.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sim.studies.asked import several
from sim.studies.batches import BATCH, Batch, simulated
from sim.studies.ends import COLUMNS, Codes, column_of
from sim.studies.tally import Tally
from sim.units.charges import Charge
from sim.units.orders import SQUARE_PLANS, Variant

if TYPE_CHECKING:
    import pandas as pd


def each_run(
    charge: Charge,
    variants: Sequence[Variant],
    runs: int,
    seed: int,
    origin: Mapping[str, Any],
    size: int | None = None,
    charge_number: int = 0,
) -> Iterator[pd.DataFrame]:
    """The runs of a simulation, batch by batch: frames with a row a run and response, by run.

    Parameters
    ----------
    variants
        What is played, one a response.
    origin
        What every row says of where it comes from.
    size
        Runs of a batch, which change nothing but the rows of a frame.
    charge_number
        Which of the charges of the half, from 0; the frames count from 1.
    """
    size = size or max(1, BATCH // len(variants))
    for batch in simulated(charge, variants, runs, seed, size=size, charge_number=charge_number):
        yield _frame_of(batch, variants, origin, charge_number)


def _frame_of(
    batch: Batch, variants: Sequence[Variant], origin: Mapping[str, Any], charge_number: int
) -> pd.DataFrame:
    import pandas as pd

    lanes = batch.lane_of_run.T.ravel()
    run = np.repeat(np.arange(batch.first, batch.first + batch.runs), len(variants))
    which = np.tile(np.arange(len(variants)), batch.runs)
    played = _played(variants, which, charge_number)
    return pd.DataFrame({"run": run} | played | _facts(batch.codes, lanes) | constant(origin, len(run)))


def ends_frame(
    variants: Sequence[Variant], tallies: Sequence[Tally], origin: Mapping[str, Any], charge_number: int = 0
) -> pd.DataFrame:
    """The different ends of variants, one a response, with their weights.

    `weight` is a number of runs, or exact, a `Fraction`; `p` is the same as a number. Both add up to all
    runs, or to 1, for each response.
    """
    import pandas as pd

    which = np.repeat(np.arange(len(tallies)), [len(tally.codes) for tally in tallies])
    codes = np.concatenate([tally.codes for tally in tallies])
    weights = [tally.part(weight) for tally in tallies for weight in tally.weights.tolist()]
    p = [float(tally.part(weight) / tally.total) for tally in tallies for weight in tally.weights.tolist()]
    told = {"weight": weights, "p": p}
    return pd.DataFrame(
        _played(variants, which, charge_number)
        | _facts(codes, np.arange(len(codes)))
        | told
        | constant(origin, len(codes))
    )


def distribution(ends: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """How some facts are distributed together: a row each response and values that occur, with their weight
    and probability.

    Raises
    ------
    UnknownNameError
        If one is not a fact of an end.
    """
    told = ["charge"] * (ends["charge"].nunique() > 1) + ["response"]
    facts = [*told, *several("by", by, tuple(COLUMNS))]
    found = ends.groupby(facts, observed=True)["weight"].sum().reset_index()
    whole = found.groupby(told, observed=True)["weight"].transform("sum")
    return found.assign(p=(found["weight"] / whole).astype(float))


def joined(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Frames of the same columns as one, categories kept, or united where they differ."""
    import pandas as pd

    categories = frames[0].columns[frames[0].dtypes == "category"]
    return pd.concat(frames, ignore_index=True).astype(dict.fromkeys(categories, "category"))


def _played(variants: Sequence[Variant], which: NDArray[np.intp], charge_number: int) -> dict[str, Any]:
    """What was played in each row: the response, the number of the charge, and what it does against a
    square."""
    squares = np.array([SQUARE_PLANS.index(variant.square) for variant in variants], np.int8)
    return {
        "response": category(which.astype(np.int8), [variant.response for variant in variants]),
        "charge": np.full(len(which), charge_number + 1, np.int8),
        "against_square": category(squares[which], SQUARE_PLANS),
    }


def _facts(codes: Codes, rows: NDArray[Any]) -> dict[str, Any]:
    """The facts of ends, each taken for the rows that ended so."""
    found: dict[str, Any] = {}
    for name, column in COLUMNS.items():
        values = column_of(codes, name)[rows]
        found[name] = category(values, column.names) if column.names else values
    return found


def category(codes: NDArray[Any], names: Sequence[str], other: str = "") -> pd.Categorical[Any]:
    """A column of categories: the numbers of names, shape (k,); -1 is `other`, or missing where that is
    empty."""
    import pandas as pd

    if other:
        return category(np.where(codes < 0, len(names), codes), [*names, other])
    return pd.Categorical.from_codes(codes, dtype=pd.CategoricalDtype(list(names)))


def constant(origin: Mapping[str, Any], n: int) -> dict[str, Any]:
    """The same in every row: texts as categories of one."""
    return {
        name: category(np.zeros(n, np.int8), [value]) if isinstance(value, str) else value
        for name, value in origin.items()
    }
