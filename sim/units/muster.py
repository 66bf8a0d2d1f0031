"""The units of a charge, from the fields of its file.

What is wrong is noted, and something harmless stands in for it, so that everything else is checked in the same go.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

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
    PLANS,
    TARGET,
)
from sim.units.charges import Charge, Leader, Unit
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


class Muster:
    """Turns checked fields into a charge.

    Parameters
    ----------
    rules
        The rule set that the charge names, or any other if that cannot be used: then an error is about `ruleset`, and no name is looked up.
    problems
        What is found wrong is noted here.
    """

    def __init__(self, rules: RuleSet, problems: Problems) -> None:
        self.rules = rules
        self.problems = problems

    def charge(self, raw: dict[str, Any], switches: dict[str, Any]) -> Charge:
        """The charge of a file whose fields have been checked one by one."""
        problems = self.problems
        charger, target = _whole(raw["charger"], CHARGER), _whole(raw["target"], TARGET)
        path = self.path(raw, charger)
        hex_units = self.target(target)
        stack = self.charger(charger)
        neighbours = [
            self.unit(one, f"neighbour-{i + 1}", one["side"], ("neighbours", i))
            for i, one in enumerate(_whole(one, NEIGHBOUR) for one in raw["neighbours"])
        ]
        return Charge(
            title=raw["title"],
            ruleset=self.rules,
            edition=raw["edition"] or self.rules.edition,
            switches=switches,
            charger=stack,
            target=hex_units,
            neighbours=tuple(neighbours),
            reactor=self.unit(raw["reactor"] | {"arm": "cavalry"}, "reactor", "target", ("reactor",))
            if raw["reactor"]
            else None,
            charger_leader=_leader("charger-leader", charger["leader"]),
            target_leader=_leader("target-leader", target["leader"]),
            change_to=charger["change_to"],
            path=path,
            through=raw["through"],
            crosses=raw["crosses"],
            terrain=target["terrain"],
            ground=tuple(
                (one["step"] or 1, one["terrain"], one["hexside"]) if one else (1, None, None)
                for one in raw["ground"]
            ),
            night=raw["night"],
            response=raw["response"],
            plan={name: raw["plan"].get(name, values[0]) for name, values in PLANS.items()},
            document=problems.document,
            **plans.ways(raw["plan"], neighbours, problems),
        )

    def path(self, raw: dict[str, Any], charger: dict[str, Any]) -> tuple[int, ...]:
        """The turns before each step."""
        problems = self.problems
        given = (
            isinstance(problems.document.data, dict) and {"path", "distance"} <= problems.document.data.keys()
        )
        if given and problems.sound(("distance",)):
            problems.error(
                ("distance",), f"must not stand beside 'path', which says it too, got {raw['distance']}"
            )
        if raw["path"] is None:
            return (0,) * (raw["distance"] - 1)
        path = tuple(turn or 0 for turn in raw["path"])
        ahead = (0, 1) if charger["formation"] == "line" else (0,)
        if path and path[0] not in ahead and problems.sound(("path",), ("charger", "formation")):
            problems.error(
                ("path", 0),
                f"must be {one_of(ahead)}: a charge first enters a hex straight ahead (rule 38), got {path[0]}",
            )
        return path

    def charger(self, raw: dict[str, Any]) -> tuple[Unit, ...]:
        """The charging stack."""
        problems = self.problems
        stack: list[tuple[Unit, Key]] = [
            (self.unit(raw | {"arm": "cavalry"}, "charger", "charger", ("charger",)), ("charger",))
        ]
        for i, one in enumerate(raw["stack"]):
            key: Key = ("charger", "stack", i)
            fields = _whole(one, BELOW_CHARGER) | {"arm": "cavalry", "formation": raw["formation"]}
            stack.append((self.unit(fields, f"charger-{i + 2}", "charger", key), key))
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
        leader = ("charger", "leader")
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

    def target(self, raw: dict[str, Any]) -> tuple[Unit, ...]:
        """The units in the target's hex, the top one first, guns with it last."""
        units = [self.unit(raw, "target", "target", ("target",))]
        for i, one in enumerate(_whole(one, BELOW_TARGET) for one in raw["stack"]):
            fields = one | {"formation": one["formation"] or raw["formation"]}
            units.append(self.unit(fields, f"target-{i + 2}", "target", ("target", "stack", i)))
        if raw["battery"]:
            fields = raw["battery"] | {
                "arm": "artillery",
                "nation": raw["battery"]["nation"] or units[0].nation,
            }
            units.append(self.unit(fields, "battery", "target", ("target", "battery")))
        return tuple(units)

    def unit(self, raw: dict[str, Any], name: str, side: str, key: Key) -> Unit:
        """One unit; a field of another arm, a missing one and names that the rule set does not have are noted."""
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
        """Increments at full strength: as the file says, those that an option has changed, or those there are."""
        problems, increments = self.problems, int(own["increments"])
        printed = own["printed"] or self.held(kinds["increments"], (*key, "increments")) or increments
        if printed < increments and problems.sound((*key, "increments"), (*key, "printed")):
            if own["printed"]:
                problems.error(
                    (*key, "printed"), f"must be at least the increments now ({increments}), got {printed}"
                )
            else:
                told = f"must be at most {printed}, those of the file, for which its values are printed (for another size change 'printed' too)"
                problems.error((*key, "increments"), f"{told}, got {increments}")
        return max(printed, increments)

    def held(self, kind: Field, key: Key) -> int | None:
        """The increments before an option changed them: the strength that the printed values belong to, or None."""
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
        """Fire multiples and the trigger of loss checks. The type of a nation that does not exist is looked for in all that do."""
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
