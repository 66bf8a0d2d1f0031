"""The fields of a scenario file: what each may hold, its default and what it means.

The JSON Schema comes from here too.
"""

from __future__ import annotations

import re
from typing import Any

from sim.ensemble import ladder
from sim.errors import did_you_mean, one_of
from sim.inputs.documents import Key
from sim.inputs.fields import (
    Choice,
    Either,
    Field,
    Flag,
    Integer,
    Mapped,
    Problems,
    Record,
    Schema,
    Sequence,
    Text,
)
from sim.inputs.plain import Written
from sim.rulesets.values import Thresholds
from sim.units import styles
from sim.units.battles import AGAIN
from sim.units.chargefields import SHARED, MappingOr
from sim.vocabulary import FORMATIONS, READINESS, STATES

ORDERS = ("take", "hold", "exit", "reserve", "screen")
"""What an organisation may be told to do."""

_CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")
_FACES = re.compile(r"([1-6]{1,2})(?:-([1-6]{1,2}))?")


class Clock(Field):
    """A time of the day; the program uses minutes."""

    def expected(self) -> str:
        return "a time such as 9:40"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        text = value.text if isinstance(value, Written) else value
        if isinstance(text, str) and (found := _CLOCK.fullmatch(text)):
            return 60 * int(found[1]) + int(found[2])
        return self._wrong(value, key, problems)

    def _form(self, value: object, key: Key, problems: Problems) -> str:
        return ""

    def _schema(self) -> Schema:
        return {"type": ["string", "integer"], "pattern": f"^{_CLOCK.pattern}$"}


class Delay(Field):
    """A delay roll: every face of a die, or every roll of the ladder, with the turns that it costs."""

    def expected(self) -> str:
        return "a mapping from faces to turns late, such as {1-4: 0, 5: 1, 6: again}"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if not isinstance(value, dict) or not value:
            return self._wrong(value, key, problems)
        spans = {name: _FACES.fullmatch(str(name)) for name in value}
        widths = {len(found[1]) for found in spans.values() if found}
        faces = tuple(range(1, 7)) if widths == {1} else tuple(ladder.FACES)
        late: dict[int, int] = {}
        for name, turns in value.items():
            found = spans[name]
            low, high = (int(found[1]), int(found[2] or found[1])) if found else (0, -1)
            rolled = [face for face in faces if low <= face <= high]
            if not rolled or len(widths) > 1:
                problems.error(
                    (*key, name), "must be faces of one die, 1 to 6, or rolls, 11 to 66, such as 1-4"
                )
                return None
            if any(face in late for face in rolled):
                problems.error((*key, name), "must not name faces that are named already")
                return None
            again = turns == "again"
            if not again:
                Integer(low=0, high=99).check(turns, (*key, name), problems)
                if not problems.sound((*key, name)):
                    return None
            late |= dict.fromkeys(rolled, AGAIN if again else turns)
        missing = [face for face in faces if face not in late]
        if missing:
            problems.error(key, f"must give every face once; missing {', '.join(map(str, missing))}")
            return None
        if set(late.values()) == {AGAIN}:
            problems.error(key, "must have a face that is not rolled again")
            return None
        return tuple(late[face] for face in faces)

    def _schema(self) -> Schema:
        return {
            "type": "object",
            "additionalProperties": {"anyOf": [{"type": "integer"}, {"const": "again"}]},
        }


class Some(Field):
    """One text, or a list of them; the program uses a tuple."""

    longest: int = 100
    word: Field = Text(longest=80)

    def expected(self) -> str:
        return f"{self.word.expected()}, or a list of such"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if isinstance(value, list) and value and len(value) <= self.longest:
            return tuple([self.word.check(one, (*key, i), problems) for i, one in enumerate(value)])
        if isinstance(value, list | dict):
            return self._wrong(value, key, problems)
        return (self.word.check(value, key, problems),)

    def _schema(self) -> Schema:
        word = self.word.schema()
        return {"anyOf": [word, {"type": "array", "items": word, "minItems": 1, "maxItems": self.longest}]}


class HexName(Text):
    """A hex by its number, in quotes or not (YAML reads 0512 as 330), or the name of a place."""

    def expected(self) -> str:
        return 'the number of a hex in quotes, such as "0512", or the name of a place'

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if isinstance(value, Written) and value.text.isdigit():
            return value.text
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return super().check(value, key, problems)

    def _form(self, value: object, key: Key, problems: Problems) -> str:
        return ""


_WHO = Some(doc="names of units, leaders or organisations; an organisation is all of its units and leaders")
_TIME = Either(
    kinds=(Clock(), Integer(low=1, high=99)), doc="a time such as 9:40, or the number of a turn, from 1"
)
_TIME_OR_NONE = _TIME.changed(default=None)
_FORMATION = Some(
    word=Choice(values=FORMATIONS),
    default=None,
    doc="of several words each unit takes the first that its arm has (default: column; guns: unlimbered, "
    "on arrival limbered)",
)
_FACING = Some(
    word=Text(longest=4),
    default=None,
    doc="a direction of the map such as N or SE; of several each unit takes the first that its formation can "
    "face (default: away from home)",
)
_STEPS = Integer(low=-35, high=0)

SIDE = Record(
    fields={
        "name": Text(longest=40, doc="as the rosters call it"),
        "home": Text(longest=2, doc="the direction in which its units retreat and rout"),
        "exits": Some(default=tuple, doc="edges of the map by which its units may leave"),
        "style": Text(
            longest=1000,
            default=styles.DEFAULT,
            doc="how it is played: a style that comes with Carré, or the path of a file from this one",
        ),
    }
)
ORGANISATION = Record(
    fields={
        "of": Some(default=None, doc="organisations of the rosters (default: that of the same name)"),
        "thresholds": Thresholds(
            item=Integer(low=1, high=999),
            shortest=3,
            longest=3,
            default=None,
            doc="battalions routed or eliminated for level 1, 2, 3 (default: the rule set's for this name, "
            "else 20, 40, 60 % of them)",
        ),
        "penalties": Sequence(
            item=_STEPS,
            shortest=3,
            longest=3,
            default=None,
            doc="on morale checks at level 1, 2, 3 (default: the rule set's)",
        ),
    }
)
PLACEMENT = Record(
    fields={
        "who": _WHO,
        "at": Some(
            word=HexName(longest=80),
            doc="hexes or a place; units are dealt to several in order; 0512+0513 is a unit in two hexes",
        ),
        "formation": _FORMATION,
        "facing": _FACING,
        "state": Choice(values=STATES, default="good"),
        "readiness": Choice(values=READINESS, default="fresh", doc="of cavalry"),
    }
)
REINFORCEMENT = Record(
    fields={
        "who": _WHO,
        "at": Some(word=HexName(longest=80), doc="an edge of the map, or hexes"),
        "turn": _TIME,
        "formation": _FORMATION,
        "delay": MappingOr(
            kinds=(Delay(), Text()),
            told="the name of one of 'delays'",
            default=None,
            doc="a delay roll, or the name of one of `delays`",
        ),
    }
)
ORDER = Record(
    fields={
        "who": _WHO,
        "order": Choice(values=ORDERS),
        "goal": Some(
            word=HexName(longest=80),
            default=tuple,
            doc="take, hold: a place or hexes; exit: an edge (default: the side's exits)",
        ),
        "from": _TIME_OR_NONE.changed(doc="the first turn (default: the first of all)"),
        "until": _TIME_OR_NONE.changed(doc="the last turn (default: until another order)"),
    }
)

_NUMBERS: dict[str, Field] = {
    "at_least": Integer(low=-999, high=999, default=None),
    "at_most": Integer(low=-999, high=999, default=None),
    "before": _TIME_OR_NONE.changed(doc="as things stand when this turn begins (default: at the end)"),
}
LEAVES: dict[str, Record] = {
    "held": Record(
        fields={
            "held": Some(doc="places, whose hexes are counted"),
            "by": Text(doc="the side whose units stood there last"),
            **_NUMBERS,
        }
    ),
    "exited": Record(
        fields={
            "exited": _WHO.changed(doc="a side, organisations or units whose increments left the map"),
            "through": Some(default=tuple, doc="edges that count (default: any exit)"),
            **_NUMBERS,
        }
    ),
    "lost": Record(
        fields={
            "lost": _WHO.changed(doc="a side, organisations or units whose lost increments are counted"),
            **_NUMBERS,
        }
    ),
    "balance": Record(
        fields={
            "balance": Text(doc="the side whose increments inflicted, minus those suffered, are counted"),
            **_NUMBERS,
        }
    ),
    "broken": Record(
        fields={
            "broken": _WHO.changed(
                doc="a side or organisations whose battalions, routed or eliminated, count"
            ),
            **_NUMBERS,
        }
    ),
    "level": Record(fields={"level": Text(doc="the organisation whose morale level counts"), **_NUMBERS}),
}
"""Conditions that count something."""
JOINED = ("all", "any", "not")
"""Conditions made of others."""


class Condition(Field):
    """A condition of victory."""

    def expected(self) -> str:
        return f"a condition: a mapping with {one_of([*LEAVES, *JOINED])}"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        kinds = [name for name in (*LEAVES, *JOINED) if isinstance(value, dict) and name in value]
        if not isinstance(value, dict) or not kinds:
            hint = (
                "".join(did_you_mean(name, (*LEAVES, *JOINED)) for name in list(value)[:1])
                if isinstance(value, dict)
                else ""
            )
            return self._wrong(value, key, problems, hint)
        if len(kinds) > 1:
            problems.error(
                key, f"must be one condition, got {' and '.join(kinds)}: join them with all or any"
            )
            return None
        (kind,) = kinds
        if kind in LEAVES:
            return LEAVES[kind].check(value, key, problems)
        for name in value:
            if name != kind:
                problems.error((*key, name), f"must not stand beside '{kind}'")
        if kind == "not":
            return {kind: self.check(value[kind], (*key, kind), problems)}
        parts = value[kind]
        if not isinstance(parts, list) or not parts:
            problems.error((*key, kind), "must be a list of conditions")
            return None
        return {kind: [self.check(one, (*key, kind, i), problems) for i, one in enumerate(parts)]}

    def _schema(self) -> Schema:
        some = {"type": "array", "items": {"type": "object"}, "minItems": 1}
        joined: list[Schema] = [
            {"type": "object", "properties": {"all": some}, "required": ["all"]},
            {"type": "object", "properties": {"any": some}, "required": ["any"]},
            {"type": "object", "properties": {"not": {"type": "object"}}, "required": ["not"]},
        ]
        return {"anyOf": [*(one.schema() for one in LEAVES.values()), *joined]}


RUNG = Record(
    fields={
        "result": Text(longest=80),
        "winner": Text(default=None, doc="the side that wins by it (default: neither)"),
        "when": Condition(default=None, doc="the condition; the last result has none"),
    }
)
SCENARIO = Record(
    doc="A scenario for Carré.",
    fields={
        "title": Text(),
        "synthetic": Flag(default=False, doc="whether values and map are of our own making, not printed"),
        "sources": Sequence(item=Text(longest=400), default=list, doc="where everything comes from"),
        **{name: kind for name, kind in SHARED.items() if name != "title"},
        "map": Text(longest=1000, doc="a map that comes with Carré, or the path of a file from this one"),
        "rosters": Some(word=Text(longest=1000), doc="paths of roster files from this one"),
        "absent": Some(
            default=(),
            doc="units, leaders and organisations of the rosters that take no part (default: nobody)",
        ),
        "turns": Record(
            fields={"from": Clock(doc="time of the first turn"), "to": Clock(doc="time of the last turn")},
            doc="by the clock; a turn is 20 minutes",
        ),
        "sides": Sequence(item=SIDE, shortest=2, longest=2, doc="both sides"),
        "first": Text(default=None, doc="the side that moves first (default: the first of `sides`)"),
        "held": Mapped(
            item=Text(), default=dict, names="places", doc="who holds a place at the start (default: nobody)"
        ),
        "organisations": Mapped(
            item=ORGANISATION,
            default=dict,
            names="organisations",
            doc="what reaches morale levels together (default: each organisation of the rosters by itself)",
        ),
        "placement": Sequence(item=PLACEMENT, longest=500, shortest=1, doc="who stands where at the start"),
        "delays": Mapped(item=Delay(), default=dict, names="names", doc="delay rolls by name"),
        "reinforcements": Sequence(item=REINFORCEMENT, default=list, doc="who comes later"),
        "orders": Sequence(item=ORDER, default=list, doc="what organisations are to do, for their players"),
        "victory": Sequence(
            item=RUNG,
            shortest=1,
            longest=20,
            doc="results; the first whose condition holds at the end counts",
        ),
    },
)
