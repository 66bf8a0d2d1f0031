"""The fields of a charge file: what each may hold, its default and what it means.

The JSON Schema comes from here too.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sim.inputs.documents import Key
from sim.inputs.fields import (
    Choice,
    Either,
    Field,
    Flag,
    Integer,
    Mapped,
    Number,
    Problems,
    Record,
    Roll,
    Sequence,
    Text,
)
from sim.rulesets import shipped
from sim.vocabulary import (
    ARMS,
    ARTILLERY_FORMATIONS,
    CAVALRY_FORMATIONS,
    FORMATIONS,
    READINESS,
    STATES,
    ZONES,
)

PLACES = ("front", "front-left", "rear-left", "rear", "rear-right", "front-right")
RESPONSES = ("stand", "carre@4", "carre@3", "carre@2", "carre@1", "react")
RESPONSES_OF = {"infantry": RESPONSES[:5], "artillery": RESPONSES[:1], "cavalry": ("stand", "react")}
"""The responses there are against a charge, by the target's arm."""
PLANS: dict[str, tuple[Any, ...]] = {
    "square": ("press", "break off", "second", "turn away", "ride over", "best"),
    "disordered": ("press", "break off", "second", "turn away"),
    "no_target": ("reach", "stop", "ride on"),
    "after_halt": ("melee", "decline"),
    "recalled": ("trample", "follow"),
    "preserve": (False, True),
}
"""The charger's choices, the default first."""

_INCREMENTS = Integer(low=1, high=36, doc="increments now")
_MORALE = Roll(doc="printed morale, a roll of the ladder; low is good")

LEADER = Record(
    default=None,
    doc="a leader stacked with the top unit; his bonuses as printed",
    fields={
        "morale": Integer(low=-12, high=12, default=0, doc="added to morale checks of his hex"),
        "cavalry": Integer(
            low=-6,
            high=6,
            default=0,
            doc="added to the melee dice of a cavalry attack; 1 or more helps recall",
        ),
        "artillery": Integer(
            low=-6, high=6, default=0, doc="added to the fire dice of guns stacked with him"
        ),
        "name": Text(default=None),
    },
)

_COMMON: dict[str, Field] = {
    "name": Text(default=None, doc="what reports call the unit"),
    "nation": Text(doc="a nation of the rule set"),
    "type": Text(
        default=None,
        doc="troop type; infantry: one of the rule set's troops, cavalry: as in its recall chart",
    ),
    "increments": _INCREMENTS,
    "printed": Integer(low=1, high=36, default=None, doc="increments at full strength (default: increments)"),
    "morale": _MORALE,
    "state": Choice(values=STATES, default="good"),
    "level": Integer(low=0, high=3, default=0, doc="morale level of its organisation"),
}
CAVALRY_FIELDS: dict[str, Field] = _COMMON | {
    "melee": Number(high=200, doc="printed melee value"),
    "lance": Number(high=50, default=Fraction(0), doc="lance bonus beside the melee value"),
    "movement": Integer(low=2, high=30, doc="printed movement; 13 or more is light"),
    "readiness": Choice(values=READINESS, default="fresh"),
    "state": Choice(values=("good", "routed"), default="good"),
}
INFANTRY_FIELDS: dict[str, Field] = _COMMON | {
    "fire": Number(high=100, doc="printed (column) fire value"),
    "melee": Number(high=200, doc="printed melee value"),
    "movement": Integer(low=1, high=30, default=8, doc="printed movement"),
    "force_march": Flag(default=False, doc="force-marched this turn"),
    "line": Either(
        kinds=(Number(high=20),), default=None, doc="fire multiple in line (default: the troop type's)"
    ),
    "square": Either(
        kinds=(Number(high=20),), default=None, doc="fire multiple in square (default: the troop type's)"
    ),
    "skirmish": Either(
        kinds=(Number(high=20),),
        default=None,
        doc="fire multiple in skirmish order (default: the troop type's)",
    ),
}
GUN_FIELDS: dict[str, Field] = _COMMON | {
    "nation": Text(default=None, doc="a nation of the rule set (default: that of the unit it stands with)"),
    "increments": Integer(low=1, high=12, default=3, doc="increments of 4 guns"),
    "fire": Number(high=100, default=Fraction(18), doc="fire value at one hex"),
    "melee": Number(high=50, default=Fraction(3)),
    "morale": Roll(default=26, doc="printed morale"),
    "movement": Integer(low=1, high=30, default=8),
    "formation": Choice(values=ARTILLERY_FORMATIONS, default="unlimbered"),
}


BATTERY = Record(fields=GUN_FIELDS, default=None, doc="guns stacked with the infantry")
BELOW_CHARGER = Record(fields=CAVALRY_FIELDS)
CHARGER = Record(
    doc="the charging cavalry; with a stack, its top regiment",
    fields=CAVALRY_FIELDS
    | {
        "formation": Choice(values=CAVALRY_FORMATIONS, default="column"),
        "change_to": Choice(values=CAVALRY_FORMATIONS, default=None, doc="formation taken in the second hex"),
        "leader": LEADER,
        "stack": Sequence(item=BELOW_CHARGER, longest=2, default=list, doc="regiments below the top one"),
    },
)

# Any unit: what a field means depends on `arm`; the arms' own records check it a second time.
ANY: dict[str, Field] = CAVALRY_FIELDS | GUN_FIELDS | INFANTRY_FIELDS
_ANY_ARM: dict[str, Field] = {
    name: Either(kinds=(kind,), default=None, doc=kind.doc)
    for name, kind in ANY.items()
    if name not in ("state", "increments")
}
_ANY_ARM |= {
    "arm": Choice(values=ARMS, default="infantry"),
    "state": Choice(values=STATES, default="good"),
    "increments": Integer(low=1, high=36, default=None, doc="increments now"),
    "formation": Choice(
        values=FORMATIONS, default=None, doc="column, line, square, skirmish …; limbered or unlimbered"
    ),
}
BELOW_TARGET = Record(fields=_ANY_ARM)
TARGET = Record(
    doc="the target hex; with a stack, its top unit",
    fields=_ANY_ARM
    | {
        "leader": LEADER,
        "battery": BATTERY,
        "stack": Sequence(item=BELOW_TARGET, longest=5, default=list, doc="units below the top one"),
        "terrain": Text(default="clear", doc="terrain of the target's hex"),
    },
)
_PLACED: dict[str, Field] = {
    "at": Choice(values=PLACES, doc="direction from the target, as the target sees it facing the charge"),
    "hexes": Integer(low=1, high=12, default=1, doc="hexes from the target"),
}
NEIGHBOUR = Record(
    fields=_ANY_ARM
    | _PLACED
    | {
        "side": Choice(values=("target", "charger"), default="target"),
        "response": Choice(
            values=RESPONSES[:5], default="stand", doc="what it does when the charge comes near"
        ),
    },
)
REACTOR = Record(
    default=None,
    doc="cavalry that may react to the charge",
    fields=CAVALRY_FIELDS | _PLACED | {"formation": Choice(values=CAVALRY_FORMATIONS, default="column")},
)


def _turns(doc: str) -> Sequence:
    return Sequence(item=Integer(low=-3, high=3), shortest=1, longest=24, default=None, doc=doc)


class MappingOr(Either):
    """A mapping, the first of the kinds, or what stands for one; a mapping's faults are told field by
    field."""

    told: str
    counts: bool = False
    """Whether a whole number is judged by who reads it, and knows how many there are."""

    def expected(self) -> str:
        return f"a mapping or {self.told}"

    def check(self, value: Any, key: Key, problems: Problems) -> Any:
        if isinstance(value, dict):
            return self.kinds[0].check(value, key, problems)
        if self.counts and isinstance(value, int) and not isinstance(value, bool):
            return value
        return super().check(value, key, problems)


SHARED: dict[str, Field] = {
    "ruleset": Text(
        longest=1000,
        default=shipped.DEFAULT,
        doc="a rule set's name, or the path of a rule-set file from this one",
    ),
    "title": Text(default="a charge"),
    "edition": Integer(low=2000, high=2100, default=None, doc="another edition than the box's own"),
    "switches": Mapped(
        item=Either(kinds=(Flag(), Integer(low=0, high=99), Text())),
        default=dict,
        names="switches",
        doc="single switches, see docs/rules.md",
    ),
}
_OTHERS: dict[str, Field] = {
    "neighbours": Sequence(item=NEIGHBOUR, longest=8, default=list, doc="further units"),
    "reactor": REACTOR,
}
_NIGHT: dict[str, Field] = {"night": Flag(default=False, doc="carré at the night range only")}
_STACKS: dict[str, Field] = {"charger": CHARGER, "target": TARGET}
_WAY: dict[str, Field] = {
    "distance": Integer(low=1, high=24, default=5, doc="hexes from the charger's first hex to the target"),
    "path": Sequence(
        item=Integer(low=-3, high=3),
        longest=24,
        default=None,
        doc="instead of distance: hexsides turned before each step, + is clockwise",
    ),
    "through": Choice(
        values=ZONES, default="front", doc="hexside of the target through which contact is made"
    ),
    "crosses": Text(
        default="none",
        doc="hexside terrain on the target's side that faces the charge: none, stream, slope or "
        "another of the rule set",
    ),
    "ground": Sequence(
        default=list,
        doc="terrain of the hex entered by a step, or on the hexside it crosses",
        item=Record(
            fields={
                "step": Integer(low=1, high=24),
                "terrain": Text(default=None),
                "hexside": Text(default=None),
            }
        ),
    ),
}
_CHOICES: dict[str, Field] = {
    "response": Choice(values=(*RESPONSES, "best", "all"), default="all", doc="what the target does"),
    "plan": Record(
        default=dict,
        doc="the charger's choices",
        fields={name: Choice(values=values, default=values[0]) for name, values in PLANS.items()}
        | {
            "second": Either(
                kinds=(Integer(low=1, high=8), Text()),
                default=None,
                doc="the other unit to charge: a neighbour's name or number",
            ),
            "second_path": _turns(
                "the way to it: hexsides turned before each step (default: straight at it)"
            ),
            "away": _turns("the other way to go: hexsides turned before each step"),
        },
    ),
}
MOST_CHARGES = 12
ONE_OF_SEVERAL = Record(
    doc="one of several charges",
    fields=_STACKS
    | {
        "target": MappingOr(
            kinds=(TARGET, Integer(low=1, high=MOST_CHARGES), Text()),
            told="the number of an earlier charge, or the name of a unit",
            counts=True,
            doc="the target hex; or the number of an earlier charge at it, or the name of a neighbour "
            "or of a unit of an earlier target",
        ),
        "at": Choice(
            values=PLACES,
            default=None,
            doc="direction of its target from the first charge's, as that sees it facing the first charge",
        ),
        "hexes": Integer(
            low=1, high=12, default=None, doc="hexes from the first charge's target (default: 1)"
        ),
        "from": Choice(
            values=PLACES,
            default="front",
            doc="the side of its target's hex by which it comes, in the same directions",
        ),
    }
    | _WAY
    | {
        "through": Choice(
            values=ZONES,
            default=None,
            doc="hexside of the target through which contact is made (default: front)",
        )
    }
    | _CHOICES,
)
SEVERAL = Record(
    fields=SHARED
    | _NIGHT
    | {
        "charges": Sequence(
            item=ONE_OF_SEVERAL,
            shortest=1,
            longest=MOST_CHARGES,
            default=None,
            doc="several charges of one half, in the order in which they are resolved; counted from 1",
        )
    }
    | _OTHERS,
)


class ChargeFile(Record):
    """A charge file: the fields of one charge at its top, or a list of charges."""

    def check(self, value: Any, key: Key, problems: Problems) -> Any:
        if not isinstance(value, dict) or "charges" not in value:
            return super().check(value, key, problems)
        for name in value:
            if name in ONE_OF_SEVERAL.fields:
                told = f"must not stand beside 'charges', each of which has its own: 'charges.1.{name}'"
                problems.error((*key, name), told)
        rest = {name: one for name, one in value.items() if name not in ONE_OF_SEVERAL.fields}
        found = SEVERAL.check(rest, key, problems)
        return found if found["charges"] is not None else None

    def _schema(self) -> dict[str, Any]:
        schema = super()._schema()
        own = [name for name in self.fields if name in ONE_OF_SEVERAL.fields]
        single = {"required": schema.pop("required"), "not": {"required": ["charges"]}}
        several = {"required": ["charges"], "not": {"anyOf": [{"required": [name]} for name in own]}}
        return schema | {"oneOf": [single, several]}


CHARGE = ChargeFile(
    doc="Cavalry charges for Carré.",
    fields=SHARED | _STACKS | _OTHERS | _WAY | _NIGHT | _CHOICES | {"charges": SEVERAL.fields["charges"]},
)
