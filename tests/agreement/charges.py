"""Random charges: valid, the same for an index, and as varied as the format allows."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

from sim import vocabulary
from sim.ensemble import ladder
from sim.inputs import documents
from sim.rulesets import catalogue, shipped
from sim.rulesets.catalogue import RuleSet
from sim.units import chargefields, scenarios
from sim.units.charges import Charge
from tests.agreement.play.hexes import CONTACT_HEX, DIRECTIONS, PLACES, TARGET_HEX, neighbour

_TRIES = 1000
_MORALE = [face for face in ladder.FACES if 15 <= face <= 44]
_CAVALRY_TYPES = ("Dragoon", "Hussar", "Cuirassier", "Chasseur", "Uhlan")
_BEHIND = (0, 1, -1, 0, -1, -1, -1, 1, 1, 1, 1, 0, -1, 1, -1)
"""An approach that would lead round behind the target's neighbours, had the charger the points: its ground
lies in the way of retreats.
"""
THEMES = {
    "": 5,
    "carré": 5,
    "square": 4,
    "shelter": 3,
    "crowd": 2,
    "line of retreat": 2,
    "wall": 2,
    "crooked": 3,  # no straight run, against all that can be assaulted
    "broken": 2,  # a target that is disordered or routed before the charge
    "stacks": 3,  # several regiments against several units and guns
    "guns": 6,  # with infantry, or alone
    "horse": 2,  # cavalry against cavalry
    "friends": 2,  # units of the charger's side that fire, some broken
    "broken ground": 3,  # woods and the like in the way of retreats and under those who recover
    "another goal": 4,  # a second goal, another way
    "over squares": 2,  # squares in the way, ridden over
    "out of reach": 1,
    "type": 2,  # cavalry with rules of its own
}
"""What a random charge is about, and how often."""
_SWITCHES = {
    "square": ("square_dd", "square_checks", "zone_loss", "cav_ad_vs_infantry"),
    "shelter": ("shelter_line", "skirmish_trample", "skirmish_recall", "guns_with_infantry"),
    "crooked": ("square_dd", "lone_limbered"),
    "stacks": ("zone_loss", "rout_by_fire", "guns_with_infantry"),
    "guns": ("guns_with_infantry", "lone_limbered", "dd_target"),
    "horse": ("cav_dd", "react_melee_exhausts", "lance"),
    "wall": ("dd_cannot_retreat", "retreat_horizon", "rout_by_fire"),
    "broken ground": ("dd_cannot_retreat", "retreat_horizon", "rout_by_fire", "rout_ignores_terrain"),
    "carré": ("dd_target", "pgd_target", "pgd_bystander", "dd_target_loss", "dd_fails_stand"),
    "another goal": ("halting", "carre_sight", "passed_immune"),
    "out of reach": ("halting", "see_at_start"),
}
"""Switches that matter to a theme."""
_CARRES = ("carré", "another goal", "over squares")
"""Themes whose targets try to form square."""


@cache
def random_charge(index: int) -> Charge:
    """A random valid charge, always the same for an index.

    Its response is a single one, its plan never `best`.
    """
    for sub in range(_TRIES):
        maker = Maker(Random(1_000_003 * index + sub))
        data = maker.charge()
        if data is None:
            continue
        charge, _ = scenarios.check(documents.Document(f"random charge {index}", data))
        if charge is not None:
            return charge
    raise AssertionError(f"no valid charge for index {index}")


@cache
def _rules(name: str) -> RuleSet:
    return catalogue.load(name)


class Maker:
    """Draws the fields of one charge; `charge` gives None where a draw does not fit together.

    A theme makes rare things likelier.
    """

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        name = rng.choice(shipped.names() + [shipped.DEFAULT] * 2)
        self.rules = _rules(name)
        self.data = self.rules.merged
        self.theme = self.weighted(THEMES)
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
        return {
            "morale": self.rng.randint(-3, 9),
            "cavalry": max(cavalry, self.rng.randint(-1, 3)),
            "artillery": self.rng.randint(-1, 3),
        }

    def cavalry(self, side: str, fresh: bool = True) -> dict[str, Any]:
        types = [one for row in self.data["recall"]["rows"] for one in row.get("types", ())]
        data = self.common(1 if self.chance(0.15) else 3, 14)
        data |= {
            "nation": self.rng.choice(self.nations(side, "cavalry")),
            "movement": self.rng.choice((2, 9, 10, 11, 12, 12, 12, 13, 14, 15, 16))
            if self.chance(0.98)
            else self.rng.randint(2, 30),
            "melee": self.number(0 if self.chance(0.03) else 8, 44)
            if self.chance(0.3 if self.theme == "square" else 0.8)
            else self.number(60, 200),
        }
        own = [
            kind
            for kind, one in self.data["troops"].get(data["nation"], {}).items()
            if kind != "source" and one.get("arm") == "cavalry"
        ]
        if own and self.chance(0.9 if self.theme == "type" else 0.2):
            data["type"] = self.rng.choice(own)
        elif self.chance(0.8):
            data["type"] = self.rng.choice((*_CAVALRY_TYPES, *types))
        if self.chance(0.3):
            data["lance"] = self.number(1, 12)
        if not fresh:
            data["readiness"] = self.weighted({"fresh": 4, "tired": 2, "exhausted": 1})
        return data

    def infantry(self, side: str, formation: str | None = None, state: str | None = None) -> dict[str, Any]:
        kinds = [
            (nation, kind, one)
            for nation in self.nations(side, "infantry")
            for kind, one in self.rules.infantry(nation).items()
        ]
        able = [(nation, kind) for nation, kind, one in kinds if getattr(one, str(formation), 1) is not None]
        if not able:
            formation, able = "column", [(nation, kind) for nation, kind, _ in kinds]
        nation, kind = self.rng.choice(able)
        data = self.common(1, 12) | {"nation": nation, "type": kind}
        data |= {
            "fire": self.number(0 if self.chance(0.05) else 2, 14),
            "melee": self.number(0 if self.chance(0.05) else 4, 30),
        }
        data["state"] = state or self.weighted({"good": 8, "disordered": 1, "routed": 1})
        if self.chance(0.1):
            data["force_march"] = True
        if self.chance(0.1):
            data[self.rng.choice(("line", "square", "skirmish"))] = self.number(1, 5)
        if data["state"] == "good":
            data["formation"] = formation or self.weighted(
                {
                    "column": 6,
                    "line": 6,
                    "square": 2,
                    "skirmish": 3,
                    "general order": 1,
                    "masse": 2,
                    "road march": 1,
                }
            )
        else:
            data["formation"] = "general order" if self.chance(0.25) else "column"
        return data

    def guns(self, formation: str | None = None) -> dict[str, Any]:
        data = self.common(1, 4)
        data["state"] = self.weighted({"good": 8, "disordered": 2, "routed": 1})
        data["formation"] = (
            "limbered"
            if data["state"] == "routed"
            else formation or self.weighted({"unlimbered": 2, "limbered": 1})
        )
        data["fire"] = self.number(1 if self.chance(0.1) else 9, 24)
        data["melee"] = self.number(0 if self.chance(0.1) else 2, 6)
        return data

    def unit(self, arm: str, side: str) -> dict[str, Any]:
        """A unit of any arm, with its arm named."""
        if arm == "infantry":
            return self.infantry(side) | {"arm": arm}
        if arm == "artillery":
            return self.guns() | {"arm": arm, "nation": self.rng.choice(self.nations(side, "artillery"))}
        data = self.cavalry(side, fresh=False) | {
            "arm": arm,
            "state": self.weighted({"good": 7, "routed": 1}),
        }
        data["formation"] = "line" if data["state"] == "good" and self.chance(0.25) else "column"
        return data

    # --- the parts of a charge ---

    def charger(self) -> dict[str, Any] | None:
        data = self.cavalry(self.ours)
        data["increments"] = max(data["increments"], self.rng.randint(1, 9))
        if self.theme == "out of reach":
            data["movement"] = self.rng.choice((9, 12, 14))
        if "printed" in data:
            data["printed"] = max(data["printed"], data["increments"])
        data["formation"] = "line" if self.chance(0.45 if self.theme == "crooked" else 0.25) else "column"
        if self.chance(0.2):
            data["change_to"] = self.rng.choice(vocabulary.CAVALRY_FORMATIONS)
        if self.chance(0.9 if self.theme == "stacks" else 0.3):
            data["stack"] = [self.cavalry(self.ours) for _ in range(self.rng.randint(1, 2))]
            data["leader"] = self.leader(cavalry=1)
        elif self.chance(0.3):
            data["leader"] = self.leader()
        return data if all(self.has_recall(one) for one in (data, *data.get("stack", ()))) else None

    def has_recall(self, unit: dict[str, Any]) -> bool:
        """Whether the recall chart has a row for a regiment."""
        light = "light" if unit["movement"] >= self.data["charge"]["light_from"] else "heavy"
        rows = [row for row in self.data["recall"]["rows"] if unit["nation"] in row["nations"]]
        return any(
            row.get("class", light) == light and unit.get("type") in row.get("types", [unit.get("type")])
            for row in rows
        )

    def target(self) -> dict[str, Any]:
        arm = self.weighted({"infantry": 15, "cavalry": 3, "artillery": 3})
        if self.theme in ("guns", "horse"):  # with infantry, or alone
            arm = self.weighted({"infantry": 3, "artillery": 2}) if self.theme == "guns" else "cavalry"
        open_order = self.rng.choice(("column", "line"))
        formations = {
            "carré": open_order,
            "square": self.rng.choice(("square", "square", "masse")),
            "shelter": "skirmish",
        }
        formations |= {
            "another goal": open_order,
            "over squares": self.rng.choice(("column", "line", "square")),
        }
        if self.theme == "crooked":
            formations["crooked"] = self.rng.choice(("square", "masse", "column", "line", "general order"))
        if self.theme in formations:
            arm = "infantry"
            data = self.infantry(self.theirs, formations[self.theme], "good") | {"arm": arm}
            data["increments"] = max(data["increments"], 3)
            data["printed"] = max(data.get("printed", 0), data["increments"])
        elif self.theme in ("broken", "type") and self.chance(0.7):
            arm = "infantry"
            data = self.infantry(self.theirs, state=self.rng.choice(("disordered", "routed"))) | {"arm": arm}
        else:
            data = self.unit(arm, self.theirs)
        if self.chance(0.8 if self.theme == "stacks" else 0.3):
            below = []
            for _ in range(self.rng.randint(1, 3 if arm == "infantry" else 1)):
                one = self.unit(arm, self.theirs)
                if one["state"] != "good" and data["formation"] not in (
                    "column",
                    "general order",
                    "limbered",
                ):
                    one["state"] = "good"
                if arm == "artillery" and data["formation"] == "unlimbered" and one["state"] == "routed":
                    one["state"] = "disordered"
                below.append(one | {"formation": data["formation"]})
            data["stack"] = below
        if arm == "infantry" and self.chance({"guns": 1.0, "stacks": 0.7}.get(self.theme, 0.35)):
            data["battery"] = self.guns("unlimbered" if self.theme == "guns" and self.chance(0.7) else None)
        if self.chance(0.3):
            data["leader"] = self.leader()
        data["terrain"] = self.rng.choice(
            [name for name, one in self.data["terrain"].items() if isinstance(one, dict) and one["charge"]]
        )
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
            light = target["movement"] >= self.data["charge"]["light_from"]
            key = f"{'light' if light else 'heavy'} cavalry {formation}"
        zones = self.data["orientation"][key]["zones"]
        wanted = (
            "front"
            if self.theme == "carré" and self.chance(0.8)
            else self.weighted({"front": 6, "flank": 2, "rear": 2})
        )
        return wanted if wanted in zones else "front"

    def approach(self) -> list[int]:
        """Hexsides turned before each step."""
        least, most, bent = {
            "carré": (3, 8, 0.25),
            "square": (3, 8, 0.25),
            "crooked": (0, 5, 0.7),
            "another goal": (4, 9, 0.2),
            "over squares": (4, 9, 0.1),
            "out of reach": (10, 20, 0.1),
        }.get(self.theme, (0, 8, 0.4))
        if self.theme == "broken ground" and self.chance(0.3):
            return list(_BEHIND)
        steps = self.rng.randint(least, most)
        turns = [0] * steps
        if self.chance(bent):
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
        broken = self.theme == "broken ground"
        for step in self.rng.sample(
            range(1, steps + 1), min(steps, self.rng.randint(2, 6) if broken else self.rng.randint(1, 2))
        ):
            chart = self.weighted({"terrain": 3 if broken else 1, "hexside": 2})
            names = [
                name
                for name, one in self.data["terrain" if chart == "terrain" else "hexsides"].items()
                if isinstance(one, dict)
            ]
            entries.append({"step": step, chart: self.rng.choice(names)})
        return entries

    def placed(
        self, taken: set[tuple[int, int]], near: bool, at: str | None = None, far: bool = False
    ) -> dict[str, Any] | None:
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
        if self.theme == "over squares":
            found += self.squares_in_the_way(taken)
        if self.theme == "broken ground":
            found += self.on_broken_ground(taken)
        if self.theme == "friends":
            found += self.friends(taken)
        few = self.theme in ("over squares", "broken ground", "friends")
        for _ in range(
            self.rng.choice(
                (5, 6, 8) if self.theme == "crowd" else (0, 1, 1, 2) if few else (0, 1, 1, 2, 3, 4, 6)
            )
        ):
            if self.theme == "line of retreat":
                place = self.placed(
                    taken, True, at=self.rng.choice(("rear", "rear-left", "rear-right")), far=True
                )
            else:
                place = self.placed(taken, near=True)
            if place is None:
                continue
            side = self.weighted({"target": 3, "charger": 1})
            arm = self.weighted({"infantry": 5, "artillery": 1, "cavalry": 1})
            one = self.unit(arm, self.theirs if side == "target" else self.ours) | place | {"side": side}
            if arm == "infantry" and self.theme == "shelter" and place["hexes"] == 1:
                one |= {
                    "state": "good",
                    "formation": self.rng.choice(("column", "general order", "column", "road march")),
                }
            if self.theme == "another goal" and arm == "infantry" and side == "target" and self.chance(0.6):
                one |= {"state": "good", "formation": self.rng.choice(("column", "line"))}
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

    def squares_in_the_way(self, taken: set[tuple[int, int]]) -> list[dict[str, Any]]:
        """One or two squares before the target, one behind it."""
        spots = [("front", hexes) for hexes in self.rng.choice(((3,), (2, 3), (3, 4), (2,), (4,)))] + [
            ("rear", self.rng.randint(1, 2))
        ]
        found = []
        for at, hexes in spots:
            dq, dr = DIRECTIONS[PLACES[at]]
            taken.add((dq * hexes, dr * hexes))
            one = self.infantry(self.theirs, "square", "good")
            found.append(
                one
                | {
                    "at": at,
                    "hexes": hexes,
                    "side": "target",
                    "increments": max(3, one["increments"]),
                    "printed": 14,
                }
            )
        return found

    def on_broken_ground(self, taken: set[tuple[int, int]]) -> list[dict[str, Any]]:
        """Units along the approach, broken ones of the charger's side among them: they retreat and recover in
        what `ground` puts there.
        """
        found = []
        for hexes in self.rng.sample(range(2, 8), self.rng.randint(1, 3)):
            dq, dr = DIRECTIONS[PLACES["front"]]
            if (dq * hexes, dr * hexes) in taken:
                continue
            taken.add((dq * hexes, dr * hexes))
            side = self.rng.choice(("charger", "target"))
            one = self.infantry(
                self.theirs if side == "target" else self.ours,
                state=self.rng.choice(("good", "disordered", "routed")),
            )
            if one["state"] != "good":
                one["formation"] = "general order" if self.chance(0.5) else "column"
            found.append(
                one
                | {
                    "at": "front",
                    "hexes": hexes,
                    "side": side,
                    "response": self.rng.choice(chargefields.RESPONSES[:5]),
                }
            )
        return found

    def friends(self, taken: set[tuple[int, int]]) -> list[dict[str, Any]]:
        """Infantry and guns of the charger's side beside the target's front, who fire at it."""
        found = []
        for at in ("front-left", "front-right"):
            place = self.placed(taken, near=True, at=at) if self.chance(0.8) else None
            if place is not None:
                arm = self.weighted({"infantry": 5, "artillery": 1})
                one = self.unit(arm, self.ours)
                one["fire"] = self.number(9, 40)
                found.append(
                    one | {"at": at, "hexes": 1, "side": "charger"}
                    if place["hexes"] == 1
                    else one | place | {"side": "charger"}
                )
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
        if self.chance(0.85 if self.theme == "guns" else 0.5):
            data["edition"] = self.rng.choice(
                list(self.data["editions"])[-3 if self.theme == "guns" else 0 :]
            )
        if self.chance(0.6):
            switches = self.data["switches"]
            names = self.rng.sample(list(switches), self.rng.choice((1, 1, 1, 2, 5)))
            names += [name for name in _SWITCHES.get(self.theme, ()) if self.chance(0.5)]
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
        data = self.rule_choices() | {
            "title": "random",
            "charger": charger,
            "target": target,
            "through": self.through(target),
        }
        if any(turns) or self.chance(0.2):
            data["path"] = turns
        else:
            data["distance"] = len(turns) + 1
        taken = set(route) if self.chance(0.8) else {route[0]}
        if self.chance(0.25):
            data["reactor"] = self.reactor(taken)
        data["neighbours"] = self.neighbours(taken)
        if turns and self.chance(0.95 if self.theme == "broken ground" else 0.25):
            data["ground"] = self.ground(len(turns))
        data["crosses"] = self.weighted({"none": 8, "stream": 1, "slope": 1})
        data["night"] = self.chance(0.12)
        data["response"] = self.response(target, turns)
        data["plan"] = self.plan(data["neighbours"])
        return {name: value for name, value in data.items() if value is not None}

    def response(self, target: dict[str, Any], turns: list[int]) -> str:
        """What the target does."""
        if self.theme == "guns" and target["arm"] == "infantry" and turns:
            return self.rng.choice(("stand", f"carre@{self.rng.randint(1, min(3, len(turns)))}"))
        if turns and self.theme in _CARRES and target["formation"] in ("column", "line"):
            return f"carre@{self.rng.randint(1, min(4, len(turns)))}"
        if target["arm"] == "cavalry":
            return self.weighted({"react": 4, "stand": 4, "carre@2": 1})
        return self.weighted(
            {"stand": 30, "carre@4": 10, "carre@3": 10, "carre@2": 15, "carre@1": 10, "react": 1}
        )

    def plan(self, neighbours: list[dict[str, Any]]) -> dict[str, Any]:
        """A single choice for each question."""
        plan: dict[str, Any] = {
            name: self.rng.choice([value for value in values if value != "best"])
            for name, values in chargefields.PLANS.items()
        }
        plan |= {"after_halt": self.weighted({"melee": 4, "decline": 1}), "preserve": self.chance(0.2)}
        plan["no_target"] = self.weighted({"reach": 2, "stop": 1, "ride on": 3})
        seconds = [i + 1 for i, one in enumerate(neighbours) if one.get("side", "target") == "target"]
        if self.theme == "over squares":
            plan["square"] = "ride over"
        if self.theme == "another goal" and seconds and self.chance(0.6):
            plan["square"] = "second"
        wanted = {plan["square"], plan["disordered"]}
        if "second" in wanted and not seconds:
            plan |= {name: "press" for name in ("square", "disordered") if plan[name] == "second"}
        elif "second" in wanted:
            plan["second"] = self.rng.choice(seconds)
            if self.chance(0.5):
                plan["second_path"] = self.turns()
        if "turn away" in wanted:
            plan["away"] = self.turns()
        return plan

    def turns(self) -> list[int]:
        return [self.weighted({0: 4, 1: 3, -1: 3, 2: 1, -2: 1, 3: 1}) for _ in range(self.rng.randint(1, 6))]
