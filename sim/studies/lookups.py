"""Chart look-ups by name: what each may be asked, checked, and put to the rulebook of a rule set."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from sim.errors import InputError, UnknownNameError, did_you_mean
from sim.inputs.documents import Document
from sim.inputs.fields import REQUIRED, Choice, Field, Flag, Integer, Number, Problems, Record, Roll, Text
from sim.rulesets import catalogue, shipped
from sim.rulesets.catalogue import RuleSet
from sim.rulesets.rulebook import Rulebook, rulebook
from sim.rulesets.values import Thresholds
from sim.studies import assaults, charts
from sim.studies.asked import EDITIONS, one_of, whole
from sim.studies.assaults import Side
from sim.studies.charts import Answer
from sim.units import battlefiles
from sim.vocabulary import ARMS, ASSAULT_FORMATIONS, INFANTRY_FORMATIONS, STATES, ZONES

_MOD: dict[str, Field] = {"mod": Integer(low=-99, high=99, default=0, doc="a bare modifier, in pips")}
_CHARGER: dict[str, Field] = {
    "charger": Choice(values=("light", "heavy"), default=None, doc="light: printed movement 13 or more"),
    "lance": Flag(default=False, doc="lancers"),
}
_INFANTRY: dict[str, Field] = {
    "type": Text(default=None, doc="troop type, for its modifier"),
    "formation": Text(),
    "level": Integer(low=0, high=3, default=0, doc="morale level of the infantry"),
}
_GROUND: dict[str, Field] = {
    "terrain": Text(default=None, doc="one of the rule set's"),
    "arm": Choice(values=ARMS, default=None),
}
_STRENGTH = Number(high=10_000)
_BONUS = Integer(low=-12, high=12, default=0)
_INCREMENTS = Integer(low=1, high=999)


def _side(name: str, formations: tuple[str, ...], states: tuple[str, ...]) -> dict[str, Field]:
    """What may be asked of a side of an assault."""
    asked: dict[str, Field] = {
        "morale": Roll(default=None, doc="of who checks; with the other side's: the chances of the checks"),
        "formation": Choice(values=formations, default="column"),
        "state": Choice(values=states, default="good"),
        "half_lost": Flag(default=False, doc="half the increments lost"),
        "level": Integer(low=0, high=3, default=0, doc="morale level"),
        "leader": _BONUS.changed(doc="morale bonus of a leader in the hex"),
        "lost": Integer(low=0, high=36, default=0, doc="increments lost to the other side's fire"),
        "melee": _STRENGTH.changed(default=None, doc="values of all that fight; with the other side's: all"),
        "nation": Text(default=None, doc="for lines of a battle that name it"),
    }
    return {f"{name}_{field}": kind for field, kind in asked.items()}


LOOKUPS: dict[str, Record] = {
    "morale": Record(fields=_MOD | {"morale": Roll()}),
    "carre": Record(
        fields=_MOD
        | _CHARGER
        | _INFANTRY
        | {
            "nation": Text(),
            "distance": Integer(low=1, high=4),
            "leader": Flag(default=False, doc="a leader in the hex"),
        }
    ),
    "stand": Record(
        fields=_MOD
        | _CHARGER
        | {"charger": _CHARGER["charger"].changed(default=REQUIRED)}
        | _INFANTRY
        | {
            "morale": Roll(),
            "nation": Text(default=None, doc="nation of the infantry, where the chart tells sides apart"),
            "hexside": Choice(values=ZONES, default="front"),
            "crosses": Text(default="none", doc="stream or slope that the charger crosses"),
            "state": Choice(values=STATES, default="good"),
            "half_lost": Flag(default=False, doc="half the increments lost"),
            "force_march": Flag(default=False),
            "leader": Integer(low=-12, high=12, default=0, doc="morale bonus of a leader in the hex"),
        }
    ),
    "recall": Record(
        fields=_MOD
        | {
            "cavalry": Text(doc="a row of the chart"),
            "leader": Flag(default=False, doc="a cavalry leader in the stack"),
        }
    ),
    "fire": Record(
        fields=_MOD
        | {
            "attack": _STRENGTH,
            "defence": Integer(low=1, high=99),
            "increments": Integer(low=0, high=99, default=0, doc="increments in the target hex"),
            "canister": Flag(default=False, doc="guns at an adjacent hex"),
            "range": Integer(low=1, high=99, default=None, doc="hexes from guns to the target"),
            "skirmishers": Flag(default=False, doc="skirmishers, not guns, fire at that range"),
        }
    ),
    "level": Record(
        fields={
            "lost": Integer(low=0, high=999, doc="battalions routed or eliminated"),
            "organisation": Text(default=None, doc="one that the rule set knows"),
            "battalions": Integer(
                low=1, high=999, default=None, doc="of an organisation without thresholds of its own"
            ),
            "scenario": Text(longest=1000, default=None, doc="every organisation of a scenario"),
            "thresholds": Thresholds(item=Integer(low=1, high=999), shortest=3, longest=3, default=None),
        }
    ),
    "assault": Record(
        fields={
            "attackers": _INCREMENTS,
            "defenders": _INCREMENTS,
            "hexside": Choice(values=ZONES, default="front"),
            "crosses": Text(default="none", doc="stream or slope that the attackers cross"),
            **_side("attack", ASSAULT_FORMATIONS, STATES[:2]),
            **_side("defence", INFANTRY_FORMATIONS, STATES),
            "melee_leader": _BONUS.changed(doc="bonus of the attackers' leader on the melee dice"),
        }
    ),
    "melee": Record(fields=_MOD | {"attack": _STRENGTH, "defence": _STRENGTH}),
    "movement": Record(fields=_GROUND),
    "stacking": Record(fields=_GROUND),
    "limber": Record(fields={"nation": Text(default=None, doc="batteries of one nation")}),
}
"""What each chart may be asked."""

SIDE = tuple(name.removeprefix("attack_") for name in _side("attack", ASSAULT_FORMATIONS, STATES))
"""What may be asked of a side of an assault, by the field's name after the side."""

SHARED = ("morale", "fire", "assault", "melee")
"""Charts that no battle changes: the shared base answers for them."""


def chart(
    name: str, ruleset: RuleSet | str | None = None, edition: int | None = None, **options: Any
) -> Answer:
    """One roll of a chart, exactly.

    Parameters
    ----------
    name
        One of `LOOKUPS`.
    ruleset
        A loaded rule set, or the name or path of one; by default the one that `carre chart NAME` says.
    options
        What the chart is asked, as in `LOOKUPS`; None is as good as not given.

    Raises
    ------
    UnknownNameError
        If there is no such chart, rule set, nation, formation or type.
    InputError
        If an option is missing, unknown, or not a value that it may have.
    """
    one_of("a chart", name, LOOKUPS)
    if edition is not None:
        edition = whole("--edition", edition, *EDITIONS)
    given = {option: value for option, value in options.items() if value is not None}
    problems = Problems(Document(f"chart {name}", given))
    asked = LOOKUPS[name].check(given, (), problems)
    problems.raise_first()
    if asked.get("scenario") is not None:
        asked["scenario"] = battlefiles.load(asked["scenario"])
        ruleset, edition = asked["scenario"].ruleset, edition or asked["scenario"].edition
    if not isinstance(ruleset, RuleSet):
        chosen = ruleset if ruleset is not None else (shipped.BASE if name in SHARED else shipped.DEFAULT)
        ruleset = catalogue.load(str(chosen), partial=chosen == shipped.BASE and name in SHARED)
    book = rulebook(ruleset, ruleset.switches(edition))
    identity = ruleset.identity() | {"edition": edition or ruleset.edition}
    return replace(_ASK[name](book, asked), identity=identity)


def _morale(book: Rulebook, asked: dict[str, Any]) -> Answer:
    return charts.morale(book, asked["morale"], asked["mod"])


def _carre(book: Rulebook, asked: dict[str, Any]) -> Answer:
    if asked["lance"] and asked["charger"] is None:
        raise InputError("--charger must be given with --lance: light or heavy")
    situation = _situation(book, asked, "target") | {"target.leader": asked["leader"]}
    return charts.carre(book, asked["nation"], asked["formation"], asked["distance"], situation, asked["mod"])


def _stand(book: Rulebook, asked: dict[str, Any]) -> Answer:
    _one_of("--formation", asked["formation"], INFANTRY_FORMATIONS)
    _one_of("--crosses", asked["crosses"], ("none", *book.hexside_costs))
    situation = _situation(book, asked, "target") | _situation(book, asked, "unit")
    for prefix in ("target", "unit"):
        more = {
            "state": asked["state"],
            "half_lost": asked["half_lost"],
            "force_march": asked["force_march"],
            "leader": asked["leader"] != 0,
        }
        more |= {"morale": asked["morale"], "terrain": "clear", "fire_losses": 0}
        situation |= {f"{prefix}.{name}": value for name, value in more.items()}
    situation |= {"hexside": asked["hexside"], "crosses": asked["crosses"]}
    return charts.stand(book, asked["morale"], situation, asked["leader"], asked["mod"])


def _recall(book: Rulebook, asked: dict[str, Any]) -> Answer:
    return charts.recall(
        book, book.recall_row("", None, False, asked["cavalry"]), asked["leader"], asked["mod"]
    )


def _fire(book: Rulebook, asked: dict[str, Any]) -> Answer:
    if asked["canister"] and asked["range"] is not None:
        raise InputError("--canister must not be given with --range: guns at one hex fire it")
    return charts.fire(
        book,
        asked["attack"],
        asked["defence"],
        asked["increments"],
        asked["canister"],
        asked["mod"],
        asked["range"],
        asked["skirmishers"],
    )


def _assault(book: Rulebook, asked: dict[str, Any]) -> Answer:
    _one_of("--crosses", asked["crosses"], ("none", *book.hexside_costs))
    attack, defence = _side_asked(book, asked, "attack"), _side_asked(book, asked, "defence")
    where = asked["hexside"], asked["crosses"]
    return assaults.assault(book, attack, defence, *where, melee_leader=asked["melee_leader"])


def _side_asked(book: Rulebook, asked: dict[str, Any], name: str) -> Side:
    own = {field: asked[f"{name}_{field}"] for field in SIDE}
    if own["nation"] is not None:
        _one_of(f"--{name}-nation", own["nation"], book.blocks.nations or ())
    return Side(asked["attackers" if name == "attack" else "defenders"], **own)


def _level(book: Rulebook, asked: dict[str, Any]) -> Answer:
    whose = ("organisation", "battalions", "thresholds", "scenario")
    return charts.level(book, asked["lost"], *(asked[name] for name in whose))


def _movement(book: Rulebook, asked: dict[str, Any]) -> Answer:
    return charts.movement(book, asked["terrain"], asked["arm"])


def _stacking(book: Rulebook, asked: dict[str, Any]) -> Answer:
    return charts.stacking(book, asked["terrain"], asked["arm"])


def _limber(book: Rulebook, asked: dict[str, Any]) -> Answer:
    return charts.limber(book, asked["nation"])


def _melee(book: Rulebook, asked: dict[str, Any]) -> Answer:
    return charts.melee(book, asked["attack"], asked["defence"], asked["mod"])


_ASK: dict[str, Callable[[Rulebook, dict[str, Any]], Answer]] = {
    "morale": _morale,
    "carre": _carre,
    "stand": _stand,
    "recall": _recall,
    "fire": _fire,
    "assault": _assault,
    "level": _level,
    "melee": _melee,
    "movement": _movement,
    "stacking": _stacking,
    "limber": _limber,
}


def _situation(book: Rulebook, asked: dict[str, Any], prefix: str) -> dict[str, object]:
    """Attributes of the charged infantry and of the charger."""
    nations = book.blocks.nations
    nation, kind = asked["nation"], asked["type"]
    row_names = {row.name: row.nations[0] for row in book.carre_rows}
    if nation is not None and nation not in nations and nation not in row_names:
        known = tuple(dict.fromkeys([*nations, *row_names]))
        raise UnknownNameError(
            f"--nation must be one of {', '.join(known)} in {book.ruleset.name}, got "
            f"{nation!r}.{did_you_mean(nation, known)}"
        )
    if nation not in nations:
        nation = row_names.get(nation, nation)
    if kind is not None:
        if nation is None:
            raise UnknownNameError(f"--nation must be given with --type, so that {kind!r} can be looked up")
        _one_of(f"--type of {nation} infantry", kind, book.ruleset.infantry(nation))
    return {
        f"{prefix}.nation": nation,
        f"{prefix}.side": nations.get(nation, "Imperial"),
        f"{prefix}.type": kind,
        f"{prefix}.arm": "infantry",
        f"{prefix}.formation": asked["formation"],
        f"{prefix}.state": "good",
        f"{prefix}.level": asked["level"],
        f"{prefix}.half_lost": False,
        f"{prefix}.leader": False,
        f"{prefix}.force_march": False,
        "charger.class": asked["charger"] or "none",
        "charger.lance": asked["lance"],
        "charger.nation": "none",
        "charger.type": "none",
        "charger.leader": False,
    }


def _one_of(name: str, value: str, known: Collection[str]) -> None:
    if value not in known:
        raise UnknownNameError(
            f"{name} must be one of {', '.join(known)}, got {value!r}.{did_you_mean(value, known)}"
        )
