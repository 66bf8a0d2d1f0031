"""Frames as Parquet files, written batch by batch.

The file says in its metadata what it is, as JSON under `carre`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.report import writing

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

KEY = b"carre"
"""Where the metadata is in the file's schema."""
ATTRS = b"PANDAS_ATTRS"
"""Where pandas finds it, as the `attrs` of the frame."""


def write(path: str | Path, frames: Iterable[pd.DataFrame], about: Mapping[str, Any]) -> Path:
    """Write frames of the same columns, one after another, as one table; arguments and errors are those of
    `opened`."""
    with opened(path, about) as add:
        for frame in frames:
            add(frame)
    return Path(path)


@contextmanager
def opened(path: str | Path, about: Mapping[str, Any]) -> Iterator[Callable[[pd.DataFrame], None]]:
    """A table to which frames of the same columns are added, one after another.

    Fractions are written as text. Only one frame is held at a time.

    Parameters
    ----------
    about
        What the table is, beside its columns.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    import pyarrow as pa
    from pyarrow import parquet

    with writing.opened(path, "table") as file, ExitStack() as closing:
        writers: list[parquet.ParquetWriter] = []

        def add(frame: pd.DataFrame) -> None:
            table = pa.Table.from_pandas(_plain(frame), preserve_index=False)
            if not writers:
                told = json.dumps(about, ensure_ascii=False).encode()
                metadata = {**(table.schema.metadata or {}), KEY: told, ATTRS: told}
                schema = table.schema.with_metadata(metadata)
                writers.append(closing.enter_context(parquet.ParquetWriter(file, schema)))
            writers[0].write_table(table.cast(writers[0].schema))

        yield add


@contextmanager
def opened_csv(path: str | Path) -> Iterator[Callable[[pd.DataFrame], None]]:
    """A CSV to which frames of the same columns are added, one after another: for tables that are too long
    for `writing.csv`; texts are written as there.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    import pyarrow as pa
    from pyarrow import csv

    with writing.opened(path, "table") as file, ExitStack() as closing:
        writers: list[csv.CSVWriter] = []

        def add(frame: pd.DataFrame) -> None:
            table = _without_dictionaries(pa.Table.from_pandas(_for_csv(frame), preserve_index=False))
            if not writers:
                writers.append(closing.enter_context(csv.CSVWriter(file, table.schema)))
            writers[0].write_table(table)

        yield add


def _for_csv(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame whose categories no spreadsheet runs as formulas."""
    found = frame.copy(deep=False)
    for name in frame.select_dtypes("category"):
        found[name] = frame[name].cat.rename_categories(
            {one: writing.cell(one) for one in frame[name].cat.categories}
        )
    return found


def _without_dictionaries(table: pa.Table) -> pa.Table:
    import pyarrow as pa

    schema = pa.schema(
        [
            pa.field(one.name, pa.string() if pa.types.is_dictionary(one.type) else one.type)
            for one in table.schema
        ]
    )
    return table.cast(schema)


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame whose columns of fractions, or of values of several kinds, are texts."""
    import pyarrow as pa

    found = frame.copy(deep=False)
    for name in frame.select_dtypes("object"):
        try:
            pa.array(frame[name])
        except pa.ArrowException:
            found[name] = frame[name].map(str)
    return found
