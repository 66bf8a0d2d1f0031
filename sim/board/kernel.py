"""Kernels: functions of arrays, one source that runs interpreted or compiled by Numba, with the same results.

A kernel loops over cases and writes its results into arrays that it is given. The mode is an argument, chosen
once a batch: compiled where many lanes are played, interpreted where a single charge is told. Numba is
imported by the first compiled call and by nothing else.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from enum import Enum
from functools import cache, cached_property
from pathlib import Path
from typing import Generic, ParamSpec, TypeVar, cast

import numpy as np

P = ParamSpec("P")
F = TypeVar("F", bound=Callable[..., object])

_LEAN = {"_nrt": False, "error_model": "numpy"}
"""No reference counts, which would take most of the time and which nothing needs that makes no arrays; no
tests for a division by zero."""

_helpers: dict[Callable[..., object], bool] = {}
"""The helpers, and whether Numba knows of them yet."""


class Mode(Enum):
    """How the kernels of a batch run."""

    INTERPRETED = "interpreted"
    COMPILED = "compiled"


@cache
def fast_mode() -> Mode:
    """Compiled where Numba can be imported, else interpreted: the same results, some hundred times slower."""
    try:
        import numba  # noqa: F401
    except ImportError:
        return Mode.INTERPRETED
    return Mode.COMPILED


class Kernel(Generic[P]):
    """A function of arrays, called as `kernel(mode, *arrays)`. Made by the decorator `kernel`."""

    def __init__(self, function: Callable[P, None]) -> None:
        self.function = function
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self.__module__ = function.__module__
        self.__wrapped__ = function

    def __call__(self, mode: Mode, /, *arguments: P.args, **named: P.kwargs) -> None:
        if mode is Mode.COMPILED:
            self.compiled(*arguments, **named)
        else:
            function = cast(Callable[..., None], self.function)
            function(*map(plain, arguments), **{name: plain(one) for name, one in named.items()})

    @cached_property
    def compiled(self) -> Callable[P, None]:
        """The compiled function; the machine code is kept on disk, by the source of all kernels."""
        import numba

        _prepare_helpers()
        config = vars(numba.config)
        before = config["CACHE_DIR"]
        config["CACHE_DIR"] = str(_store(before) / _digest_of_constants(self.function))
        try:
            compile_it = cast(Callable[..., Callable[..., Callable[P, None]]], numba.njit)
            try:
                return compile_it(cache=True, nogil=True, **_LEAN)(self.function)
            except RuntimeError:  # nowhere to keep machine code: it is compiled anew by each process
                return compile_it(nogil=True, **_LEAN)(self.function)
        finally:
            config["CACHE_DIR"] = before


def kernel(function: Callable[P, None]) -> Kernel[P]:
    """Make a kernel of a function of arrays, integers and tuples of them.

    It must not recurse, and writes results into its last arguments.
    """
    return Kernel(function)


def helper(function: F) -> F:
    """Let kernels call a plain function: as it is when they are interpreted, compiled into them when they are
    compiled."""
    _helpers[function] = False
    return function


def plain(argument: object) -> object:
    """What an interpreted kernel gets for an argument: for an array a memoryview, which is indexed at half
    the cost and gives Python integers, which never wrap; for a named tuple the same for each part."""
    if isinstance(argument, np.ndarray):
        return argument.data
    if isinstance(argument, tuple):
        return cast(Callable[..., object], type(argument))(*map(plain, argument))
    return argument


def _prepare_helpers() -> None:
    from numba.extending import register_jitable

    for function, prepared in _helpers.items():
        if not prepared:
            cast(Callable[..., Callable[[object], object]], register_jitable)(**_LEAN)(function)
            _helpers[function] = True


def _digest_of_constants(function: Callable[..., object]) -> str:
    """The constants, from wherever, that a function names and the helpers that it calls."""
    digest, pending, done = hashlib.blake2b(digest_size=8), [function], set[Callable[..., object]]()
    while pending:
        one = pending.pop()
        done.add(one)
        for name in one.__code__.co_names:
            value = one.__globals__.get(name)
            if isinstance(value, int | float | str | tuple):
                digest.update(f"{name}={value!r};".encode())
            elif isinstance(value, type) and issubclass(value, Enum):
                digest.update(f"{name}={list(value)!r};".encode())
            elif callable(value) and value in _helpers and value not in done:
                pending.append(value)
    return digest.hexdigest()


@cache
def _store(chosen: str) -> Path:
    """Where machine code is kept: in the folder chosen by NUMBA_CACHE_DIR, else beside the modules, else
    among the user's caches.

    Numba knows machine code by the file of its kernel alone, whatever the helpers in other files. So the code
    of each state of the package's source has a folder of its own; those of older states are removed.
    """
    source = hashlib.blake2b(digest_size=8)
    for path in sorted(Path(__file__).parent.glob("*.py")):
        source.update(path.name.encode() + b"\0" + path.read_bytes())
    name = f"kernels-{source.hexdigest()}"
    if chosen:
        return Path(chosen) / name
    beside, users = Path(__file__).parent / "__pycache__", Path.home() / ".cache" / "carre"
    try:
        (beside / name).mkdir(parents=True, exist_ok=True)
    except OSError:
        return users / name
    for stale in beside.glob("kernels-*"):
        if stale.name != name:
            shutil.rmtree(stale, ignore_errors=True)
    return beside / name
