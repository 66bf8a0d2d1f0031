"""The units of a charge, from the fields of its file.

What is wrong is noted, and something harmless stands in for it, so that everything else is checked in the
same go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sim.board.hexmap import Hex
from sim.errors import did_you_mean, one_of
from sim.inputs.documents import Key
from sim.inputs.fields import REQUIRED, Choice, Field, Integer, Problems, Record
from sim.rulesets.blocks import Foot
from sim.rulesets.catalogue import RuleSet
from sim.units import plans
from sim.units.chargefields import (
    ANY,
    BELOW_CHARGER,
    BELOW_TARGET,
    CAVALRY_FIELDS,
    CHARGER,
    GUN_FIELDS,
    INFANTRY_FIELDS,
    NEIGHBOUR,
    ONE_OF_SEVERAL,
    PLANS,
    TARGET,
)
from sim.units.charges import CONTACT_SIDE, DIRECTION_OF, ORIGIN, Attack, Charge, Leader, Unit, place
from sim.vocabulary import ARTILLERY_FORMATIONS, CAVALRY_FORMATIONS, INFANTRY_FORMATIONS

_FIELDS: dict[str, dict[str, Field]] = {
    "infantry": INFANTRY_FIELDS,
    "cavalry": CAVALRY_FIELDS,
    "artillery": GUN_FIELDS,
}
_FORMATIONS = {
    "infantry": INFANTRY_FORMATIONS,
    "cavalry": CAVALRY_FORMATIONS,
    "artillery": ARTILLERY_FORMATIONS,
}
_MAY_LACK = ("name", "type", "printed", "line", "square", "skirmish")
_STAND_INS: dict[str, Any] = {
    "increments": 1,
    "morale": 33,
    "melee": Fraction(1),
    "movement": 12,
    "fire": Fraction(1),
}


@dataclass(frozen=True)
class Draft:
    """A charge before the units that it only names are found: its fields, where they stand, and its own
    units."""

    raw: dict[str, Any]
    key: Key
    prefix: str
    charger: dict[str, Any]
    target: Any
    path: tuple[int, ...]
    stack: tuple[Unit, ...]
    hex_units: tuple[Unit, ...] | None


class Muster:
    """Turns checked fields into a charge.

    Parameters
    ----------
    rules
        The rule set that the charge names, or any other if that cannot be used: then an error is about
        `ruleset`, and no name is looked up.
    problems
        What is found wrong is noted here.
    """

    def __init__(self, rules: RuleSet, problems: Problems) -> None:
        self.rules = rules
        self.problems = problems

    def charge(self, raw: dict[str, Any], switches: dict[str, Any]) -> Charge:
        """The charges of a file whose fields have been checked one by one."""
        several = raw["charges"] is not None
        told = [(one, ("charges", i)) for i, one in enumerate(raw["charges"])] if several else [(raw, ())]
        drafts = [
            self.draft(_whole(one, ONE_OF_SEVERAL) if several else one, key, len(told)) for one, key in told
        ]
        neighbours = tuple(
            self.unit(one, f"neighbour-{i + 1}", one["side"], ("neighbours", i))
            for i, one in enumerate(_whole(one, NEIGHBOUR) for one in raw["neighbours"])
        )
        attacks: list[Attack] = []
        for draft in drafts:
            attacks.append(self.attack(draft, attacks, neighbours))
        return Charge(
            title=raw["title"],
            ruleset=self.rules,
            edition=raw["edition"] or self.rules.edition,
            switches=switches,
            attacks=tuple(attacks),
            neighbours=neighbours,
            reactor=self.unit(raw["reactor"] | {"arm": "cavalry"}, "reactor", "target", ("reactor",))
            if raw["reactor"]
            else None,
            night=raw["night"],
            document=self.problems.document,
        )

    def draft(self, raw: dict[str, Any], key: Key, charges: int) -> Draft:
        """A charge but for what it says of other charges and of neighbours."""
        prefix = f"{int(key[1]) + 1}." if charges > 1 else ""
        charger = _whole(raw["charger"], CHARGER)
        target = _whole(raw["target"], TARGET) if raw["target"] is None else raw["target"]
        path = self.path(raw, charger, key)
        hex_units = self.target(target, prefix, key) if isinstance(target, dict) else None
        stack = self.charger(charger, prefix, key)
        return Draft(raw, key, prefix, charger, target, path, stack, hex_units)

    def attack(self, draft: Draft, earlier: Sequence[Attack], neighbours: tuple[Unit, ...]) -> Attack:
        """A charge, with the hex it charges and the other unit of its plan found."""
        raw, key, problems = draft.raw, draft.key, self.problems
        at, side, through = ORIGIN, CONTACT_SIDE, raw["through"]
        target, target_key = draft.target, (*key, "target")
        if draft.hex_units is not None and isinstance(target, dict):
            hex_units, terrain = draft.hex_units, target["terrain"]
            leader = _leader(f"{draft.prefix}target-leader", target["leader"])
        else:
            hex_units, at, target_key = self.told_elsewhere(target, earlier, neighbours, key)
            terrain, leader, through = "clear", None, None
        if key:
            side = DIRECTION_OF[raw["from"] or "front"]
            if target_key == (*key, "target"):
                at = self.at(raw, key)
                through = through or "front"
            else:
                self.said_already(raw, key)
        return Attack(
            charger=draft.stack,
            target=hex_units,
            path=draft.path,
            response=raw["response"],
            plan={name: raw["plan"].get(name, values[0]) for name, values in PLANS.items()},
            at=at,
            side=side,
            through=through,
            crosses=raw["crosses"],
            ground=tuple(
                (one["step"] or 1, one["terrain"], one["hexside"]) if one else (1, None, None)
                for one in raw["ground"]
            ),
            terrain=terrain,
            change_to=draft.charger["change_to"],
            leader=_leader(f"{draft.prefix}charger-leader", draft.charger["leader"]),
            target_leader=leader,
            battery=draft.hex_units is not None and bool(target["battery"]),
            key=key,
            target_key=target_key,
            **plans.ways(raw["plan"], neighbours, problems, key),
        )

    def at(self, raw: dict[str, Any], key: Key) -> Hex:
        """The hex of a target that is told with its charge: the first one's is where all places are told
        from."""
        problems = self.problems
        if key[1] == 0:
            for name in ("at", "hexes"):
                if raw[name] is not None and problems.sound((*key, name)):
                    problems.error(
                        (*key, name),
                        "must not be given: all places are told from the first charge's target, "
                        f"got {raw[name]!r}",
                    )
            return ORIGIN
        if raw["at"] is None:
            if problems.sound((*key, "at"), (*key, "target")):
                told = (
                    "must have the field 'at', the direction of its target from the first charge's, "
                    "but it is missing"
                )
                problems.error(key, told, (*key, "at"))
            return place("rear", 12)
        return place(raw["at"], raw["hexes"] or 1)

    def said_already(self, raw: dict[str, Any], key: Key) -> None:
        """What may not stand beside a target that is told elsewhere, with its place and its facing."""
        for name in ("at", "hexes", "through"):
            if raw[name] is not None and self.problems.sound((*key, name), (*key, "target")):
                self.problems.error(
                    (*key, name),
                    "must not be given where 'target' names units told elsewhere, with their place "
                    f"and facing, got {raw[name]!r}",
                )

    def told_elsewhere(
        self, wanted: Any, earlier: Sequence[Attack], neighbours: tuple[Unit, ...], key: Key
    ) -> tuple[tuple[Unit, ...], Hex, Key]:
        """The units of a target that is the number of an earlier charge, or the name of a unit: they, their
        hex, and where they are told."""
        problems, place_of = self.problems, (*key, "target")
        hexes = {one.target_key: (one.target, one.at, one.target_key) for one in earlier}
        known = hexes | {
            ("neighbours", i): ((unit,), place(str(unit.at or "rear"), unit.hexes or 1), ("neighbours", i))
            for i, unit in enumerate(neighbours)
        }
        if not earlier:
            problems.error(
                place_of,
                f"must be a mapping in the first charge, since places are told from it, got {wanted!r}",
            )
            return self.target(_whole(None, TARGET), "1.", key), ORIGIN, place_of
        first = next(iter(hexes.values()))
        if not problems.sound(place_of):
            return first
        if isinstance(wanted, int):
            if 1 <= wanted <= len(earlier):
                one = earlier[wanted - 1]
                return one.target, one.at, one.target_key
            problems.error(
                place_of, f"must be the number of an earlier charge, 1 to {len(earlier)}, got {wanted}"
            )
            return first
        found = [one for one in known.values() if any(wanted in (unit.name, unit.id) for unit in one[0])]
        names = list(dict.fromkeys(unit.name for one in known.values() for unit in one[0]))
        if len(found) == 1:
            if found[0][0][0].side == "target":
                return found[0]
            problems.error(place_of, f"must be of the target's side, got {wanted!r} of the charger's")
        elif found:
            problems.error(
                place_of, f"must name one unit, but {len(found)} are called {wanted!r}: give another name"
            )
        else:
            hint = did_you_mean(wanted, names) or f" Known: {', '.join(names)}."
            problems.error(
                place_of, f"must name a unit of an earlier target or a neighbour, got {wanted!r}.{hint}"
            )
        return first

    def path(self, raw: dict[str, Any], charger: dict[str, Any], key: Key) -> tuple[int, ...]:
        """The turns before each step."""
        problems = self.problems
        told = problems.document.at(key)
        if (
            isinstance(told, dict)
            and {"path", "distance"} <= told.keys()
            and problems.sound((*key, "distance"))
        ):
            problems.error(
                (*key, "distance"), f"must not stand beside 'path', which says it too, got {raw['distance']}"
            )
        if raw["path"] is None:
            return (0,) * (raw["distance"] - 1)
        path = tuple(turn or 0 for turn in raw["path"])
        ahead = (0, 1) if charger["formation"] == "line" else (0,)
        if path and path[0] not in ahead and problems.sound((*key, "path"), (*key, "charger", "formation")):
            problems.error(
                (*key, "path", 0),
                f"must be {one_of(ahead)}: a charge first enters a hex straight ahead (rule 38), "
                f"got {path[0]}",
            )
        return path

    def charger(self, raw: dict[str, Any], prefix: str, base: Key) -> tuple[Unit, ...]:
        """The charging stack."""
        problems, top = self.problems, (*base, "charger")
        stack: list[tuple[Unit, Key]] = [
            (self.unit(raw | {"arm": "cavalry"}, f"{prefix}charger", "charger", top), top)
        ]
        for i, one in enumerate(raw["stack"]):
            key: Key = (*top, "stack", i)
            fields = _whole(one, BELOW_CHARGER) | {"arm": "cavalry", "formation": raw["formation"]}
            stack.append((self.unit(fields, f"{prefix}charger-{i + 2}", "charger", key), key))
        for unit, key in stack:
            if unit.state != "good" and problems.sound((*key, "state")):
                problems.error(
                    (*key, "state"), "must be good, since only cavalry in good order charges (rule 37)"
                )
            if unit.readiness != "fresh" and problems.sound((*key, "readiness")):
                problems.error(
                    (*key, "readiness"),
                    f"must be fresh, since only fresh cavalry charges (rule 36), got {unit.readiness!r}",
                )
        leader = (*top, "leader")
        if (
            len(stack) > 1
            and not (raw["leader"] and (raw["leader"]["cavalry"] or 0) > 0)
            and problems.sound(leader)
        ):
            problems.error(
                leader,
                "must have a cavalry bonus of 1 or more for several regiments to charge together (rule 37)",
            )
        return tuple(unit for unit, _ in stack)

    def target(self, raw: dict[str, Any], prefix: str, base: Key) -> tuple[Unit, ...]:
        """The units in the target's hex, the top one first, guns with it last."""
        top = (*base, "target")
        units = [self.unit(raw, f"{prefix}target", "target", top)]
        for i, one in enumerate(_whole(one, BELOW_TARGET) for one in raw["stack"]):
            fields = one | {"formation": one["formation"] or raw["formation"]}
            units.append(self.unit(fields, f"{prefix}target-{i + 2}", "target", (*top, "stack", i)))
        if raw["battery"]:
            fields = raw["battery"] | {
                "arm": "artillery",
                "nation": raw["battery"]["nation"] or units[0].nation,
            }
            units.append(self.unit(fields, f"{prefix}battery", "target", (*top, "battery")))
        return tuple(units)

    def unit(self, raw: dict[str, Any], name: str, side: str, key: Key) -> Unit:
        """One unit; a field of another arm, a missing one and names that the rule set does not have are
        noted."""
        problems, arm = self.problems, raw["arm"]
        kinds = _FIELDS[arm]
        own: dict[str, Any] = {
            one: self.value(one, kind, raw.get(one), key) for one, kind in kinds.items() if one != "formation"
        }
        for one in ANY:
            if (
                one not in kinds
                and one != "formation"
                and raw.get(one) is not None
                and problems.sound((*key, "arm"))
            ):
                problems.error((*key, one), f"is not a field of {arm}.{did_you_mean(one, kinds)}")
        formation = self.formation(raw, arm, key)
        nation = self.nation(own["nation"], key)
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
            printed=self.printed(own, kinds, key),
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

    def value(self, name: str, kind: Field, value: Any, key: Key) -> Any:
        """A field of a unit as its arm has it, filled in where the file lacks it or has it wrong."""
        problems, default = self.problems, kind.default
        inner = (*key, name)
        if value is not None and problems.sound(inner):
            kind.check(value, inner, problems)
            if problems.sound(inner):
                return value
        if isinstance(default, str | int | bool | Fraction):
            return default
        if name not in _MAY_LACK and problems.sound(inner, (*key, "arm")):
            problems.error(key, f"must have the field '{name}' ({kind.expected()}), but it is missing", inner)
        return _STAND_INS.get(name)

    def printed(self, own: dict[str, Any], kinds: dict[str, Field], key: Key) -> int:
        """Increments at full strength: as the file says, those that an option has changed, or those there
        are."""
        problems, increments = self.problems, int(own["increments"])
        printed = own["printed"] or self.held(kinds["increments"], (*key, "increments")) or increments
        if printed < increments and problems.sound((*key, "increments"), (*key, "printed")):
            if own["printed"]:
                problems.error(
                    (*key, "printed"), f"must be at least the increments now ({increments}), got {printed}"
                )
            else:
                told = (
                    f"must be at most {printed}, those of the file, for which its values are printed "
                    "(for another size change 'printed' too)"
                )
                problems.error((*key, "increments"), f"{told}, got {increments}")
        return max(printed, increments)

    def held(self, kind: Field, key: Key) -> int | None:
        """The increments before an option changed them: the strength that the printed values belong to, or
        None."""
        before = self.problems.document.before
        if key not in before:
            return None
        value = before[key] if before[key] is not None else kind.default
        return (
            value
            if isinstance(kind, Integer) and isinstance(value, int) and kind.low <= value <= kind.high
            else None
        )

    def formation(self, raw: dict[str, Any], arm: str, key: Key) -> str:
        """The formation, one that the arm has and the state allows."""
        problems, place = self.problems, (*key, "formation")
        default = "unlimbered" if arm == "artillery" else "column"
        formation = str(raw.get("formation") or default)
        if not problems.sound(place, (*key, "arm")):
            return default
        Choice(values=_FORMATIONS[arm]).check(formation, place, problems)
        if not problems.sound(place):
            return default
        state = raw.get("state") or "good"
        if not problems.sound((*key, "state")):
            return formation
        if state != "good" and arm != "artillery" and formation not in ("column", "general order"):
            problems.error(
                place, f"must be column or general order for a {state} unit (rule 30), got {formation!r}"
            )
        if state == "routed" and formation == "unlimbered":
            problems.error(
                (*key, "state"),
                "must be good or disordered: unlimbered guns have no routed state (rule 30), got 'routed'",
            )
        return formation

    def nation(self, nation: Any, key: Key) -> str:
        """The nation, one that the rule set has."""
        known = self.rules.blocks.nations
        place = (*key, "nation")
        if self.problems.sound(("ruleset",), place) and nation not in known:
            hint = did_you_mean(nation, known) or f" Known: {', '.join(known)}."
            self.problems.error(place, f"must be a nation of {self.rules.name}, got {nation!r}.{hint}")
        return str(nation) if nation in known else str(next(iter(known)))

    def troop(
        self, own: dict[str, Any], arm: str, nation: str, formation: str, key: Key
    ) -> tuple[dict[str, Any], tuple[int, int]]:
        """Fire multiples and the trigger of loss checks.

        The type of a nation that does not exist is looked for in all that do.
        """
        if arm != "infantry":
            checks = self.rules.blocks.morale.loss_checks
            trigger = checks.cavalry if arm == "cavalry" else checks.artillery
            return {}, (trigger.first, trigger.step)
        problems, kind, place = self.problems, own["type"], (*key, "type")
        right = problems.sound((*key, "nation"))
        types: dict[str, Foot] = {}
        for one in [nation] if right else self.rules.blocks.nations:
            types |= self.rules.infantry(one)
        if kind not in types:
            if problems.sound(("ruleset",), (*key, "arm"), place):
                hint = did_you_mean(kind, types) if kind else ""
                known = f" Known: {', '.join(types)}." if types and right else ""
                whose = f"{nation} infantry" if right else "infantry"
                got = "nothing" if kind is None else repr(kind)
                problems.error(
                    place, f"must be a troop type of {whose} in {self.rules.name}, got {got}.{hint or known}"
                )
            return {}, (1, 1)
        if not right:
            return {}, (1, 1)
        entry, multiples = types[kind], {}
        for shape in ("line", "square", "skirmish"):
            value: Fraction | None = own[shape] if own[shape] is not None else getattr(entry, shape)
            multiples[shape] = value
            if (
                formation == shape
                and value is None
                and problems.sound(("ruleset",), (*key, "formation"), (*key, shape))
            ):
                problems.error(
                    (*key, "formation"),
                    f"must be one that {nation} {kind} can take; it has no {shape} in {self.rules.name}",
                )
        return multiples, (entry.losses.first, entry.losses.step)


def _whole(raw: dict[str, Any] | None, kind: Record) -> dict[str, Any]:
    """The fields of a mapping, all of them missing where something else stands in its place."""
    if raw is not None:
        return raw
    return {
        name: None if one.default is REQUIRED else one.default() if callable(one.default) else one.default
        for name, one in kind.fields.items()
    }


def _leader(name: str, raw: dict[str, Any] | None) -> Leader | None:
    if raw is None:
        return None
    return Leader(name, raw["name"] or name, raw["morale"] or 0, raw["cavalry"] or 0, raw["artillery"] or 0)
