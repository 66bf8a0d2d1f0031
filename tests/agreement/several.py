"""Random files of two to four charges in a half: at one hex, at neighbouring ones, one behind the other."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

from sim.inputs import documents
from sim.units import chargefields, scenarios
from sim.units.charges import Charge
from tests.agreement.charges import THEMES, Maker

_TRIES = 1000
_SHARED = ("ruleset", "title", "edition", "switches", "neighbours", "reactor", "night")
_BEHIND = ("rear", "rear-left", "rear-right")
_KINDS = {"the same hex": 5, "beside": 3, "behind": 3, "a neighbour": 2}
"""Where a further charge goes, and how often."""


@cache
def random_charges(index: int) -> Charge:
    """Random valid charges of one half, the same for an index: single responses, plans without `best`."""
    for sub in range(_TRIES):
        data = _SeveralMaker(Random(7_000_003 * index + sub)).charges()
        if data is None:
            continue
        charge, _ = scenarios.check(documents.Document(f"random charges {index}", data))
        if charge is not None:
            return charge
    raise AssertionError(f"no valid charges for index {index}")


class _SeveralMaker(Maker):
    """Draws the fields of several charges, each with a theme of its own."""

    def charges(self) -> dict[str, Any] | None:
        """The whole file as a plain mapping, or None."""
        first = self.charge()
        if first is None:
            return None
        shared = {name: first.pop(name) for name in _SHARED if name in first}
        for number, one in enumerate(shared.get("neighbours", ()), 1):
            one["name"] = f"Neighbour {number}"
        told = [first]
        for _ in range(self.weighted({1: 5, 2: 4, 3: 1})):
            one = self.further(told, shared.get("neighbours", []))
            if one is None:
                return None
            told.append(one)
        return shared | {"charges": told}

    def further(self, told: list[dict[str, Any]], neighbours: list[dict[str, Any]]) -> dict[str, Any] | None:
        """One more charge, or None."""
        self.theme = self.weighted(THEMES)
        charger, turns = self.charger(), self.approach()
        if charger is None:
            return None
        kind = self.weighted(_KINDS)
        enemies = [one for one in neighbours if one.get("side", "target") == "target"]
        data: dict[str, Any] = {"charger": charger, "from": self.rng.choice(chargefields.PLACES)}
        if kind == "a neighbour" and enemies:
            target = self.rng.choice(enemies)
            data["target"] = target["name"]
        elif kind in ("beside", "behind"):
            target = self.target()
            behind = kind == "behind"
            data |= {
                "target": target,
                "at": self.rng.choice(_BEHIND if behind else chargefields.PLACES),
                "hexes": self.rng.randint(1, 12) if behind else self.weighted({1: 4, 2: 2, 3: 1}),
                "through": self.through(target),
            }
        else:
            data["target"] = number = self.rng.randint(1, len(told))
            while isinstance(told[number - 1]["target"], int):
                number = told[number - 1]["target"]
            target = told[number - 1]["target"]
            if isinstance(target, str):
                target = next(one for one in neighbours if one["name"] == target)
        if any(turns) or self.chance(0.2):
            data["path"] = turns
        else:
            data["distance"] = len(turns) + 1
        if turns and self.chance(0.2):
            data["ground"] = self.ground(len(turns))
        return data | {
            "response": self.response({"arm": "infantry"} | target, turns),
            "plan": self.plan(neighbours),
        }
