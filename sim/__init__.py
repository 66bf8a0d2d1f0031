"""Carré: a discrete-event Monte Carlo battle laboratory for the La Bataille rules.

`import sim` offers the functions of docs/python.md, and loads what they need when they are first used.

Unofficial: La Bataille is Marshal Enterprises' game. See README.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sim.api import (
        chart,
        compare,
        explain,
        explain_battle,
        load_charge,
        load_ruleset,
        load_scenario,
        odds,
        replay,
        run,
        runs,
        solve,
        sweep,
        tournament,
    )

__version__ = "0.1.0"
__all__ = [
    "chart",
    "compare",
    "explain",
    "explain_battle",
    "load_charge",
    "load_ruleset",
    "load_scenario",
    "odds",
    "replay",
    "run",
    "runs",
    "solve",
    "sweep",
    "tournament",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sim import api

    globals()[name] = found = getattr(api, name)
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
