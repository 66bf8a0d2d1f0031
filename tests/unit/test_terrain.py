"""Ground that a battle closes to charges: redoubts, entrenchments, bridges, raised roads (D4.4; A9,
B10.2)."""

from __future__ import annotations

from typing import Any

import pytest

from sim.errors import InputError
from sim.rulesets import catalogue
from sim.rulesets.rulebook import rulebook
from sim.studies.odds import odds
from tests.watched import charge_of

TERRAIN = {
    ("prusse-1806", "bridge"): {"column": 10, "line": 10, "square": 4, "skirmish": 14, "road march": 4},
    ("prusse-1806", "raised road"): {"column": 6},
    ("halle-1806", "bridge"): {"column": 10, "general order": 10},
    ("halle-1806", "raised road"): {"column": 6},
    ("wagram-1809", "redoubt"): {"general order": 10, "limbered": 10, "unlimbered": 12},
    ("aspern-essling-1809", "earthwork"): {"general order": 10, "limbered": 10, "unlimbered": 12},
    ("austerlitz-1805", "redoubt"): {"general order": 10, "disordered": 14, "limbered": 8, "unlimbered": 10},
    ("bautzen-1813", "earthwork"): {"general order": 14, "disordered": 16, "limbered": 10, "unlimbered": 12},
    ("bautzen-1813", "entrenchment"): {"line": 12, "general order": 13, "skirmish": 15, "disordered": 6},
    ("leipzig-1813", "bridge"): {"column": 6},
    ("leipzig-1813", "causeway"): {"column": 4, "road march": 4},
    ("leipzig-1813", "earthwork"): {"general order": 10, "limbered": 10, "unlimbered": 12},
    ("raszyn-1809", "causeway"): {"column": 6, "road march": 6},
}
"""Fire defence by terrain, where its source gives it."""


@pytest.mark.parametrize(("ruleset", "terrain"), TERRAIN)
def test_such_ground_has_its_fire_defence(ruleset: str, terrain: str) -> None:
    rules = catalogue.load(ruleset)
    book = rulebook(rules, rules.switches())
    nation = next(name for name, side in rules.merged["nations"].items() if side == "Coalition")
    assert {
        formation: book.defence(terrain, formation, nation)[0] for formation in TERRAIN[ruleset, terrain]
    } == TERRAIN[ruleset, terrain]


def charge(ruleset: str, **other: Any) -> dict[str, Any]:
    """A charge of the rule set's first Imperial cavalry at its first Coalition infantry, from five hexes."""
    data = catalogue.load(ruleset).merged
    ours, theirs = (
        [name for name, one in data["nations"].items() if one == side] for side in ("Imperial", "Coalition")
    )
    foe = next(nation for nation in theirs if catalogue.load(ruleset).infantry(nation))
    kind = next(iter(catalogue.load(ruleset).infantry(foe)))
    row = next(row for row in data["recall"]["rows"] if ours[0] in row["nations"])
    charger = {"nation": ours[0], "movement": 12, "increments": 8, "melee": 30, "morale": 22} | (
        {"type": row["types"][0]} if "types" in row else {}
    )
    target = {"nation": foe, "type": kind, "increments": 8, "fire": 6, "melee": 16, "morale": 31}
    return {"ruleset": ruleset, "charger": charger, "target": target, "distance": 5} | other


@pytest.mark.parametrize(("ruleset", "terrain"), TERRAIN)
def test_a_charge_halts_before_ground_that_is_closed_to_it(ruleset: str, terrain: str) -> None:
    found = (
        odds(
            charge_of(
                charge(ruleset, ground=[{"step": 3, "terrain": terrain}], plan={"no_target": "ride on"})
            ),
            "stand",
            "exact",
        )
        .rows[0]
        .tally
    )
    assert (found.p("charge succeeds"), found.p("exhausted"), found.p("charger in order")) == (0, 0, 1)


@pytest.mark.parametrize("hexside", ["stream bridge", "spree bridge"])
def test_no_charge_goes_over_a_bridge(hexside: str) -> None:
    found = (
        odds(charge_of(charge("bautzen-1813", ground=[{"step": 3, "hexside": hexside}])), "stand", "exact")
        .rows[0]
        .tally
    )
    assert (found.p("charge succeeds"), found.p("charger in order")) == (0, 1)


def test_a_target_in_a_redoubt_may_not_be_charged() -> None:
    file = charge("wagram-1809")
    with pytest.raises(
        InputError, match=r"'target\.terrain' must be open to charges: no charge may be made into redoubt"
    ):
        charge_of(file | {"target": file["target"] | {"terrain": "redoubt"}})
