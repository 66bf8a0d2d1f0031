"""What each block of a rule-set file may hold, as fields: the data that `consistency` checks a file
against."""

from __future__ import annotations

from sim.inputs.fields import (
    REQUIRED,
    Choice,
    Field,
    Flag,
    Integer,
    Mapped,
    Record,
    Roll,
    Sequence,
    Text,
    optional,
)
from sim.rulesets import blocks
from sim.rulesets.attributes import SIDES, Named, Vocabulary
from sim.rulesets.merging import CARRE_FORMATIONS
from sim.rulesets.values import (
    AMOUNT,
    ByArm,
    Cancels,
    Column,
    Entries,
    Exact,
    Faces,
    Given,
    Lender,
    Levels,
    Modifier,
    Numbered,
    Odds,
    Part,
    Partition,
    Result,
    Scalar,
    Settings,
    Source,
    Span,
    Switch,
    Table,
    Thresholds,
    Zones,
)
from sim.vocabulary import (
    ARMS,
    ARTILLERY_FORMATIONS,
    COLUMN,
    FORMATIONS,
    GENERAL_ORDER,
    INFANTRY_FORMATIONS,
    LIMBER_CLASSES,
    LINE,
    ROAD_MARCH,
    SKIRMISH,
    STATES,
    ZONES,
)

CAVALRY_FORMATIONS = tuple(FORMATIONS[one] for one in (COLUMN, LINE, SKIRMISH, GENERAL_ORDER, ROAD_MARCH))
"""Formations that cavalry may take in a battle."""

OUTCOMES = ("formed", "disordered", "routed")
"""Of a carré attempt, best first."""
MATRIX = ("AR", "AD", "blank", "DD", "DR")
"""Columns of the matrix of melee results."""
DEFENDERS = (
    *(f"infantry {state}" for state in STATES),
    *("square", "cavalry good", "cavalry routed"),
    *(f"limbered {state}" for state in STATES),
    *("unlimbered good", "unlimbered disordered"),
)
"""Rows of the matrix. Cavalry has no disordered state, unlimbered guns no routed one."""
EFFECTS = ("S", "A-rout", "D-fall3")
"""Effects of the matrix that a result or a switch leads to without a row."""

SINGLE = ("canister_shift", "square_divisor", "on_top_divisor", "masse_on_top", "with_guns", "flank")
"""Single numbers of the fire rules that have a source."""

_ODDS = Odds()


def ruleset(known: Vocabulary, partial: bool = False) -> Record:
    """What a rule-set file may hold, once merged over what it extends.

    Parameters
    ----------
    known
        The names that the rule set declares.
    partial
        Whether it is only to be extended, so that blocks may be missing.
    """
    source: dict[str, Field] = {
        "source": Source(default=None),
        "lender": Lender(default=None, known=known.lenders),
    }
    fields: dict[str, Field] = {
        "ruleset": Text(longest=60, doc="its name"),
        "title": Text(),
        "year": Integer(low=1700, high=1900),
        "version": Integer(low=1, high=9999),
        "edition": Integer(low=2000, high=2099)
        if known.editions is None
        else Choice(values=known.editions, doc="edition of the series rules"),
        "nations": Mapped(
            item=Choice(values=SIDES),
            name=_is_nation,
            names="the names a nation may have",
            doc="side of each nation",
        ),
        **_charts(known, source),
        **_ground(known, source),
        **_melee(known, source),
        "switches": Mapped(
            item=_switch(), name=lambda name: isinstance(name, str), names="the names a switch may have"
        ),
        "editions": Mapped(
            item=Settings(switches=known.switches), name=_is_year, names="the years 2000 to 2099"
        ),
    }
    if partial:
        fields = {name: _incomplete(kind).changed(default=None) for name, kind in fields.items()}
    fields |= {
        "extends": optional(Text()),
        "partial": Flag(default=False, doc="only to be extended, not played"),
        "set": Settings(
            switches=known.switches, default=None, doc="switch values this battle fixes, whatever the edition"
        ),
        "levels": Table(
            default=None,
            builds=blocks.Rows,
            fields=source,
            rest=Thresholds(item=Integer(low=1, high=999, unit="battalions"), shortest=3, longest=3),
            doc="battalions lost at which an organisation reaches morale level 1, 2, 3",
        ),
    }
    return Record(fields=fields, builds=blocks.Blocks, doc="a rule set for Carré")


def _incomplete(kind: Field) -> Field:
    """A block that may lack any of its fields."""
    if not isinstance(kind, Record):
        return kind
    return kind.changed(
        fields={
            name: one.changed(default=None) if one.default is REQUIRED else one
            for name, one in kind.fields.items()
        },
    )


def _is_nation(name: object) -> bool:
    return (
        isinstance(name, str)
        and 0 < len(name) <= 40
        and name.isprintable()
        and name not in ("source", "lender")
    )


def _is_year(name: object) -> bool:
    return isinstance(name, int) and 2000 <= name <= 2099


def _switch() -> Switch:
    values = Sequence(item=Scalar(), shortest=1, longest=20)
    return Switch(
        builds=blocks.Switch,
        fields={"label": Text(), "values": values, "default": Scalar(), "source": Source(default=None)},
    )


def _modifiers(known: Vocabulary, source: dict[str, Field], table: str) -> Sequence:
    block = table.partition(".")[0]
    amount = Integer(low=-35, high=35, default=None)
    fields: dict[str, Field] = {
        "key": Text(longest=60),
        "label": Text(longest=100),
        "when": known.when(table),
        **source,
    }
    if block in ("stand", "premelee"):
        fields["replaces"] = Text(
            default=None, doc="key of the general morale modifier that this one stands for"
        )
    amounts = ("attack", "defence") if block == "premelee" else ("value",)
    fields |= dict.fromkeys(amounts, amount)
    if block != "premelee":
        fields |= {"values": Levels(default=None), "of": known.of_what(table)}
    fields |= {"per": known.per_what(table), "cancels": Cancels(default=None)}
    if block in ("stand", "premelee", "morale"):
        fields["no_check"] = Choice(
            values=(True,), default=False, doc="who meets the conditions passes without a roll"
        )
    return Sequence(item=Modifier(fields=fields, builds=blocks.Line, amounts=amounts))


def _charts(known: Vocabulary, source: dict[str, Field]) -> dict[str, Field]:
    """Carré, stand, recall, charge, morale, leaders, troops."""
    nations = Sequence(item=known.nation, shortest=1)
    trigger = Record(
        builds=blocks.Trigger, fields={"first": Integer(low=1, high=36), "step": Integer(low=1, high=36)}
    )
    multiple = optional(Exact(high=20)).changed(default=REQUIRED)
    bands = _bands().changed(default=None, doc="shares of its skirmishers' fire, each up to so many hexes")
    cell = Partition(
        result=Choice(values=OUTCOMES), rising="give formed, then disordered, then routed as rolls rise"
    )
    carre_row: dict[str, Field] = {
        "name": Text(longest=60),
        "nations": nations,
        "formation": Choice(values=CARRE_FORMATIONS),
        "unit": Choice(values=("hexes", "points")),
        "cells": Numbered(numbers=(1, 2, 3, 4), item=cell),
    }
    recall_row: dict[str, Field] = {
        "name": Text(longest=60),
        "nations": nations,
        "types": Sequence(item=Text(longest=60), shortest=1, default=None),
        "class": Choice(values=("light", "heavy"), default=None),
        "needs": Integer(low=1, high=7, unit="one die, this or more"),
    }
    barred = Record(
        builds=blocks.Bar,
        fields={"label": Text(), "when": known.when("carre.barred").changed(default=REQUIRED), **source},
    )
    foot = Record(
        builds=blocks.Foot,
        fields={
            "line": multiple,
            "square": multiple,
            "skirmish": multiple,
            "skirmish_range": bands,
            "losses": trigger,
            **source,
        },
    )
    refusal = Record(
        builds=blocks.Bar,
        fields={
            "label": Text(longest=100),
            "when": known.when("troops.charges_not").changed(default=REQUIRED),
            **source,
        },
    )
    under_fire = Record(
        default=None,
        builds=blocks.UnderFire,
        doc="what fire does to it, whatever its losses before",
        fields={
            "loss": Choice(values=("rout",), default=None),
            "no_loss": Choice(values=("check",), default=None),
        },
    )
    horse = Record(
        builds=blocks.Horse,
        fields={"charges_not": Sequence(item=refusal, default=()), "under_fire": under_fire, **source},
    )
    troop = ByArm(arms={"infantry": foot, "cavalry": horse})
    charge: dict[str, Field] = {
        "bonus_movement": Integer(low=0, high=30),
        "straight_hexes": Integer(low=0, high=12),
        "light_from": Integer(low=1, high=99, unit="movement points"),
        "trample_points": Integer(low=1, high=30),
        "min_carre_increments": Integer(low=0, high=36),
        "line_increments": Integer(low=1, high=99),
        "check_nations": Sequence(item=known.nation),
    }
    fates = Choice(values=("killed", "wounded", "captured", "flesh wound"))
    leaders: dict[str, Field] = {
        "fire": Record(
            builds=blocks.LeaderFire,
            fields={"natural": Span(), "roll_again": Sequence(item=Integer(low=1, high=6), longest=5)},
        ),
        "melee": Record(builds=blocks.LeaderMelee, fields={"attacker": Span(), "defender": Span()}),
        "die": Numbered(numbers=(1, 2, 3, 4, 5, 6), item=fates),
        "hours": Numbered(
            numbers=(1, 2, 3, 4, 5, 6),
            item=Integer(low=0, high=2, unit="dice"),
            default=dict.fromkeys(range(1, 7), 1),
        ),
    }
    stand = _modifiers(known, source, "stand.modifiers")
    weary = Record(
        builds=blocks.Weary,
        fields={
            "label": Text(longest=100),
            "when": known.when("morale.recovery_losses").changed(default=REQUIRED),
            "lose": Integer(low=1, high=36, unit="increments"),
            **source,
        },
    )
    morale: dict[str, Field] = {
        "recovery_losses": Sequence(item=weary, default=(), doc="what a failed recovery costs")
    }
    checks = Record(builds=blocks.LossChecks, fields={"cavalry": trigger, "artillery": trigger})
    morale |= {"modifiers": _modifiers(known, source, "morale.modifiers"), "loss_checks": checks}
    carre = {
        "rows": Sequence(item=Record(builds=blocks.CarreRow, fields=carre_row | source)),
        "barred": Sequence(item=barred, default=()),
        "modifiers": _modifiers(known, source, "carre.modifiers"),
    }
    recall = {
        "rows": Sequence(item=Record(builds=blocks.RecallRow, fields=recall_row | source)),
        "modifiers": _modifiers(known, source, "recall.modifiers"),
    }
    return {
        "carre": Record(builds=blocks.CarreRules, fields=carre | source),
        "stand": Record(builds=blocks.StandRules, fields={"modifiers": stand, **source}),
        "recall": Record(builds=blocks.RecallRules, fields=recall | source),
        "charge": Record(builds=blocks.ChargeRules, fields=charge | source),
        "morale": Record(builds=blocks.MoraleRules, fields=morale | source),
        "leaders": Record(builds=blocks.LeaderRules, fields=leaders | source),
        "troops": Table(
            builds=blocks.Rows,
            fields=source,
            name=known.nation,
            rest=Mapped(item=troop, name=_is_nation, names="the names a troop type may have"),
        ),
    }


def _bands() -> Mapped:
    """Shares of fire, each up to so many hexes."""
    return Mapped(item=Exact(high=1), name=_is_hexes, names="the numbers of hexes from 1 to 99")


def _is_hexes(name: object) -> bool:
    return isinstance(name, int) and not isinstance(name, bool) and 1 <= name <= 99


def _ground(known: Vocabulary, source: dict[str, Field]) -> dict[str, Field]:
    """Orientation, retreat, terrain, hexsides, sight."""
    enter, cross = (optional(Integer(low=low, high=30)).changed(default=REQUIRED) for low in (1, 0))
    orders = (INFANTRY_FORMATIONS, CAVALRY_FORMATIONS, (*ARTILLERY_FORMATIONS, "road march"))
    only: dict[str, Field] = {
        arm: Sequence(item=Choice(values=names), shortest=1, default=None)
        for arm, names in zip(ARMS, orders, strict=True)
    }
    common = {
        "charge": Flag(),
        "formations": Given(fields=only, default=dict, doc="by arm, the only formations that may be there"),
    }
    hexside = Record(builds=blocks.Hexside, fields={**dict.fromkeys(ARMS, cross), **common, **source})
    terrain = Record(
        builds=blocks.Terrain,
        fields={
            **dict.fromkeys(ARMS, enter),
            **common,
            "blocks": Flag(),
            "road_march": Exact(high=30, default=None, doc="points along a road in road march"),
            **source,
        },
    )
    zones = Zones(
        builds=blocks.Facing,
        fields={
            "faces": Choice(values=("side", "corner")),
            "zones": Sequence(item=Choice(values=ZONES), shortest=3, longest=4),
        },
    )
    faces = [f"infantry {formation}" for formation in INFANTRY_FORMATIONS] + [
        "light cavalry column",
        "heavy cavalry column",
        "cavalry line",
        "artillery",
    ]
    return {
        "orientation": Entries(fields=dict.fromkeys(faces, zones) | source),
        "retreat": Record(
            builds=blocks.RetreatRules,
            fields={
                "disordered": Integer(low=1, high=30),
                "rout": Integer(low=1, high=60),
                "safe": Integer(low=1, high=99, default=15, unit="hexes"),
                **source,
            },
        ),
        "terrain": Table(builds=blocks.Rows, fields={"clear": terrain, **source}, rest=terrain),
        "hexsides": Table(builds=blocks.Rows, fields=source, rest=hexside),
        "sight": Record(builds=blocks.Sight, fields={"slopes_block": Flag(), **source}),
        **_movement(known, source),
    }


def _movement(known: Vocabulary, source: dict[str, Field]) -> dict[str, Field]:
    """Movement, stacking, limbering."""
    points = Integer(low=0, high=30, unit="movement points")
    dice = Integer(low=-35, high=35)
    holds, units = (Integer(low=low, high=99, default=None) for low in (0, 1))
    sizes = ("battalion", "regiment", "battery")
    alone = Choice(values=sizes, default=None, doc="one unit up to this size, whatever its increments")
    limit = optional(
        Record(
            builds=blocks.StackLimit,
            fields={"alone": optional(alone), "increments": optional(holds), "units": optional(units)},
        )
    ).changed(default=REQUIRED)
    together = optional(
        Record(
            builds=blocks.StackTogether,
            fields={
                "alone": optional(alone),
                "increments": optional(holds),
                "batteries": Integer(low=1, high=9),
                "guns": optional(holds),
            },
        )
    ).changed(default=REQUIRED)
    row = Record(
        builds=blocks.StackRow, fields={**dict.fromkeys(ARMS, limit), "together": together, **source}
    )
    change = {*ARMS, "two_hexes", "general_order", "facing"}
    movement: dict[str, Field] = {
        "allowance": Record(
            builds=blocks.Allowance,
            fields={"line": points, "square": points, "masse": points, "disordered": Exact(high=1), **source},
        ),
        "change": Record(builds=blocks.Changes, fields={**dict.fromkeys(sorted(change), points), **source}),
        "road": Record(
            builds=blocks.Road,
            fields={
                "points": Exact(high=30),
                "hexsides": Flag(doc="whether hexsides add to the points of a road"),
                "increments": Integer(low=1, high=99),
                **source,
            },
        ),
        "skirmish_horse": Record(
            builds=blocks.SkirmishHorse, fields={"beside": points, "near": points, **source}
        ),
        "entry": Record(
            builds=blocks.EntryRules,
            default={"spread": 5, "source": None},
            fields={"spread": Integer(low=0, high=30, unit="hexes"), **source},
        ),
        "force_march": Record(
            builds=blocks.ForceMarch,
            fields={
                "factor": Integer(low=1, high=4),
                **dict.fromkeys(("check", "further", "other_checks"), dice),
                **source,
            },
        ),
    }
    limber_row: dict[str, Field] = {
        "name": Text(longest=60),
        "nations": Sequence(item=known.nation, shortest=1),
        "class": Choice(values=LIMBER_CLASSES),
        "needs": Integer(low=1, high=6, unit="one die, this or more"),
    }
    die = Integer(low=0, high=5)
    limber: dict[str, Field] = {
        "rows": Sequence(item=Record(builds=blocks.LimberRow, fields=limber_row | source)),
        "leader": die,
        "special": die,
        "leaders": Mapped(
            item=die, name=lambda name: isinstance(name, str), names="the names of leaders", default=dict
        ),
    }
    return {
        "movement": Record(builds=blocks.MovementRules, fields=movement | source),
        "stacking": Table(builds=blocks.Rows, fields={"clear": row, **source}, rest=row),
        "limber": Record(builds=blocks.LimberRules, fields=limber | source),
    }


def _melee(known: Vocabulary, source: dict[str, Field]) -> dict[str, Field]:
    """Fire, pre-melee, melee, matrix."""
    cited = {**source, "source": Source()}
    count = Integer(low=1, high=99)
    shapes: dict[str, Field] = dict.fromkeys(
        (*FORMATIONS, "disordered", "routed"), Integer(low=1, high=99, default=None)
    )
    needed = ("column", "line", "square", "skirmish", "disordered", "routed", *ARTILLERY_FORMATIONS)
    clear = Entries(builds=blocks.DefenceRow, fields=shapes | dict.fromkeys(needed, count) | source)
    terrain = Named(what="a terrain of the rule set", known=known.terrains)
    by_nation = Entries(
        builds=blocks.NationDefence,
        fields={"nations": Sequence(item=known.nation, shortest=1), "terrain": terrain, **shapes, **source},
    )
    defence = {"clear": clear, "by_nation": Sequence(item=by_nation, default=()), **source}
    losses = Partition(
        result=Integer(low=0, high=20, unit="increments lost"), rising="not lose less on a higher roll"
    )
    fire_range = Record(builds=blocks.Range, fields={"bands": _bands(), **source})
    fire: dict[str, Field] = {
        "table": Table(fields={}, name=_ODDS, rest=losses, least=1),
        "canister_shift": Integer(low=0, high=20),
        "guns": fire_range,
        "skirmish_range": fire_range,
        "combine": Record(
            builds=blocks.Combine,
            fields={
                "two": Integer(low=0, high=12),
                "three": Integer(low=0, high=12),
                "never": Sequence(item=known.nation, default=()),
                **source,
            },
        ),
        "massed": Record(
            builds=blocks.Massed,
            fields={"above": Integer(low=0, high=99), "each": Integer(low=0, high=35), **cited},
        ),
        "caps": Record(
            builds=blocks.Caps, fields={"line": count, "skirmish": count, "square": count, **source}
        ),
        "square_divisor": Integer(low=1, high=12),
        "on_top_divisor": Integer(low=1, high=12),
        "masse_on_top": Exact(high=10),
        "defence": Table(
            builds=blocks.DefenceChart,
            fields=defence,
            name=terrain,
            rest=Entries(builds=blocks.DefenceRow, fields=shapes | source),
        ),
        "line_as_column": count,
        "with_guns": Integer(low=-35, high=35),
        "flank": count,
        "sources": Record(
            builds=blocks.FireSources, fields=dict.fromkeys(SINGLE, Source(default=None)), default=dict
        ),
    }
    multiplier: dict[str, Field] = {
        "key": Text(longest=60),
        "label": Text(longest=100),
        "side": Choice(values=("attack", "defence", "both")),
        "value": Exact(high=20),
        "when": known.when("melee.multipliers"),
    }
    column = Named(what="a column of the melee table", known=known.columns)
    lance = Record(
        builds=blocks.LanceFactor,
        fields={"column": Integer(low=0, high=9), "line": Integer(low=0, high=9)},
    )
    melee: dict[str, Field] = {
        "columns": Sequence(item=Column(), shortest=1, longest=30),
        "below": Table(builds=blocks.Rows, fields=cited, name=_ODDS, rest=AMOUNT),
        "table": Faces(item=Sequence(item=Result(), longest=30)),
        "cells": Sequence(
            item=Record(
                builds=blocks.Cell, fields={"column": column, "roll": Roll(), "result": Result(), **source}
            ),
            longest=360,
            default=(),
        ),
        "lance": Record(builds=blocks.Lance, fields={"assault": lance, "counter": lance, **source}),
        "multipliers": Sequence(item=Record(builds=blocks.Factor, fields=multiplier | source)),
    }
    effect = Named(what="an effect of the matrix", known=known.effects)
    row = Sequence(item=effect, shortest=len(MATRIX), longest=len(MATRIX))
    part = Record(
        builds=blocks.Part,
        fields={
            "becomes": Choice(values=("disordered", "routed", "surrendered", "eliminated"), default=None),
            "retreat": Integer(low=1, high=30, unit="hexes", default=0),
            "zone_loss": Integer(low=0, high=36, default=0),
            "lose": Integer(low=1, high=36, unit="increments", default=0),
            "check": Integer(low=-35, high=35, default=None),
            "square_check": Integer(low=-35, high=35, default=None),
            "square_dd": Choice(values=(True,), default=False),
        },
    )
    arms: dict[str, Field] = dict.fromkeys(("any", "infantry", "cavalry"), part.changed(default=None))
    sides: dict[str, Field] = {
        "attacker": Part(builds=blocks.Parts, fields=arms, needs=("any", "cavalry"), default=None),
        "defender": Part(builds=blocks.Parts, fields=arms, needs=("any",), default=None),
    }
    effects = Record(builds=blocks.Effect, fields=sides)
    matrix: dict[str, Field] = {
        "columns": Sequence(item=Choice(values=MATRIX), shortest=len(MATRIX), longest=len(MATRIX)),
        "rows": Record(fields=dict.fromkeys(DEFENDERS, row)),
        "effects": Table(fields=dict.fromkeys(EFFECTS, effects), rest=effects),
    }
    premelee_column = Record(builds=blocks.PremeleeColumn, fields={"attack": AMOUNT, "defence": AMOUNT})
    elite = Table(
        builds=blocks.Elite,
        fields={"attack_odds": Column(default=None), **source},
        name=Span(),
        rest=AMOUNT,
        default=None,
        doc="what increments lost to the fire of an elite unit add to the other side's dice",
    )
    before = Record(
        builds=blocks.BeforeMelee,
        fields={
            "advantage": Integer(low=0, high=30, unit="movement points"),
            "share": Exact(high=1),
            "free": Integer(low=0, high=30, unit="hexes"),
            **source,
        },
    )
    premelee: dict[str, Field] = {
        "line": Integer(low=1, high=36),
        "fire_loss": Record(builds=blocks.FireLoss, fields={"each": AMOUNT, **source}),
        "elite": elite,
        "before_melee": before,
        "columns": Table(fields={}, name=_ODDS, rest=premelee_column, least=1),
        "modifiers": _modifiers(known, source, "premelee.modifiers"),
    }
    return {
        "fire": Record(builds=blocks.FireRules, fields=fire | source),
        "premelee": Record(builds=blocks.PremeleeRules, fields=premelee | cited),
        "melee": Record(builds=blocks.MeleeRules, fields=melee | source),
        "matrix": Record(builds=blocks.Matrix, fields=matrix | cited),
    }
