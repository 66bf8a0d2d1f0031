"""Rolls of chosen runs of many decisions at once: NumPy's Philox, bit for bit, compiled by Numba.

A NumPy stream costs some 30 microseconds before its first number, whatever the number of runs; where the
units that roll differ from lane to lane, decisions of few runs each are then dearer than all the rest.
NumPy's generator stays the reference, and serves where Numba is not loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

Longs = NDArray[np.uint64]
Rolls = Callable[[np.uint64, np.uint64, Longs, Longs, Longs, NDArray[np.float64]], None]


def uniform(
    seed: int, digest: int, pair: NDArray[Any], nth: NDArray[Any], run: NDArray[Any]
) -> NDArray[np.float64]:
    """Element `run` of the stream with key [seed, digest] and counter [., pair, nth, 0], uniform in [0, 1),
    shape (k,) as all arguments but two."""
    drawn = np.empty(len(run), np.float64)
    pairs, times, runs = (np.asarray(one).astype(np.uint64) for one in (pair, nth, run))
    _compiled()(np.uint64(seed), np.uint64(digest), pairs, times, runs, drawn)
    return drawn


@cache
def _compiled() -> Rolls:
    """The compiled function.

    Its products of 64 by 64 bits are those of the machine, of which NumPy's integers know only the lower
    half.
    """
    import numba
    from llvmlite import ir  # type: ignore[import-untyped]
    from numba.extending import intrinsic

    def product(_context: Any, first: Any, second: Any) -> Any:
        def build(_context: Any, builder: Any, _signature: Any, factors: Any) -> Any:
            wide = ir.IntType(128)
            whole = builder.mul(*(builder.zext(factor, wide) for factor in factors))
            return builder.trunc(builder.lshr(whole, ir.Constant(wide, 64)), ir.IntType(64))

        return numba.uint64(first, second), build

    upper: Callable[[Any, Any], Any] = cast(Any, intrinsic)(product)

    def fill(seed: Any, digest: Any, pair: Any, nth: Any, run: Any, drawn: Any) -> None:
        """Philox4x64-10: ten rounds of two products; the words of a block in order, as doubles of 53 bits."""
        c0 = c1 = c2 = c3 = np.uint64(0)
        for case in range(len(run)):
            if case == 0 or not (
                run[case] >> np.uint64(2) == run[case - 1] >> np.uint64(2)
                and pair[case] == pair[case - 1]
                and nth[case] == nth[case - 1]
            ):
                c0, c1, c2, c3 = (
                    (run[case] >> np.uint64(2)) + np.uint64(1),
                    pair[case],
                    nth[case],
                    np.uint64(0),
                )
                k0, k1 = seed, digest
                for _ in range(10):
                    high0, low0 = upper(np.uint64(0xD2E7470EE14C6C93), c0), np.uint64(0xD2E7470EE14C6C93) * c0
                    high1, low1 = upper(np.uint64(0xCA5A826395121157), c2), np.uint64(0xCA5A826395121157) * c2
                    c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
                    k0, k1 = k0 + np.uint64(0x9E3779B97F4A7C15), k1 + np.uint64(0xBB67AE8584CAA73B)
            word = run[case] & np.uint64(3)
            value = c0 if word == 0 else c1 if word == 1 else c2 if word == 2 else c3
            drawn[case] = (value >> np.uint64(11)) * (1.0 / 9007199254740992.0)

    return cast(Rolls, numba.njit(nogil=True)(fill))
