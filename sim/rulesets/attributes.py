"""What the conditions of a rule set may speak of: attributes of units and of the situation, and the values of
each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

from sim.errors import did_you_mean, one_of
from sim.inputs.documents import Key
from sim.inputs.fields import Choice, Field, Flag, Integer, Problems, Schema, Text
from sim.rulesets.conditions import Condition, Setting, code
from sim.rulesets.values import Span, SwitchValue
from sim.vocabulary import ARMS, FORMATIONS, READINESS, STATES, ZONES

SIDES = ("Imperial", "Coalition")
CLASSES = ("light", "heavy", "none")
CHECKS = ("morale", "stand", "premelee")
"""Checks that the general morale modifiers take part in."""
PREFIXES = ("unit", "enemy", "target", "charger")
"""Whose attribute it is."""
NUMBERS = ("level",)
"""Attributes that `of` may name."""
COUNTS = ("level", "fire_losses")
"""Attributes that `per` may name."""

TABLES: dict[str, tuple[str, ...]] = {
    "carre.modifiers": ("target", "charger"),
    "carre.barred": ("target",),
    "troops.charges_not": ("target", "hexside"),
    "stand.modifiers": ("target", "charger", "unit", "hexside", "crosses"),
    "recall.modifiers": ("charger",),
    "morale.modifiers": ("unit", "check"),
    "morale.recovery_losses": ("unit",),
    "premelee.modifiers": ("unit", "target", "hexside", "crosses"),
    "melee.multipliers": ("unit", "enemy", "hexside", "crosses", "charge", "chasing", "preserving", "facing"),
}
"""What is known when a table is used: prefixes of units, and attributes of the situation. Switches are known
to all."""

_BESIDE = ("source", "lender", "by_nation")
"""Keys that stand beside the free names of a block."""


class Named(Field):
    """One of the names that a rule set itself declares; any text where they cannot be told."""

    what: str
    known: tuple[str, ...] | None

    def expected(self) -> str:
        return self.what

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if self.known is None:
            return Text().check(value, key, problems)
        if isinstance(value, str) and value in self.known:
            return value
        hint = did_you_mean(value, self.known)
        if not hint and 0 < len(self.known) <= 12:
            hint = f" Known: {', '.join(self.known)}"
        return self._wrong(value, key, problems, hint)

    def _schema(self) -> Schema:
        return {"type": "string"} if self.known is None else {"type": "string", "enum": list(self.known)}


class When(Field):
    """Conditions of one line of a table: each attribute with the value, or the list of values, that it must
    have.

    Attributes
    ----------
    table
        The table's name, for messages.
    domains
        The attributes that the table knows, and the values of each.
    types
        Troop types by nation, None where they cannot be told.
    """

    table: str
    domains: Mapping[str, Field]
    types: Mapping[str, frozenset[str]] | None = None

    def expected(self) -> str:
        return "a mapping from attributes to values"

    def check(self, value: object, key: Key, problems: Problems) -> Any:
        if not isinstance(value, dict):
            return self._wrong(value, key, problems)
        found = []
        for name, wanted in value.items():
            kind = self.domains.get(name.removesuffix(" not")) if isinstance(name, str) else None
            if kind is None:
                hint = did_you_mean(name, self.domains)
                problems.error(
                    (*key, name),
                    f"must be an attribute that {self.table} knows ({self._known()}), got "
                    f"{name!r}.{hint}".removesuffix("."),
                )
            elif not isinstance(wanted, list):
                found.append(_condition(name, [kind.check(wanted, (*key, name), problems)]))
            elif not wanted:
                problems.error(
                    (*key, name), f"must be {kind.expected()}, or a list of one or more, got a list of none"
                )
            else:
                values = [kind.check(one, (*key, name, i), problems) for i, one in enumerate(wanted)]
                found.append(_condition(name, values))
        self._types(value, key, problems)
        return tuple(found)

    def _known(self) -> str:
        return one_of(
            [
                name if name in self.domains else f"{name}.*"
                for name in (*TABLES.get(self.table, ()), "switch")
            ]
        )

    def _types(self, value: dict[Any, Any], key: Key, problems: Problems) -> None:
        """A type that exists, but not in the nation beside it."""
        for prefix in PREFIXES:
            nations, types = _listed(value.get(f"{prefix}.nation")), _listed(value.get(f"{prefix}.type"))
            if (
                self.types is None
                or not nations
                or not all(isinstance(one, str) and one in self.types for one in nations)
            ):
                continue
            known = sorted(set().union(*(self.types[one] for one in nations)))
            everywhere = set().union(*self.types.values())
            for one in types:
                if isinstance(one, str) and one in everywhere and one not in known:
                    hint = did_you_mean(one, known)
                    problems.warn(
                        (*key, f"{prefix}.type"),
                        f"should be a type of {one_of(nations)} troops, got {one!r}.{hint}".removesuffix("."),
                    )

    def _schema(self) -> Schema:
        known: Schema = {}
        for name, kind in self.domains.items():
            item = kind.schema()
            known[name] = known[f"{name} not"] = {
                "anyOf": [item, {"type": "array", "items": item, "minItems": 1}]
            }
        schema = {"type": "object", "additionalProperties": False, "properties": known}
        told = any(name.startswith("switch.") for name in self.domains)
        return schema if told else schema | {"patternProperties": {r"^switch\.\w+( not)?$": {}}}


@dataclass(frozen=True)
class Vocabulary:
    """The names a rule set declares, as far as they can be told from its data; None where they cannot.

    Attributes
    ----------
    types
        Types of infantry and cavalry by nation.
    switches
        The values each switch may take.
    columns, effects
        Of the melee table and of its matrix of results.
    general
        Keys of the morale modifiers, which a chart's own may replace.
    lenders
        Rule sets that values may be borrowed from.
    """

    nations: tuple[str, ...] | None = None
    types: Mapping[str, frozenset[str]] | None = None
    terrains: tuple[str, ...] | None = None
    hexsides: tuple[str, ...] | None = None
    switches: Mapping[str, tuple[Setting, ...]] | None = None
    editions: tuple[int, ...] | None = None
    columns: tuple[str, ...] | None = None
    effects: tuple[str, ...] | None = None
    general: tuple[str, ...] | None = None
    lenders: tuple[str, ...] = field(default=())

    @staticmethod
    def of(data: object, lenders: Iterable[str] = ()) -> Vocabulary:
        """The vocabulary of merged rule-set data, however faulty the data are."""
        data = data if isinstance(data, dict) else {}
        switches = _mapping(data.get("switches"))
        editions = _mapping(data.get("editions"))
        columns = _mapping(data.get("melee")).get("columns")
        effects = _mapping(_mapping(data.get("matrix")).get("effects"))
        general = [_mapping(row).get("key") for row in _listed(_mapping(data.get("morale")).get("modifiers"))]
        return Vocabulary(
            nations=_names(data.get("nations")),
            types=_types(data),
            terrains=_names(data.get("terrain")),
            hexsides=_names(data.get("hexsides")),
            switches={str(name): _values(switch) for name, switch in switches.items()} or None,
            editions=tuple(name for name in editions if isinstance(name, int)) or None,
            columns=tuple(name for name in columns if isinstance(name, str))
            if isinstance(columns, list)
            else None,
            effects=tuple(name for name in effects if isinstance(name, str)) or None,
            general=tuple(key for key in general if isinstance(key, str)),
            lenders=tuple(lenders),
        )

    @property
    def nation(self) -> Named:
        """The kind of field that holds a nation."""
        return Named(what="a nation of the rule set", known=self.nations)

    @cached_property
    def attributes(self) -> dict[str, Field]:
        """The values of every attribute; those of units without their prefix."""
        types = None if self.types is None else tuple(sorted(set().union(*self.types.values())))
        flag, zone = Flag(), Choice(values=ZONES)
        own: dict[str, Field] = {
            "nation": self.nation,
            "side": Choice(values=SIDES),
            "type": Named(what="a type in the troops or the recall chart of the rule set", known=types),
            "arm": Choice(values=ARMS),
            "class": Choice(values=CLASSES),
            "formation": Choice(values=FORMATIONS),
            "state": Choice(values=STATES),
            "readiness": Choice(values=READINESS),
            "level": Integer(low=0, high=3),
            "morale": Span(),
            "terrain": Named(what="a terrain of the rule set", known=self.terrains),
            "fire_losses": Integer(low=0, high=36, unit="increments"),
        }
        own |= dict.fromkeys(
            ("half_lost", "leader", "cavalry_leader", "recall_leader", "force_march", "lance"), flag
        )
        found = {f"{prefix}.{name}": kind for prefix in PREFIXES for name, kind in own.items()}
        crossed = None if self.hexsides is None else ("none", *self.hexsides)
        found |= {
            "hexside": zone,
            "facing": zone,
            "crosses": Named(what="none or a hexside of the rule set", known=crossed),
        }
        found |= {"charge": flag, "chasing": flag, "preserving": flag, "check": Choice(values=CHECKS)}
        return found | {
            f"switch.{name}": SwitchValue(values=values) for name, values in (self.switches or {}).items()
        }

    def when(self, table: str) -> When:
        """The conditions that a table may state."""
        known = TABLES[table]
        domains = {
            name: kind
            for name, kind in self.attributes.items()
            if name.partition(".")[0] in known or name.startswith("switch.")
        }
        return When(table=table, domains=domains, types=self.types, default=(), doc="all must hold")

    def of_what(self, table: str) -> Choice:
        """The numbers that a table's `values` may go by."""
        return self._numbers(table, NUMBERS)

    def per_what(self, table: str) -> Choice:
        """The numbers that a table's `value` may be multiplied by."""
        return self._numbers(table, COUNTS)

    def _numbers(self, table: str, names: tuple[str, ...]) -> Choice:
        return Choice(
            values=tuple(
                f"{prefix}.{name}" for prefix in TABLES[table] if prefix in PREFIXES for name in names
            ),
            default=None,
        )


def _condition(name: str, values: Sequence[object]) -> Condition:
    """What must hold, by codes; a printed morale may be any of a range."""
    codes = (one if isinstance(one, range) else (code(one),) for one in values if one is not None)
    return Condition(name.removesuffix(" not"), name.endswith(" not"), tuple(chain.from_iterable(codes)))


def _mapping(value: object) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _values(switch: object) -> tuple[Setting, ...]:
    return tuple(value for value in _listed(_mapping(switch).get("values")) if isinstance(value, str | int))


def _names(block: object) -> tuple[str, ...] | None:
    return (
        tuple(name for name in block if isinstance(name, str) and name not in _BESIDE)
        if isinstance(block, dict)
        else None
    )


def _types(data: dict[Any, Any]) -> dict[str, frozenset[str]] | None:
    """Types by nation, from the troops and from the rows of the recall chart."""
    rows = _mapping(data.get("recall")).get("rows")
    if not isinstance(data.get("troops"), dict) or not isinstance(rows, list):
        return None
    found: dict[str, set[str]] = {name: set() for name in _names(data.get("nations")) or ()}
    for nation, entries in data["troops"].items():
        found.setdefault(str(nation), set()).update(
            name for name in _mapping(entries) if isinstance(name, str)
        )
    for row in rows:
        for nation in _listed(_mapping(row).get("nations")):
            found.setdefault(str(nation), set()).update(
                name for name in _listed(_mapping(row).get("types")) if isinstance(name, str)
            )
    return {nation: frozenset(names) for nation, names in found.items()}
