"""Files written whole: aside in the same directory, then renamed, so that nobody ever finds half of one.

Tables as CSV.
"""

from __future__ import annotations

import errno
import io
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from csv import writer
from pathlib import Path
from typing import Any, BinaryIO

from sim.errors import InputError


def write(path: str | Path, data: bytes, what: str = "file", new: bool = False) -> Path:
    """Write a file at once; arguments and errors are those of `opened`."""
    with opened(path, what, new) as file:
        file.write(data)
    return Path(path)


@contextmanager
def opened(path: str | Path, what: str = "file", new: bool = False) -> Iterator[BinaryIO]:
    """A file to write: whatever goes wrong on the way, a full disk or an interruption, leaves what was there
    before.

    A link is followed, and the permissions of a file that is replaced are kept. What is not an ordinary file
    (a device, the command's own output) is written to directly; but not a pipe that has a name, whose reader
    might never come.

    Parameters
    ----------
    path
        Where; its folder must be there.
    what
        What the file is, for the message.
    new
        Whether it must not be there yet.

    Raises
    ------
    FileExistsError
        With `new`, if it is there.
    InputError
        If it cannot be written.
    """
    target = Path(path)
    try:
        if named_pipe(target):
            raise InputError(f"{path}: the {what} cannot be written (it is a pipe)")
        direct = _direct(target)
        if not target.parent.exists():
            raise InputError(f"{path}: the {what} cannot be written: there is no folder '{target.parent}'")
    except OSError as error:
        raise InputError(f"{path}: the {what} cannot be written ({error.strerror})") from None
    try:
        if new:
            with _aside(target, _publish) as file:
                yield file
        elif direct:
            with target.open("wb") as file:
                yield file
        else:
            with _aside(Path(os.path.realpath(target)), os.replace) as file:
                yield file
    except FileExistsError:
        raise
    except OSError as error:
        raise InputError(f"{path}: the {what} cannot be written ({error.strerror or error})") from None


def folder(path: str | Path) -> Path:
    """A folder to write into, made if it is not there.

    Raises
    ------
    InputError
        If it cannot be made.
    """
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: the folder cannot be made ({error.strerror})") from None
    return Path(path)


def _direct(target: Path) -> bool:
    """Whether a file is there that must not be replaced by another: no ordinary one, or one that this process
    has open as its output."""
    try:
        found = target.stat()
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(found.st_mode):
        return False
    return not stat.S_ISREG(found.st_mode) or _is_output(found)


def named_pipe(path: Path) -> bool:
    """Whether a path is a pipe in a folder, which would be waited for; one that this process has open as its
    output is none."""
    try:
        found = Path(os.path.realpath(path)).lstat()
    except FileNotFoundError:
        return False  # nothing yet, or a pipe without a name, such as /dev/stdout
    return stat.S_ISFIFO(found.st_mode) and not _is_output(found)


def _is_output(found: os.stat_result) -> bool:
    streams = []
    for number in (1, 2):
        with suppress(OSError):
            streams.append(os.fstat(number))
    return any(os.path.samestat(found, one) for one in streams)


@contextmanager
def _aside(target: Path, publish: Callable[[Path, Path], object]) -> Iterator[BinaryIO]:
    kept = _kept(target)
    beside = target.with_name(f".carre-{secrets.token_hex(8)}.part")
    try:
        with beside.open("xb") as file:
            if kept is not None:
                beside.chmod(stat.S_IMODE(kept.st_mode))
                with suppress(
                    AttributeError, OSError
                ):  # another's file becomes one's own, as with any editor; Windows knows no owners
                    os.chown(beside, kept.st_uid, kept.st_gid)
            yield file
            file.flush()
            os.fsync(file.fileno())
        publish(beside, target)
    finally:
        with suppress(FileNotFoundError):
            beside.unlink()


def _kept(target: Path) -> os.stat_result | None:
    """What a file that is replaced was like; None if there is none.

    Renaming needs no leave of the file itself, so it is asked for here.
    """
    try:
        found = target.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return found


def _publish(beside: Path, target: Path) -> None:
    """Give a file its name unless the name is taken; a file system without hard links is asked first
    instead."""
    try:
        os.link(beside, target)
    except FileExistsError:
        raise
    except OSError:
        if target.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        beside.rename(target)


FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""How a text begins that a spreadsheet would take for a formula."""


def cell(value: Any) -> Any:
    """A value as a cell of a CSV: a text that a spreadsheet would run as a formula is marked as text, by an
    apostrophe; numbers stay numbers.

    >>> cell("=1+1"), cell("carre@4"), cell(-3)
    ("'=1+1", 'carre@4', -3)
    """
    if not isinstance(value, str):
        return value
    marked = f"'{value}" if value.startswith(FORMULA) else value
    return "\n".join(marked.splitlines())  # a line's end within a cell, of whatever kind, ends no row


def csv(rows: Iterable[Iterable[Any]]) -> bytes:
    """Rows, the first of them the names of the columns, as a CSV in UTF-8; lists of cells, as `cell` writes
    them."""
    text = io.StringIO()
    lines = writer(text, lineterminator="\n")
    lines.writerows([cell(value) for value in row] for row in rows)
    return text.getvalue().encode()
