"""Charge files: who charges whom, where and how. Loaded, checked, completed; nothing is played here."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from sim import documents, kinds, plans, rulesets
from sim.chargefields import (
    ANY,
    ARTILLERY_FORMATIONS,
    CAVALRY_FIELDS,
    CAVALRY_FORMATIONS,
    CHARGE,
    GUN_FIELDS,
    INFANTRY_FIELDS,
    INFANTRY_FORMATIONS,
    PLANS,
    RESPONSES_OF,
)
from sim.documents import Document
from sim.errors import InputError, UnknownNameError, did_you_mean, one_of
from sim.fields import Choice, Field, Problems
from sim.hexmap import Hex, along, neighbour
from sim.rulesets import RuleSet

DIRECTORY = Path(__file__).parent / "data" / "charges"
DEFAULT = DIRECTORY / "default.yaml"

CONTACT_SIDE = 3
"""The side of the target's hex, (0, 0), on which the charge arrives, moving in direction 0."""
_AT = {"front": 3, "front-left": 2, "rear-left": 1, "rear": 0, "rear-right": 5, "front-right": 4}


def place(at: str, hexes: int) -> Hex:
    """The hex so many hexes from the target in a named direction."""
    return along((0, 0), _AT[at], hexes)


@dataclass(frozen=True)
class Leader:
    """A leader with the charging stack or in the target hex. Bonuses in ladder steps."""

    id: str
    name: str
    morale: int = 0
    cavalry: int = 0
    artillery: int = 0


@dataclass(frozen=True)
class Unit:
    """A unit as it stands before the charge. `losses` is (first, step) of the loss-check trigger."""

    id: str
    name: str
    side: str
    arm: str
    nation: str
    type: str | None
    formation: str
    state: str
    increments: int
    printed: int
    morale: int
    melee: Fraction
    movement: int
    fire: Fraction = Fraction(0)
    lance: Fraction = Fraction(0)
    readiness: str = "fresh"
    level: int = 0
    force_march: bool = False
    multiples: dict[str, Fraction | None] = field(default_factory=dict)
    losses: tuple[int, int] = (1, 1)
    at: str | None = None
    hexes: int = 0
    response: str = "stand"

    def light(self, light_from: int) -> bool:
        """Whether it is light cavalry (printed movement of `light_from` or more)."""
        return self.arm == "cavalry" and self.movement >= light_from


@dataclass(frozen=True, repr=False)
class Charge:
    """A charge, complete: every default filled in, names resolved, switches decided.

    `charger` and `target` are the two stacks, top first; `battery` is the last unit of `target` when there is one. `document` is the file
    that says all this.
    """

    title: str
    ruleset: RuleSet
    edition: int
    switches: dict[str, Any]
    charger: tuple[Unit, ...]
    target: tuple[Unit, ...]
    neighbours: tuple[Unit, ...]
    reactor: Unit | None
    charger_leader: Leader | None
    target_leader: Leader | None
    change_to: str | None
    path: tuple[int, ...]
    through: str
    crosses: str
    terrain: str
    ground: tuple[tuple[int, str | None, str | None], ...]
    night: bool
    response: str
    plan: dict[str, Any]
    document: Document = field(compare=False)
    second: str | None = None
    second_path: tuple[int, ...] = ()
    away: tuple[int, ...] = ()

    def __repr__(self) -> str:
        return f"<Charge: {self.title}; {self.played_by}>"

    @property
    def played_by(self) -> str:
        """The rule set and edition it is played by, in words."""
        rules = self.ruleset
        return f"rule set {rules.name} v{rules.version} ({rules.digest}), edition {self.edition}"

    @property
    def start(self) -> tuple[Hex, int]:
        """The charger's first hex and direction: those from which its path ends next to the target, moving in direction 0."""
        return self.trail[0]

    @property
    def trail(self) -> list[tuple[Hex, int]]:
        """The hexes of the path, first to last, each with the direction of the charger there before it turns."""
        here, direction = along((0, 0), CONTACT_SIDE, 1), 0
        trail = [(here, direction)]
        for turn in reversed(self.path):
            here = neighbour(here, direction + 3)
            direction = (direction - turn) % 6
            trail.insert(0, (here, direction))
        return trail

    @property
    def ground_by_hex(self) -> dict[Hex, str]:
        """Terrain of the hexes that are not clear."""
        found = {} if self.terrain == "clear" else {(0, 0): self.terrain}
        for (here, before), turn, step in zip(self.trail, self.path, range(1, len(self.path) + 1), strict=False):
            for at, terrain, _ in self.ground:
                if at == step and terrain is not None:
                    found[neighbour(here, before + turn)] = terrain
        return found

    @property
    def choices(self) -> dict[str, Any]:
        """The plan as it is told: the choices, and the other unit and the other way where they are given."""
        named = {unit.id: unit.name for unit in self.neighbours}
        ways = {"second_path": list(self.second_path), "away": list(self.away)}
        return self.plan | ({"second": named[self.second]} if self.second else {}) | {name: way for name, way in ways.items() if way}

    @property
    def units(self) -> tuple[Unit, ...]:
        """All units in unit order."""
        return self.charger + self.target + self.neighbours + ((self.reactor,) if self.reactor else ())

    def identity(self) -> dict[str, Any]:
        """The rule set and edition this charge is played by."""
        return self.ruleset.identity() | {"edition": self.edition}


def load(path: Path | str, changes: list[str] | None = None, ruleset: str | None = None, edition: int | None = None) -> Charge:
    """A charge from a file, with `--set` changes such as `target.morale=26`.

    Raises
    ------
    InputError
        If the file or a change is not valid; the first fault is told with its place.
    """
    document = documents.read(path)
    for text in changes or []:
        document = changed(document, text)
    if ruleset is not None:
        document = change(document, ("ruleset",), ruleset, "--ruleset")
    if edition is not None:
        document = change(document, ("edition",), edition, "--edition")
    charge, problems = check(document)
    problems.raise_first()
    if charge is None:
        raise InputError(f"{document.name}: the charge cannot be used")
    return charge


_OTHER_WAY = {"distance": "path", "path": "distance"}
"""Fields that say one thing in two ways: an option takes the place of either."""


def changed(document: Document, text: str, option: str = "--set", over: Collection[documents.Key] = ()) -> Document:
    """A document with one `field=value` applied; words of the plan may be joined by hyphens. `option` is where it comes from.

    Raises
    ------
    InputError
        If it is no change, or cannot be made (see `change`).
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"{option} must be FIELD=VALUE, such as target.morale=26, got '{text}'")
    key = documents.parse_key(name.strip())
    given = documents.parse_value(value)
    wanted = given.data
    if key[0] == "plan" and key[-1] in PLANS and isinstance(wanted, str):
        wanted = wanted.replace("-", " ")
    return change(document, key, wanted, f"{option} {text}", given.written, over)


def change(
    document: Document,
    key: documents.Key,
    value: Any,
    origin: str,
    written: dict[documents.Key, str] | None = None,
    over: Collection[documents.Key] = (),
) -> Document:
    """A document with one field set, which errors place at `origin`.

    Parameters
    ----------
    written
        As of a document, within the value.
    over
        Fields that options have set and that this change may set again; a variant changes what is compared with it.

    Raises
    ------
    InputError
        If there is no such field, or another option has set it, a part of it, or the same in another way (`distance` and `path`).
    """
    other = _OTHER_WAY.get(str(key[0]))
    for earlier, before in document.origins.items():
        within = earlier[: len(key)] == key or (earlier[0] == other and other in document.data)
        if within and earlier not in over and (earlier != key or document.at(key) != value):
            raise InputError(f"{origin}: '{documents.dotted(earlier)}' is set by {before} already")
    if other and isinstance(document.data, dict) and other in document.data:
        document = document.without(other)
    return document.changed(key, value, origin, written)


def check(document: Document) -> tuple[Charge | None, Problems]:
    """The charge of a document and everything that is wrong with it; no charge if something is."""
    problems = Problems(document)
    if kinds.kind_of(document.data) == kinds.RULE_SET:
        problems.error((), "must be a charge file, but looks like a rule set (play a charge by it with --ruleset)")
        return None, problems
    raw = CHARGE.check(document.data, (), problems)
    if problems.errors:
        return None, problems
    try:
        rules = _ruleset(raw["ruleset"], document)
    except InputError as error:
        problems.errors.append(f"{document.where(('ruleset',))}: {error}")
        return None, problems
    try:
        rules.switches(raw["edition"], {})
    except InputError as error:
        problems.error(("edition",), str(error).removeprefix("edition "))
        return None, problems
    for name, value in raw["switches"].items():
        try:
            rules.switches(raw["edition"], {name: value})
        except InputError as error:
            problems.errors.append(f"{document.where(('switches', name))}: {error}")
    if problems.errors:
        return None, problems
    switches = rules.switches(raw["edition"], raw["switches"])
    builder = _Builder(rules, problems)
    charge = builder.charge(raw, switches)
    return (None if problems.errors else charge), problems


def _ruleset(name: str, document: Document) -> RuleSet:
    """The rule set that a charge names: a path in its file is relative to that file, one in an option to the working directory."""
    given = document.origins.get(("ruleset",))
    return rulesets.load(name, folder=None if given or document.path is None else document.path.parent)


class _Builder:
    """Turns checked fields into units, and checks what one field alone cannot show."""

    def __init__(self, rules: RuleSet, problems: Problems) -> None:
        self.rules = rules
        self.data = rules.data
        self.problems = problems

    def charge(self, raw: dict[str, Any], switches: dict[str, Any]) -> Charge | None:
        charger, target = raw["charger"], raw["target"]
        stack = [self.unit(charger | {"arm": "cavalry"}, "charger", "charger", ("charger",))]
        for i, below in enumerate(charger["stack"]):
            fields = below | {"arm": "cavalry", "formation": charger["formation"]}
            stack.append(self.unit(fields, f"charger-{i + 2}", "charger", ("charger", "stack", i)))
        for unit, key in zip(stack, [("charger",), *(("charger", "stack", i) for i in range(2))], strict=False):
            if unit and unit.state != "good":
                self.problems.error((*key, "state"), "must be good, since only cavalry in good order charges (rule 37)")
            if unit and unit.readiness != "fresh":
                self.problems.error((*key, "readiness"), f"must be fresh, since only fresh cavalry charges (rule 36), got {unit.readiness!r}")
        if len(stack) > 1 and not (charger["leader"] and charger["leader"]["cavalry"] > 0):
            self.problems.error(("charger", "leader"), "must have a cavalry bonus of 1 or more for several regiments to charge together (rule 37)")
        hex_units = [self.unit(target, "target", "target", ("target",))]
        for i, below in enumerate(target["stack"]):
            fields = below | {"formation": below["formation"] or target["formation"]}
            hex_units.append(self.unit(fields, f"target-{i + 2}", "target", ("target", "stack", i)))
        if target["battery"]:
            fields = target["battery"] | {"arm": "artillery", "nation": target["battery"]["nation"] or target["nation"]}
            hex_units.append(self.unit(fields, "battery", "target", ("target", "battery")))
        neighbours = [self.unit(one, f"neighbour-{i + 1}", one["side"], ("neighbours", i)) for i, one in enumerate(raw["neighbours"])]
        reactor = self.unit(raw["reactor"] | {"arm": "cavalry"}, "reactor", "target", ("reactor",)) if raw["reactor"] else None
        if self.problems.errors or not all([*stack, *hex_units, *neighbours]):
            return None
        if raw["path"] is not None and "distance" in self.problems.document.data:
            self.problems.error(("distance",), f"must not stand beside 'path', which says it too, got {raw['distance']}")
        path = tuple(raw["path"]) if raw["path"] is not None else (0,) * (raw["distance"] - 1)
        ahead = (0, 1) if charger["formation"] == "line" else (0,)
        if path and path[0] not in ahead:
            self.problems.error(("path", 0), f"must be {one_of(ahead)}: a charge first enters a hex straight ahead (rule 38), got {path[0]}")
        charge = Charge(
            title=raw["title"],
            ruleset=self.rules,
            edition=raw["edition"] or self.rules.edition,
            switches=switches,
            charger=tuple(unit for unit in stack if unit),
            target=tuple(unit for unit in hex_units if unit),
            neighbours=tuple(unit for unit in neighbours if unit),
            reactor=reactor,
            charger_leader=_leader("charger-leader", charger["leader"]),
            target_leader=_leader("target-leader", target["leader"]),
            change_to=charger["change_to"],
            path=path,
            through=raw["through"],
            crosses=raw["crosses"],
            terrain=target["terrain"],
            ground=tuple((one["step"], one["terrain"], one["hexside"]) for one in raw["ground"]),
            night=raw["night"],
            response=raw["response"],
            plan={name: (raw["plan"] or {}).get(name, values[0]) for name, values in PLANS.items()},
            document=self.problems.document,
            **plans.ways(raw["plan"] or {}, neighbours, self.problems),
        )
        self.across(charge)
        return charge

    def unit(self, raw: dict[str, Any], name: str, side: str, key: documents.Key) -> Unit | None:
        arm = raw["arm"]
        kinds = {"infantry": INFANTRY_FIELDS, "cavalry": CAVALRY_FIELDS, "artillery": GUN_FIELDS}[arm]
        before = len(self.problems.errors)
        own: dict[str, Any] = {one: raw.get(one) for one in kinds}
        for one, kind in kinds.items():
            if own[one] is None:
                if kind.default is not None and isinstance(kind.default, str | int | bool | Fraction):
                    own[one] = kind.default
                elif one not in ("name", "type", "printed", "line", "square", "skirmish"):
                    self.problems.error(key, f"must have the field '{one}' ({kind.expected()}), but it is missing")
            elif one != "formation":
                kind.check(own[one], (*key, one), self.problems)
        for one in ANY:
            if one not in kinds and one != "formation" and raw.get(one) is not None:
                self.problems.error((*key, one), f"is not a field of {arm}.{did_you_mean(one, kinds)}")
        formation = self.formation(raw, arm, key)
        nation = self.nation(own["nation"], key)
        if len(self.problems.errors) > before:
            return None
        held = self.held(kinds["increments"], (*key, "increments"))
        printed = own["printed"] or held or own["increments"]
        if printed < own["increments"] and not own["printed"]:
            told = f"must be at most {printed}, those of the file, for which its values are printed (for another size change 'printed' too)"
            self.problems.error((*key, "increments"), f"{told}, got {own['increments']}")
        elif printed < own["increments"]:
            self.problems.error((*key, "printed"), f"must be at least the increments now ({own['increments']}), got {printed}")
        multiples, losses = self.troop(own, arm, nation, formation, key)
        return Unit(
            id=name,
            name=own["name"] or name,
            side=side,
            arm=arm,
            nation=nation,
            type=own["type"],
            formation=formation,
            state=own["state"],
            increments=own["increments"],
            printed=printed,
            morale=own["morale"],
            melee=own["melee"],
            movement=own["movement"],
            fire=own.get("fire") or Fraction(0),
            lance=own.get("lance") or Fraction(0),
            readiness=own.get("readiness") or "fresh",
            level=own["level"],
            force_march=bool(own.get("force_march")),
            multiples=multiples,
            losses=losses,
            at=raw.get("at"),
            hexes=raw.get("hexes") or 0,
            response=raw.get("response") or "stand",
        )

    def held(self, kind: Field, key: documents.Key) -> int | None:
        """The increments before an option changed them: the strength that the printed values belong to, or None."""
        before = self.problems.document.before
        if key not in before:
            return None
        value = before[key] if before[key] is not None else kind.default
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def formation(self, raw: dict[str, Any], arm: str, key: documents.Key) -> str:
        allowed = {"infantry": INFANTRY_FORMATIONS, "cavalry": CAVALRY_FORMATIONS, "artillery": ARTILLERY_FORMATIONS}[arm]
        formation = raw.get("formation") or {"artillery": "unlimbered"}.get(arm, "column")
        Choice(values=allowed).check(formation, (*key, "formation"), self.problems)
        state = raw.get("state") or "good"
        if state != "good" and arm != "artillery" and formation not in ("column", "general order"):
            self.problems.error((*key, "formation"), f"must be column or general order for a {state} unit (rule 30), got {formation!r}")
        if state == "routed" and formation == "unlimbered":
            self.problems.error((*key, "state"), "must be good or disordered: unlimbered guns have no routed state (rule 30), got 'routed'")
        return formation

    def nation(self, nation: Any, key: documents.Key) -> str:
        known = self.data["nations"]
        if nation is not None and nation not in known:
            hint = did_you_mean(nation, known) or f" Known: {', '.join(known)}."
            self.problems.error((*key, "nation"), f"must be a nation of {self.rules.name}, got {nation!r}.{hint}")
        return str(nation)

    def troop(self, own: dict[str, Any], arm: str, nation: str, formation: str, key: documents.Key) -> tuple[dict[str, Any], tuple[int, int]]:
        if arm != "infantry":
            trigger = self.data["morale"]["loss_checks"][arm]
            return {}, (trigger["first"], trigger["step"])
        types = self.rules.infantry(nation)
        kind = own["type"]
        if kind is None or kind not in types:
            hint = did_you_mean(kind, types) if kind else ""
            known = f" Known: {', '.join(types)}." if types else ""
            self.problems.error((*key, "type"), f"must be a troop type of {nation} infantry in {self.rules.name}, got {kind!r}.{hint or known}")
            return {}, (1, 1)
        entry = types[kind]
        multiples = {}
        for shape in ("line", "square", "skirmish"):
            value = own[shape] if own[shape] is not None else entry[shape]
            multiples[shape] = None if value is None else Fraction(str(value))
            if formation == shape and value is None:
                self.problems.error((*key, "formation"), f"must be one that {nation} {kind} can take; it has no {shape} in {self.rules.name}")
        return multiples, (entry["losses"]["first"], entry["losses"]["step"])

    def recall(self, charger: Unit) -> None:
        """The charging cavalry must have a row in the recall chart."""
        rows = [row for row in self.data["recall"]["rows"] if charger.nation in row["nations"]]
        named = [kind for row in rows for kind in row.get("types", [])]
        near = did_you_mean(charger.type, named) if charger.type and charger.type not in named else ""
        if near:
            self.problems.warn(("charger", "type"), f"is not a type that the recall chart of {self.rules.name} names, got {charger.type!r}.{near}")
        size = "light" if charger.light(self.data["charge"]["light_from"]) else "heavy"
        if not any(charger.type in row.get("types", [charger.type]) and row.get("class", size) == size for row in rows):
            types = [kind for row in rows for kind in row.get("types", [])]
            known = f"must be one of {', '.join(types)}" if types else f"must be cavalry that {charger.nation} has"
            hint = did_you_mean(charger.type, types)
            self.problems.error(("charger", "type"), f"{known} to find its row in the recall chart of {self.rules.name}, got {charger.type!r}.{hint}")

    def across(self, charge: Charge) -> None:
        """What one unit alone cannot show."""
        problems, top = self.problems, charge.target[0]
        for i, below in enumerate(charge.target[1:]):
            key = ("target", "stack", i) if below.id != "battery" else ("target", "battery")
            if below.id == "battery" and top.arm != "infantry":
                problems.error(key, f"must stand with infantry, but the target is {top.arm} (give guns alone as the target itself)")
            elif below.id != "battery" and below.arm != top.arm:
                problems.error((*key, "arm"), f"must be {top.arm}, as the target's top unit (rule 16), got {below.arm!r}")
            elif below.id != "battery" and below.formation != top.formation:
                problems.error((*key, "formation"), f"must be {top.formation}: one formation a hex (rule 16), got {below.formation!r}")
        zones = self.data["orientation"].get(_orientation(top, self.data["charge"]["light_from"]), {"zones": []})["zones"]
        if charge.through not in zones:
            shown = " and ".join(dict.fromkeys(zones))
            problems.error(("through",), f"must be a hexside that the target has: {top.arm} in {top.formation} has {shown}, got {charge.through!r}")
        terrains = {name: rules for name, rules in self.data["terrain"].items() if isinstance(rules, dict)}
        places: list[tuple[documents.Key, str | None]] = [(("target", "terrain"), charge.terrain)]
        places += [(("ground", i, "terrain"), one[1]) for i, one in enumerate(charge.ground)]
        for spot_key, terrain in places:
            if terrain is not None and terrain not in terrains:
                problems.error(spot_key, f"must be a terrain of {self.rules.name}, got {terrain!r}.{did_you_mean(terrain, terrains)}")
        if charge.terrain in terrains and not terrains[charge.terrain]["charge"]:
            problems.error(("target", "terrain"), f"must be open to charges: no charge may be made into {charge.terrain} (rule 38)")
        self.lines(charge, {name for name, rules in terrains.items() if rules["charge"]})
        hexsides = [name for name, rules in self.data["hexsides"].items() if isinstance(rules, dict)]
        told: dict[tuple[Hex, ...], int] = {}
        for i, (step, terrain, hexside) in enumerate(charge.ground):
            if hexside is not None and hexside not in hexsides:
                hint = did_you_mean(hexside, hexsides)
                problems.error(("ground", i, "hexside"), f"must be a hexside of {self.rules.name}, got {hexside!r}.{hint}")
            if 0 < step < len(charge.trail) and (terrain is None) != (hexside is None):
                here = charge.trail[step][0]
                ground = (here,) if hexside is None else tuple(sorted((here, charge.trail[step - 1][0])))
                first = told.setdefault(ground, i)
                if first != i:
                    what = "hex" if hexside is None else "hexside"
                    problems.error(("ground", i), f"must tell of another {what} than 'ground[{first}]', which tells what is there already")
            if (terrain is None) == (hexside is None):
                problems.error(("ground", i), "must name either a terrain or a hexside")
            if step > len(charge.path):
                problems.error(("ground", i, "step"), f"must be a step of the charge, 1 to {len(charge.path)}, got {step}")
        if any(here == (0, 0) for here, _ in charge.trail):
            problems.error(("path",), f"must not lead through the target's hex, got {list(charge.path)}")
        sides = self.data["nations"]
        if sides[top.nation] == sides[charge.charger[0].nation]:
            problems.warn(("target", "nation"), f"is of the charger's own side, {sides[top.nation]}, got {top.nation!r}")
        self.recall(charge.charger[0])
        known = (*RESPONSES_OF[top.arm], "best", "all")
        if charge.response not in known:
            problems.error(("response",), f"must be one that {top.arm} has ({one_of(known)}), got {charge.response!r}")
        if charge.crosses not in ("none", *hexsides):
            hint = did_you_mean(charge.crosses, hexsides)
            problems.error(("crosses",), f"must be none, {one_of(hexsides)} in {self.rules.name}, got {charge.crosses!r}.{hint}")
        placed: list[tuple[Unit, documents.Key]] = [(unit, ("neighbours", i, "at")) for i, unit in enumerate(charge.neighbours)]
        placed += [(charge.reactor, ("reactor", "at"))] if charge.reactor else []
        for unit, at_key in placed:
            if place(str(unit.at), unit.hexes) == charge.start[0]:
                problems.error(at_key, f"must leave the charger's starting hex free, got {unit.hexes} hexes off at {unit.at}")
        taken: dict[tuple[str | None, int], str] = {}
        for i, unit in enumerate(charge.neighbours):
            spot = (unit.at, unit.hexes)
            if spot in taken:
                problems.error(("neighbours", i, "at"), f"must be free: {taken[spot]} already stands {unit.hexes} hexes off at {unit.at}")
            taken[spot] = unit.id
        if charge.reactor and (charge.reactor.at, charge.reactor.hexes) in taken:
            problems.error(("reactor", "at"), f"must be free, but {taken[(charge.reactor.at, charge.reactor.hexes)]} stands there")

    def lines(self, charge: Charge, open_to_charges: set[str]) -> None:
        """Units in line stand on clear ground, and no more of them in a hex than it holds (rule 16; seed 003)."""
        ground = charge.ground_by_hex
        most = int(self.data["charge"]["line_increments"])
        stacks: list[tuple[documents.Key, tuple[Unit, ...], Hex]] = [
            (("charger",), charge.charger, charge.start[0]),
            (("target",), charge.target, (0, 0)),
            *((("neighbours", i), (unit,), place(str(unit.at), unit.hexes)) for i, unit in enumerate(charge.neighbours)),
            *((("reactor",), (unit,), place(str(unit.at), unit.hexes)) for unit in (charge.reactor,) if unit),
        ]
        for key, units, here in stacks:
            increments = sum(unit.increments for unit in units if unit.formation == "line")
            if increments > most:
                self.problems.error((*key, "increments"), f"must be at most {most} in line in one hex (rule 16), got {increments}")
            terrain = ground.get(here, "clear")
            told = key == ("target",) and terrain not in open_to_charges
            if increments and terrain != "clear" and not told:
                self.problems.error((*key, "formation"), f"must not be line in {terrain}: a line stands on clear ground only (rule 16), got 'line'")


def _orientation(unit: Unit, light_from: int) -> str:
    """The entry of a rule set's `orientation` for a unit."""
    if unit.arm == "artillery":
        return "artillery"
    if unit.arm == "infantry":
        return f"infantry {unit.formation}"
    return "cavalry line" if unit.formation == "line" else f"{'light' if unit.light(light_from) else 'heavy'} cavalry column"


def _leader(name: str, raw: dict[str, Any] | None) -> Leader | None:
    if raw is None:
        return None
    return Leader(name, raw["name"] or name, raw["morale"], raw["cavalry"], raw["artillery"])


def with_plan(charge: Charge, **plan: Any) -> Charge:
    """The same charge with other choices of the charger.

    Raises
    ------
    UnknownNameError
        If a key or value of the plan does not exist.
    """
    for name, value in plan.items():
        if name not in PLANS:
            raise UnknownNameError(f"the plan has no choice {name!r}.{did_you_mean(name, PLANS)} Known: {', '.join(PLANS)}.")
        if not any(type(one) is type(value) and one == value for one in PLANS[name]):
            raise UnknownNameError(
                f"plan {name} must be {', '.join(str(v).lower() for v in PLANS[name])}, got {value!r}.{did_you_mean(value, PLANS[name])}"
            )
        missing = plans.lacks(value, charge.second, charge.away)
        if missing:
            raise UnknownNameError(f"plan {name}: {missing}")
    document = charge.document
    for name, value in plan.items():
        document = document.changed(("plan", name), value, "plan")
    return replace(charge, plan=charge.plan | plan, document=document)
