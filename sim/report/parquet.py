"""Frames as Parquet files, written batch by batch.

The file says in its metadata what it is, as JSON under `carre`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.report import writing

if TYPE_CHECKING:
    import pandas as pd

KEY = b"carre"
"""Where the metadata is in the file's schema."""
ATTRS = b"PANDAS_ATTRS"
"""Where pandas finds it, as the `attrs` of the frame."""


def write(path: str | Path, frames: Iterable[pd.DataFrame], about: Mapping[str, Any]) -> Path:
    """Write frames of the same columns, one after another, as one table.

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
        writer = None
        for frame in frames:
            table = pa.Table.from_pandas(_plain(frame), preserve_index=False)
            if writer is None:
                told = json.dumps(about, ensure_ascii=False).encode()
                metadata = {**(table.schema.metadata or {}), KEY: told, ATTRS: told}
                schema = table.schema.with_metadata(metadata)
                writer = closing.enter_context(parquet.ParquetWriter(file, schema))
            writer.write_table(table.cast(writer.schema))
    return Path(path)


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
