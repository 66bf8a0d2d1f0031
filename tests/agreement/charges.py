"""Random charges for the agreement tests: valid, deterministic by index, and as varied as the format allows."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

from sim import chargefields, documents, ladder, rulesets, scenarios
from sim.charges import Charge
from sim.rulesets import RuleSet
from tests.agreement.baseline import CONTACT_HEX, DIRECTIONS, PLACES, TARGET_HEX, neighbour

_TRIES = 1000
_MORALE = [int(face) for face in ladder.FACES if 15 <= face <= 44]
_CAVALRY_TYPES = ("Dragoon", "Hussar", "Cuirassier", "Chasseur", "Uhlan")


def random_charge(index: int) -> Charge:
    """A random valid charge, always the same for an index. Its response is a single one, its plan never `best`."""
    for sub in range(_TRIES):
        maker = _Maker(Random(1_000_003 * index + sub))
        data = maker.charge()
        if data is None:
            continue
        charge, _ = scenarios.check(documents.Document(f"random charge {index}", data))
        if charge is not None:
            return charge
    raise AssertionError(f"no valid charge for index {index}")


@cache
def _rules(name: str) -> RuleSet:
    return rulesets.load(name)


class _Maker:
    """Draws the fields of one charge; `charge` gives None where a draw does not fit together. A theme makes rare things likelier."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        name = rng.choice(rulesets.names() + [rulesets.DEFAULT] * 2)
        self.rules = _rules(name)
        self.data = self.rules.data
        self.theme = self.weighted({"": 8, "carré": 5, "square": 2, "shelter": 1, "crowd": 2, "line of retreat": 2, "wall": 2})
        sides = sorted(set(self.data["nations"].values()))
        self.ours, self.theirs = rng.sample(sides, 2) if len(sides) > 1 else (sides[0], sides[0])

    # --- small draws ---

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def weighted(self, weights: dict[Any, int]) -> Any:
        return self.rng.choices(list(weights), list(weights.values()))[0]

    def nations(self, side: str, arm: str) -> list[str]:
        found = [nation for nation, one in self.data["nations"].items() if one == side]
        return [nation for nation in found if arm != "infantry" or self.rules.infantry(nation)]

    def number(self, low: int, high: int) -> int | str:
        value = self.rng.randint(low, high)
        return f"{2 * value + 1}/2" if self.chance(0.1) and value < high else value

    # --- units ---

    def common(self, low: int, high: int) -> dict[str, Any]:
        increments = self.rng.randint(low, high)
        data: dict[str, Any] = {"increments": increments, "morale": self.rng.choice(_MORALE)}
        if self.chance(0.35):
            data["printed"] = increments + self.rng.randint(0, increments + 2)
        if self.chance(0.2):
            data["level"] = self.rng.randint(1, 3)
        return data

    def leader(self, cavalry: int = 0) -> dict[str, int]:
        return {"morale": self.rng.randint(-3, 9), "cavalry": max(cavalry, self.rng.randint(-1, 3)), "artillery": self.rng.randint(-1, 3)}

    def cavalry(self, side: str, fresh: bool = True) -> dict[str, Any]:
        types = [one for row in self.data["recall"]["rows"] for one in row.get("types", ())]
        data = self.common(1 if self.chance(0.15) else 3, 14)
        data |= {
            "nation": self.rng.choice(self.nations(side, "cavalry")),
            "movement": self.rng.choice((2, 9, 10, 11, 12, 12, 12, 13, 14, 15, 16)) if self.chance(0.98) else self.rng.randint(2, 30),
            "melee": self.number(0 if self.chance(0.03) else 8, 44),
        }
        if self.chance(0.8):
            data["type"] = self.rng.choice((*_CAVALRY_TYPES, *types))
        if self.chance(0.3):
            data["lance"] = self.number(1, 12)
        if not fresh:
            data["readiness"] = self.weighted({"fresh": 4, "tired": 2, "exhausted": 1})
        return data

    def infantry(self, side: str, formation: str | None = None, state: str | None = None) -> dict[str, Any]:
        nation = self.rng.choice(self.nations(side, "infantry"))
        kind = self.rng.choice(list(self.rules.infantry(nation)))
        data = self.common(1, 12) | {"nation": nation, "type": kind}
        data |= {"fire": self.number(0 if self.chance(0.05) else 2, 14), "melee": self.number(0 if self.chance(0.05) else 4, 30)}
        data["state"] = state or self.weighted({"good": 8, "disordered": 1, "routed": 1})
        if self.chance(0.1):
            data["force_march"] = True
        if self.chance(0.1):
            data[self.rng.choice(("line", "square", "skirmish"))] = self.number(1, 5)
        if data["state"] == "good":
            data["formation"] = formation or self.weighted(
                {"column": 6, "line": 6, "square": 2, "skirmish": 3, "general order": 1, "masse": 2, "road march": 1}
            )
        else:
            data["formation"] = "general order" if self.chance(0.25) else "column"
        return data

    def guns(self, formation: str | None = None) -> dict[str, Any]:
        data = self.common(1, 4)
        data["state"] = self.weighted({"good": 8, "disordered": 2, "routed": 1})
        data["formation"] = "limbered" if data["state"] == "routed" else formation or self.weighted({"unlimbered": 2, "limbered": 1})
        data["fire"] = self.number(1 if self.chance(0.1) else 9, 24)
        data["melee"] = self.number(0 if self.chance(0.1) else 2, 6)
        return data

    def unit(self, arm: str, side: str) -> dict[str, Any]:
        """A unit of any arm, with its arm named."""
        if arm == "infantry":
            return self.infantry(side) | {"arm": arm}
        if arm == "artillery":
            return self.guns() | {"arm": arm, "nation": self.rng.choice(self.nations(side, "artillery"))}
        data = self.cavalry(side, fresh=False) | {"arm": arm, "state": self.weighted({"good": 7, "routed": 1})}
        data["formation"] = "line" if data["state"] == "good" and self.chance(0.25) else "column"
        return data

    # --- the parts of a charge ---

    def charger(self) -> dict[str, Any] | None:
        data = self.cavalry(self.ours)
        data["increments"] = max(data["increments"], self.rng.randint(1, 9))
        if "printed" in data:
            data["printed"] = max(data["printed"], data["increments"])
        data["formation"] = "line" if self.chance(0.25) else "column"
        if self.chance(0.2):
            data["change_to"] = self.rng.choice(chargefields.CAVALRY_FORMATIONS)
        if self.chance(0.3):
            data["stack"] = [self.cavalry(self.ours) for _ in range(self.rng.randint(1, 2))]
            data["leader"] = self.leader(cavalry=1)
        elif self.chance(0.3):
            data["leader"] = self.leader()
        return data if all(self.has_recall(one) for one in (data, *data.get("stack", ()))) else None

    def has_recall(self, unit: dict[str, Any]) -> bool:
        """Whether the recall chart has a row for a regiment."""
        light = "light" if unit["movement"] >= self.data["charge"]["light_from"] else "heavy"
        rows = [row for row in self.data["recall"]["rows"] if unit["nation"] in row["nations"]]
        return any(row.get("class", light) == light and unit.get("type") in row.get("types", [unit.get("type")]) for row in rows)

    def target(self) -> dict[str, Any]:
        arm = self.weighted({"infantry": 15, "cavalry": 3, "artillery": 3})
        formations = {"carré": self.rng.choice(("column", "line")), "square": self.rng.choice(("square", "square", "masse")), "shelter": "skirmish"}
        if self.theme in formations:
            arm = "infantry"
            data = self.infantry(self.theirs, formations[self.theme], "good") | {"arm": arm}
            data["increments"] = max(data["increments"], 3)
            data["printed"] = max(data.get("printed", 0), data["increments"])
        else:
            data = self.unit(arm, self.theirs)
        if self.chance(0.3):
            below = []
            for _ in range(self.rng.randint(1, 3 if arm == "infantry" else 1)):
                one = self.unit(arm, self.theirs)
                if one["state"] != "good" and data["formation"] not in ("column", "general order", "limbered"):
                    one["state"] = "good"
                if arm == "artillery" and data["formation"] == "unlimbered" and one["state"] == "routed":
                    one["state"] = "disordered"
                below.append(one | {"formation": data["formation"]})
            data["stack"] = below
        if arm == "infantry" and self.chance(0.35):
            data["battery"] = self.guns()
        if self.chance(0.3):
            data["leader"] = self.leader()
        data["terrain"] = self.rng.choice([name for name, one in self.data["terrain"].items() if isinstance(one, dict) and one["charge"]])
        return data

    def through(self, target: dict[str, Any]) -> str:
        formation = target["formation"]
        if target["arm"] == "artillery":
            key = "artillery"
        elif target["arm"] == "infantry":
            key = f"infantry {formation}"
        elif formation == "line":
            key = "cavalry line"
        else:
            key = f"{'light' if target['movement'] >= self.data['charge']['light_from'] else 'heavy'} cavalry {formation}"
        zones = self.data["orientation"][key]["zones"]
        wanted = "front" if self.theme == "carré" and self.chance(0.8) else self.weighted({"front": 6, "flank": 2, "rear": 2})
        return wanted if wanted in zones else "front"

    def approach(self) -> list[int]:
        """Hexsides turned before each step."""
        steps = self.rng.randint(3 if self.theme in ("carré", "square") else 0, 8)
        turns = [0] * steps
        if self.chance(0.25 if self.theme in ("carré", "square") else 0.4):
            for k in range(steps):
                if self.chance(0.3):
                    turns[k] = self.rng.choice((-1, 1, 1, -1, 2, -2, 3))
        return turns

    @staticmethod
    def route(turns: list[int]) -> list[tuple[int, int]]:
        """The hexes of the approach, first to last."""
        direction, hexes = 0, [CONTACT_HEX]
        for turn in reversed(turns):
            hexes.insert(0, neighbour(hexes[0], (direction + 3) % 6))
            direction = (direction - turn) % 6
        return hexes

    def ground(self, steps: int) -> list[dict[str, Any]]:
        entries = []
        for _ in range(self.rng.randint(1, 2)):
            chart = self.weighted({"terrain": 1, "hexside": 2})
            names = [name for name, one in self.data["terrain" if chart == "terrain" else "hexsides"].items() if isinstance(one, dict)]
            entries.append({"step": self.rng.randint(1, steps), chart: self.rng.choice(names)})
        return entries

    def placed(self, taken: set[tuple[int, int]], near: bool, at: str | None = None, far: bool = False) -> dict[str, Any] | None:
        """A free place around the target."""
        for _ in range(20):
            spot = at or self.rng.choice(chargefields.PLACES)
            if far:
                hexes = self.rng.randint(1, 8)
            elif near:
                hexes = 1 if self.theme == "wall" else self.weighted({1: 5, 2: 3, 3: 2, 4: 1})
            else:
                hexes = self.weighted({1: 2, 2: 3, 3: 3, 4: 2, 5: 1, 6: 1})
            dq, dr = DIRECTIONS[PLACES[spot]]
            if (dq * hexes, dr * hexes) not in taken:
                taken.add((dq * hexes, dr * hexes))
                return {"at": spot, "hexes": hexes}
        return None

    def neighbours(self, taken: set[tuple[int, int]]) -> list[dict[str, Any]]:
        found = self.wall(taken) if self.theme == "wall" else []
        for _ in range(self.rng.choice((5, 6, 8) if self.theme == "crowd" else (0, 1, 1, 2, 3, 4, 6))):
            if self.theme == "line of retreat":
                place = self.placed(taken, True, at=self.rng.choice(("rear", "rear-left", "rear-right")), far=True)
            else:
                place = self.placed(taken, near=True)
            if place is None:
                continue
            side = self.weighted({"target": 3, "charger": 1})
            arm = self.weighted({"infantry": 5, "artillery": 1, "cavalry": 1})
            one = self.unit(arm, self.theirs if side == "target" else self.ours) | place | {"side": side}
            if arm == "infantry" and self.theme == "shelter" and place["hexes"] == 1:
                one |= {"state": "good", "formation": self.rng.choice(("column", "general order", "column", "road march"))}
            if side == "target" and self.chance(0.4):
                one["response"] = self.rng.choice(chargefields.RESPONSES[1:5])
            found.append(one)
        return found[:8]

    def wall(self, taken: set[tuple[int, int]]) -> list[dict[str, Any]]:
        """Friends close behind and beside the target: whoever leaves has to pass through them."""
        found = []
        for at in ("rear", "rear-left", "rear-right", "front-left", "front-right"):
            place = self.placed(taken, near=True, at=at, far=False) if self.chance(0.9) else None
            if place is not None:
                arm = self.weighted({"infantry": 6, "cavalry": 1})
                found.append(self.unit(arm, self.theirs) | place)
        return found

    def reactor(self, taken: set[tuple[int, int]]) -> dict[str, Any] | None:
        place = self.placed(taken, near=False)
        if place is None:
            return None
        data = self.cavalry(self.theirs, fresh=False) | place
        data["formation"] = "line" if self.chance(0.25) else "column"
        return data

    def rule_choices(self) -> dict[str, Any]:
        """Edition and single switches."""
        data: dict[str, Any] = {"ruleset": self.rules.name}
        if self.chance(0.5):
            data["edition"] = self.rng.choice(list(self.data["editions"]))
        if self.chance(0.6):
            switches = self.data["switches"]
            names = self.rng.sample(list(switches), self.rng.choice((1, 1, 1, 2, 5)))
            data["switches"] = {name: self.rng.choice(switches[name]["values"]) for name in names}
        return data

    def charge(self) -> dict[str, Any] | None:
        """The whole charge as a plain mapping, or None."""
        charger = self.charger()
        turns = self.approach()
        route = self.route(turns)
        if charger is None or TARGET_HEX in route:
            return None
        target = self.target()
        data = self.rule_choices() | {"title": "random", "charger": charger, "target": target, "through": self.through(target)}
        if any(turns) or self.chance(0.2):
            data["path"] = turns
        else:
            data["distance"] = len(turns) + 1
        taken = {route[0]}
        if self.chance(0.25):
            data["reactor"] = self.reactor(taken)
        data["neighbours"] = self.neighbours(taken)
        if turns and self.chance(0.25):
            data["ground"] = self.ground(len(turns))
        data["crosses"] = self.weighted({"none": 8, "stream": 1, "slope": 1})
        data["night"] = self.chance(0.12)
        if self.theme == "carré":
            data["response"] = f"carre@{self.rng.randint(1, min(4, len(turns)))}"
        elif target["arm"] == "cavalry":
            data["response"] = self.weighted({"react": 4, "stand": 4, "carre@2": 1})
        else:
            data["response"] = self.weighted({"stand": 30, "carre@4": 10, "carre@3": 10, "carre@2": 15, "carre@1": 10, "react": 1})
        data["plan"] = {
            "square": self.rng.choice(("press", "break off", "ride over")),
            "after_halt": self.weighted({"melee": 4, "decline": 1}),
            "recalled": self.rng.choice(chargefields.PLANS["recalled"]),
            "preserve": self.chance(0.2),
        }
        return {name: value for name, value in data.items() if value is not None}
