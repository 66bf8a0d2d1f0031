"""Dead data: every value of every shipped rule set is used by some charge or chart, or waits for battles by
name."""

from __future__ import annotations

import copy
import fnmatch
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any

import pytest

from sim.battle.setup import play
from sim.ensemble.dice import ExhaustiveDice, RandomDice
from sim.inputs import documents
from sim.inputs.documents import Document, Key
from sim.report.narration import explain
from sim.rulesets import catalogue, chain, shipped
from sim.rulesets.blocks import Blocks, Line, StandRules
from sim.rulesets.catalogue import RuleSet
from sim.rulesets.conditions import Condition, code
from sim.rulesets.rulebook import Rulebook, ratio_of, rulebook
from sim.studies import charts
from sim.units import scenarios
from sim.units.charges import Charge
from sim.units.orders import Variant
from tests.agreement import charges
from tests.tracing import Trace, Tracing, leaves

RANDOM = 250
"""Random charges, of all rule sets; those made for each troop type and each line of the modifiers come on
top."""
RUNS = 40
"""Runs of each."""
STRAIGHT: dict[str, Any] = {"distance": 5}
CROOKED: dict[str, Any] = {"path": [0, 0, -1, 0]}
RARE = ("austerlitz-1805", "prusse-1806", "friedland-1807", "bautzen-1813", "hagelberg-1813", "leipzig-1813")
"""Rule sets in which rare things are played to every end: those with Cossacks, and editions between."""
BATTERY: dict[str, Any] = {
    "charger": {
        "nation": "French",
        "type": "Dragoon",
        "movement": 12,
        "increments": 8,
        "melee": 30,
        "morale": 11,
    },
    "target": {
        "nation": "Prussian",
        "type": "Musketeer",
        "increments": 6,
        "fire": 12,
        "melee": 16,
        "morale": 11,
        "formation": "line",
        "battery": {},
    },
    "distance": 5,
}
"""A charge on guns, told: sources of single numbers are read by explained runs only."""
BLOCKS = (
    ("carre", STRAIGHT, "carre@2"),
    ("stand", STRAIGHT, "stand"),
    ("premelee", CROOKED, "stand"),
    ("morale", STRAIGHT, "stand"),
)
"""Tables of modifiers, the charge that comes to them, and the response."""
EVERY = ("prusse-1806", "bautzen-1813")
"""Those of them in which every result of a melee is met."""
SIDES = ("Imperial", "Coalition")
STATES = ("good", "disordered", "routed")


class Maker:
    """Charges of one rule set that are to meet something."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules, self.data = rules, rules.merged
        self.fired: set[str] = set()
        self.own = chain.read(chain.locate(rules.name)).data
        self.nations = dict(self.data["nations"].items())
        self.square_from = {
            nation: row["formation"]
            for row in reversed(self.data["carre"]["rows"])
            for nation in row["nations"]
        }

    def charger(self, side: str, when: dict[str, Any]) -> dict[str, Any] | None:
        """Cavalry of a side with a recall row, as conditions want it."""
        for row in self.data["recall"]["rows"]:
            for nation in row["nations"]:
                if self.nations[nation] == side and nation in listed(when.get("charger.nation", nation)):
                    heavy = "heavy" in (row.get("class"), when.get("charger.class"))
                    made = {
                        "nation": nation,
                        "increments": 9,
                        "morale": 22,
                        "melee": 20,
                        "movement": 10 if heavy else 14,
                        "lance": 3,
                    }
                    if not when.get("charger.lance", False):
                        del made["lance"]
                    kinds = listed(row.get("types", []))
                    return made | ({"type": kinds[0]} if kinds else {})
        return None

    def charges(
        self, when: dict[str, Any], ways: Sequence[dict[str, Any]], response: str = "stand"
    ) -> Iterator[tuple[Charge, str]]:
        """Charges at infantry that meets conditions on the target."""
        told = {
            name.partition(".")[2]: value
            for name, value in when.items()
            if name.startswith(("target.", "unit."))
        }
        switches = {
            name.partition(".")[2]: value for name, value in when.items() if name.startswith("switch.")
        }
        for nation, side in self.nations.items():
            others = [other for other in dict.fromkeys(self.nations.values()) if other != side]
            charger = self.charger(others[0], when) if others else None
            if (
                not charger
                or nation not in listed(told.get("nation", nation))
                or side not in listed(told.get("side", side))
            ):
                continue
            for kind in self.rules.infantry(nation):
                if kind not in listed(told.get("type", kind)) or kind in listed(told.get("type not", [])):
                    continue
                target: dict[str, Any] = {
                    "nation": nation,
                    "type": kind,
                    "increments": 6,
                    "morale": 26,
                    "fire": 6,
                    "melee": 10,
                }
                target |= (
                    {"formation": self.square_from[nation]}
                    if response.startswith("carre") and nation in self.square_from
                    else {}
                )
                target |= {
                    name: listed(told[name])[0] for name in ("formation", "state", "level") if name in told
                }
                target |= {"printed": 12} if told.get("half_lost") else {}
                target |= {"force_march": True} if told.get("force_march") else {}
                target |= {"leader": {"morale": 3}} if told.get("leader") else {}
                made = {
                    "charger": charger,
                    "target": target,
                    "through": listed(when.get("hexside", "front"))[0],
                    "crosses": when.get("crosses", "none"),
                }
                for way in ways:
                    yield from self.checked(made | way | {"switches": switches}, response)

    def checked(self, made: dict[str, Any], response: str) -> Iterator[tuple[Charge, str]]:
        """The charge with its response, if it may be made."""
        charge, _ = scenarios.check(Document("a charge", made | {"ruleset": self.rules.name}))
        if charge is not None:
            yield charge, response

    def all(self) -> Iterator[tuple[Charge, str]]:
        """Charges at every type of infantry, and for every line of the modifiers at a type that meets it;
        then what is rare."""
        for nation in self.nations:
            for kind in self.rules.infantry(nation):
                yield from self.charges({"target.nation": nation, "target.type": kind}, [STRAIGHT])
        for block, way, response in (
            ("carre", STRAIGHT, "carre@2"),
            ("stand", STRAIGHT, "stand"),
            ("premelee", CROOKED, "stand"),
            ("morale", STRAIGHT, "stand"),
        ):
            for row in (
                [*self.data[block]["modifiers"], *self.data[block].get("barred", [])]
                if block in self.own
                else ()
            ):
                when = dict(row.get("when", {}).items())
                for level in (1, 2, 3) if "of" in row else (0,):
                    yield from islice(
                        self.charges(when | ({"target.level": level} if level else {}), [way], response), 1
                    )
        yield from self.under_fire()
        for block, kind in (("terrain", "terrain"), ("hexsides", "hexside")):
            for name, row in self.data[block].items():
                if isinstance(row, dict):  # each lies on somebody's way
                    yield from islice(self.charges({}, [STRAIGHT | {"ground": [{"step": 2, kind: name}]}]), 1)

    def under_fire(self) -> Iterator[tuple[Charge, str]]:
        """Friends of the charger, which never comes up, fire at targets of every formation and state, and at
        a column of every nation."""
        shapes: list[dict[str, Any]] = [
            {"formation": name}
            for name in ("line", "square", "skirmish", "general order", "masse", "road march")
        ]
        shapes += [{"state": name} for name in STATES]
        guns: list[dict[str, Any]] = [
            {"arm": "artillery", "formation": name, "increments": 3} for name in ("limbered", "unlimbered")
        ]
        for nation, side in self.nations.items():
            foot = self.rules.infantry(nation)
            others = [
                other for other, one in self.nations.items() if one != side and self.rules.infantry(other)
            ]
            charger = self.charger(next(one for one in SIDES if one != side), {})
            if not foot or not others or not charger:
                continue
            friend = {
                "nation": others[0],
                "type": next(iter(self.rules.infantry(others[0]))),
                "increments": 6,
                "fire": 9,
                "melee": 9,
                "morale": 22,
            }
            for shape in [{"state": "good"}, *shapes, *guns]:
                target = {"nation": nation, "increments": 6, "morale": 22, "melee": 9} | shape
                if "arm" not in shape:
                    kinds = [
                        kind
                        for kind, row in foot.items()
                        if getattr(row, str(shape.get("formation")), 1) is not None
                    ]
                    target |= {"type": (kinds or list(foot))[0], "fire": 6}
                made = {
                    "charger": charger,
                    "target": target,
                    "neighbours": [friend | {"at": "front-right", "side": "charger"}],
                }
                if shape == {"state": "good"} or str(shape) not in self.fired:
                    charges_made = list(self.checked(made | {"distance": 22}, "stand"))
                    self.fired |= {str(shape)} if charges_made else set()
                    yield from charges_made

    def rare(self) -> Iterator[tuple[Charge, str]]:
        """Strong and weak chargers against squares, routed infantry, cavalry, and guns of every state;
        Cossacks under fire and refused."""
        other = next(name for name, side in self.nations.items() if side == SIDES[1])
        foot = next(iter(self.rules.infantry(other)))
        targets: list[dict[str, Any]] = [
            {"arm": "artillery", "formation": "limbered", "state": state, "increments": 3} for state in STATES
        ]
        targets += [
            {"arm": "artillery", "formation": "unlimbered", "state": state, "increments": 3}
            for state in STATES[:2]
        ]
        targets += [
            {"arm": "cavalry", "state": state, "increments": 6, "melee": 8, "movement": 12}
            for state in ("good", "routed")
        ]
        targets += [{"type": foot, "increments": 6, "fire": 1, "melee": 4, "formation": "square"}]
        targets += [{"type": foot, "increments": 6, "fire": 1, "melee": 4, "state": "routed"}]
        if "Cossack" in self.data["troops"].get("Russian", ()):
            cossacks = {
                "nation": "Russian",
                "type": "Cossack",
                "increments": 8,
                "morale": 22,
                "melee": 10,
                "movement": 14,
            }
            line = {
                "nation": "French",
                "type": "Ligne",
                "increments": 6,
                "fire": 20,
                "melee": 10,
                "morale": 22,
            }
            yield from self.checked(
                {"charger": cossacks, "target": line | {"state": "disordered"}} | STRAIGHT, "stand"
            )
            list(self.checked({"charger": cossacks, "target": line} | STRAIGHT, "stand"))
            guns = {"arm": "artillery", "nation": "French", "morale": 22, "increments": 3}
            list(self.checked({"charger": cossacks, "target": guns} | STRAIGHT, "stand"))
        for row in self.data["morale"].get("recovery_losses", []):
            weary = {
                "nation": row["when"]["unit.nation"],
                "increments": 4,
                "fire": 4,
                "melee": 9,
                "morale": 31,
                "state": "disordered",
                "side": "charger",
            }
            weary |= {
                "type": next(iter(self.rules.infantry(str(weary["nation"])))),
                "at": "front-right",
                "hexes": 12,
            }
            prussian = {
                "nation": "Prussian",
                "type": "Reserve",
                "increments": 6,
                "fire": 6,
                "melee": 9,
                "morale": 26,
            }
            yield from self.checked(
                {"charger": self.charger(SIDES[0], {}), "target": prussian, "neighbours": [weary]} | STRAIGHT,
                "stand",
            )
        for target in targets if self.rules.name in EVERY else ():
            for melee in (1, 6, 90):
                for way in (STRAIGHT, CROOKED):
                    for switches in ({}, {"cav_dd": "fall3_check_minus6"}, {"square_dd": "check_first"}):
                        charger = self.charger(SIDES[0], {}) or {}
                        made = {
                            "charger": charger | {"melee": melee, "morale": 11},
                            "target": target | {"nation": other, "morale": 11},
                        }
                        yield from self.checked(made | way | {"switches": switches}, "stand")


def listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


def look_up(book: Rulebook) -> None:
    """Every row and column of the charts, once."""
    for row in book.ruleset.merged["carre"]["rows"]:
        for distance in (1, 2, 3, 4):
            situation = {"target.nation": row["nations"][0], "target.formation": row["formation"]}
            charts.carre(book, row["nations"][0], row["formation"], distance, situation)
    for row in book.ruleset.merged["recall"]["rows"]:
        charts.recall(book, book.recall_row("", None, False, row["name"]), True)
    if "levels" in book.ruleset.merged:
        charts.level(book, 1)
    for told in (charts.movement, charts.stacking, charts.limber):
        told(book)
    for name in book.melee_columns:
        charts.melee(book, Fraction(ratio_of(name)[0]), Fraction(ratio_of(name)[1]))
    for name in book.fire_columns:
        charts.fire(book, Fraction(ratio_of(name)[0]), ratio_of(name)[1])


def run(tracing: Tracing, random: int) -> int:
    """Play everything; how many charges there were."""
    charges._rules.cache_clear()
    played = [(charge, charge.response) for charge in map(charges.random_charge, range(1000, 1000 + random))]
    for name in shipped.names():
        rules = catalogue.load(name)
        played += Maker(rules).all()
        for edition in rules.merged["editions"]:
            rules.switches(edition)
        look_up(rulebook(rules, rules.switches()))
    for charge, response in played:
        play(charge, RandomDice(2, 0, RUNS), [(Variant.of(charge.attacks[0], response),)])
    rare = [one for name in RARE for one in Maker(catalogue.load(name)).rare()]
    for charge, response in rare:
        play(charge, ExhaustiveDice(), [(Variant.of(charge.attacks[0], response),)])
    charges._rules.cache_clear()
    tracing.settle()
    for name in RARE:
        for charge, response in Maker(catalogue.load(name)).checked(BATTERY, "stand"):
            explain(charge, response)
    return len(played) + len(rare)


WAITING = {
    "premelee.columns.*.attack": "cavalry makes no pre-melee check as an attacker; infantry that attacks does",
    "premelee.modifiers[[]*].attack": "the same",
    "premelee.modifiers[[]2].*": "skirmishers are ridden down before a pre-melee check (D N30); infantry attacks them too",
    "stand.modifiers[[]2].*": "skirmishers neither stand nor check (D N30); the row is kept for editions in which they may, "
    "as the notes recommend",
    "melee.multipliers[[]4].*": "infantry against a square",
    "melee.multipliers[[]11].*": "tired cavalry that preserves its readiness: only fresh cavalry charges; charges of "
    "opportunity may be tired",
    "melee.multipliers[[]12].*": "the same",
    "melee.multipliers[[]18].*": "skirmishers in a melee: infantry attacks them",
    "matrix.effects.*.attacker.infantry.*": "infantry that attacks",
    "premelee.fire_loss.each": "the same, after defensive fire",
    "premelee.elite.*": "the same",
    "premelee.before_melee.*": "retreat before melee",
    "fire.guns.*": "fire at a range: in a charge everybody fires at the next hex",
    "fire.combine.*": "guns of several hexes at one target",
    "retreat.safe": "recovery in a battle: how far off every enemy is where routed units run no more",
    "movement.entry.*": "reinforcements of a battle",
    "leaders.hours[[]*": "leaders of a battle who are wounded: in a charge they are out for good",
    "switches.cavalry_joins.*": "melees of other arms, which cavalry may join",
}
"""What waits for battles, and why. In the patterns `*` is anything; a bracket is written `[[]`."""
ELSEWHERE = {
    **dict.fromkeys(
        ("ruleset", "title", "year", "version", "edition", "extends", "partial"),
        "what a file calls itself: read when it is loaded",
    ),
    "matrix.columns[[]*": "always the same: checked when it is loaded",
    "troops.*.arm": "which kind of entry it is: read when it is loaded",
    "*source": "where a block comes from: carried by its rows, which docs/sources.md is tested against",
    "*lender": "the same",
}
"""What is read before anything is played."""


def dead(written: Any, traces: Sequence[Trace]) -> list[Key]:
    """The values of a file as written that no rule set made of it has used."""
    return [key for key, _ in leaves(written) if not any(trace.is_used(key) for trace in traces)]


def waits(name: str, patterns: Iterable[str]) -> list[str]:
    return [pattern for pattern in patterns if fnmatch.fnmatchcase(name, pattern)]


def closed(name: str, data: Any) -> bool:
    """Whether a value of the fire defence chart is that of ground which no charge enters and on which nobody
    stands in one."""
    parts = name.split(".")
    ground = data["terrain"].get(parts[2]) if parts[:2] == ["fire", "defence"] else None
    return isinstance(ground, dict) and not ground["charge"]


@pytest.fixture(scope="module")
def unused() -> Iterator[list[tuple[str, str]]]:
    """File and place of every value of the shipped rule sets that nothing has read."""
    with pytest.MonkeyPatch.context() as patch:
        data = {name: catalogue.load(name, partial=True).merged for name in (*shipped.names(), shipped.BASE)}
        tracing = Tracing(patch)
        run(tracing, RANDOM)
        found = []
        for name in (*shipped.names(), shipped.BASE):
            traces = list(tracing.traces.values()) if name == shipped.BASE else [tracing.traces[name]]
            keys = dead(chain.read(chain.locate(name)).data, traces)
            found += [(name, text) for text in map(documents.dotted, keys) if not closed(text, data[name])]
        yield found


def test_every_value_of_every_shipped_rule_set_is_used_or_waits_by_name(
    unused: list[tuple[str, str]],
) -> None:
    told = [f"{name}: {text}" for name, text in unused if not waits(text, (*WAITING, *ELSEWHERE))]
    assert not told, "\n".join(told)


def test_nothing_waits_that_is_used(unused: list[tuple[str, str]]) -> None:
    needed = {pattern for _, text in unused for pattern in waits(text, (*WAITING, *ELSEWHERE))}
    assert needed == {*WAITING, *ELSEWHERE}


def test_a_value_that_nothing_reads_is_seen() -> None:
    """A key that the program does not know, and a line whose conditions are never met, among others that are
    used."""

    def load(name: str, *given: Any, **more: Any) -> RuleSet:
        rules = LOAD(name, *given, **more)
        data = copy.deepcopy(rules.merged)
        data["charge"]["spurs"] = 3
        data["stand"]["modifiers"].append({"key": "x", "label": "x", "value": 1})
        never = [("unit.state", "routed"), ("unit.formation", "square")]
        when = tuple(Condition(name, False, (code(value),)) for name, value in never)
        lines = (*rules.blocks.stand.modifiers, Line(key="x", label="x", when=when, value=1, source=None))
        blocks = Blocks(**vars(rules.blocks) | {"stand": StandRules(modifiers=lines)})
        return replace(rules, merged=data, blocks=blocks)

    with pytest.MonkeyPatch.context() as patch:
        tracing = Tracing(patch, load)
        made = Maker(catalogue.load("prusse-1806")).checked(HEAVY, "stand")
        for charge, response in made:
            play(charge, RandomDice(2, 0, RUNS), [(Variant.of(charge.attacks[0], response),)])
        tracing.settle()
        trace = tracing.traces["prusse-1806"]
        found = {
            key for key in dead(load("prusse-1806").merged, [trace]) if key[-1] not in ("label", "source")
        }
    lines = [one["key"] for one in catalogue.load("prusse-1806").merged["stand"]["modifiers"]]
    assert ("charge", "spurs") in found
    assert ("charge", "bonus_movement") not in found
    assert ("stand", "modifiers", len(lines), "value") in found
    assert ("stand", "modifiers", lines.index("heavy"), "value") not in found
    assert ("stand", "modifiers", lines.index("lancers"), "value") in found
    assert ("matrix", "rows", "cavalry good", 3) in found
    assert ("fire", "defence", "clear", "skirmish") in found


HEAVY: dict[str, Any] = {
    "charger": {
        "nation": "French",
        "type": "Dragoon",
        "movement": 12,
        "increments": 8,
        "melee": 30,
        "morale": 11,
    },
    "target": {
        "nation": "Prussian",
        "type": "Musketeer",
        "increments": 6,
        "fire": 12,
        "melee": 16,
        "morale": 26,
    },
    "distance": 5,
}
LOAD = catalogue.load
