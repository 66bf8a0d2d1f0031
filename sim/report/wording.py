"""What happened in a run, in words: typed events to the steps of a told run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sim.battle import told as battle
from sim.charge import told as charge
from sim.combat import told as combat
from sim.doctrine import told as plan
from sim.ensemble import ladder
from sim.ensemble.dice import Decision
from sim.rules.carre import REFUSALS
from sim.rules.strengths import Factor, Strengths, telling
from sim.rulesets.blocks import Part
from sim.units.forces import Forces
from sim.units.record import Entry, Event, Lost
from sim.vocabulary import FORMATIONS, READINESS, ROUTED, Reason

KINDS = {
    "stand": "stand check",
    "carre": "carré",
    "recall": "recall",
    "halt": "recall, to halt",
    "react": "reaction check",
    "opportunity": "check for a charge of opportunity",
    "shelter": "check of skirmishers, to find shelter",
    "charge-check": "check before the charge",
    "guns": "gunners' check",
    "contagion": "check, since another unit of its hex failed",
    "fire": "fire",
    "loss-check": "check for its losses",
    "under-fire": "check under fire without loss",
    "leader": "fate of the leader",
    "leader-check": "check without its leader",
    "pass-through": "check, since routers passed through",
    "pre-melee": "pre-melee check",
    "melee": "melee",
    "star": "check by the melee result",
    "square-check": "check of the square",
    "fall-back": "check after falling back",
    "recovery": "recovery check",
    "delay": "delay of reinforcements",
    "hours": "hours that the leader is out",
    "limber": "limbering",
    "force-march": "check for a force march",
    "overstack": "check, since its hex holds too many",
}
"""What each kind of decision is called."""


def kind_of(decision: Decision) -> str:
    """What a decision is called."""
    return KINDS[decision.name.partition("/")[2]]


def face_of(faces: int, roll: int) -> int:
    """What the player reads off the dice."""
    if faces == ladder.STEPS:
        return ladder.face_of(roll)
    return roll + 1 if faces == 6 else (1, 2, 3, 4, 6)[roll]


Names = Callable[[int], str]
"""Unit number to name."""

_HALTS = {
    charge.NO_TARGET: "has no target",
    charge.OUT_OF_REACH: "cannot reach {goal}",
    charge.BREAKS_OFF: "breaks off",
    charge.AWAY: "has gone its way",
}

WORDS: dict[type[Event], Callable[[Any, Names], str]] = {
    combat.Spared: lambda one, _: f"makes no check: {one.label} ({one.source})",
    combat.Broke: lambda one, _: "routs" if one.state == ROUTED else "is disordered",
    combat.Moved: lambda one, _: (
        f"{'runs' if one.rout else 'falls back'} {_hexes(one.hexes)}, {_towards(one.bearing)}"
    ),
    combat.Stuck: lambda one, _: (
        "cannot make the full rout move and surrenders" if one.surrenders else "has nowhere to go and stays"
    ),
    combat.Caught: lambda one, _: "enters a zone of cavalry and routs",
    charge.Charges: lambda one, name: f"charges {name(one.goal)}, {one.points} points",
    charge.SeesNothing: lambda one, name: f"does not see {name(one.goal)} and stays where it is",
    charge.Declares: lambda one, name: f"declares {name(one.goal)} the target of the charge",
    charge.DoesNotDeclare: lambda one, name: (
        f"does not declare {name(one.goal)}: it is not in sight at two hexes"
    ),
    charge.Passes: lambda one, name: f"is not straight at {name(one.goal)} at two hexes, and so passes it",
    charge.StaysBehind: lambda one, _: "has no points left and stays behind",
    charge.Stuck: lambda one, _: "can go no farther",
    charge.Halts: lambda one, name: (
        _HALTS[one.why].format(goal=name(one.goal)) + (" and halts" if one.free else " and would halt")
    ),
    charge.RecalledToHalt: lambda one, _: (
        "is recalled and halts" if one.recalled else "is not recalled and rides on"
    ),
    charge.Turns: lambda one, name: "turns away" if one.to < 0 else f"turns to {name(one.to)}",
    charge.WillRideOver: lambda one, _: "will ride over the square",
    charge.RidesOntoSquare: lambda one, _: "rides onto the square",
    charge.RidesOffSquare: lambda one, _: "rides off the square",
    charge.Opportunity: lambda one, name: (
        f"charges {name(one.goal)}" if one.charges else "stands where it is"
    ),
    charge.Reacts: lambda one, _: "reacts" if one.reacts else "stands where it is",
    charge.Meets: lambda one, _: "meets the charge: both stop",
    charge.CarreRefused: lambda one, _: f"may not try carré: {REFUSALS[one.reason]}",
    charge.FormsSquare: lambda one, _: "forms square",
    charge.Disordered: lambda one, _: "is disordered",
    charge.Routs: lambda one, _: "routs",
    charge.Abandoned: lambda one, _: "is abandoned",
    charge.MayNotAttack: lambda one, name: (
        f"may not attack {name(one.goal)}"
        + (", which it passed" if one.passed else ": its cavalry does not charge such troops")
    ),
    charge.Contacts: lambda one, name: f"comes into contact with {name(one.goal)}",
    charge.RidesOnto: lambda one, name: f"rides onto {name(one.goal)}",
    charge.TakesShelter: lambda one, name: f"takes shelter with {name(one.host)}",
    charge.Caught: lambda one, _: "finds no shelter and routs",
    charge.RiddenDown: lambda one, _: "is ridden down",
    charge.Stands: lambda one, _: "stands: the charge is halted",
    charge.FailsToStand: lambda one, _: "fails to stand and routs",
    charge.Tramples: lambda one, _: "tramples",
    charge.Recalled: lambda one, _: (
        ("is recalled" if one.recalled else "is not recalled")
        + (" and chases" if one.chases else " and follows" if one.follows else "")
    ),
    charge.RoutsWithoutContact: lambda one, _: (
        "spent its allowance without contact and routs where it stands"
    ),
    battle.MeleeResult: lambda one, _: _result(one.attacker, one.defender),
    battle.GotAway: lambda one, _: "retreats before the melee",
    battle.CameOff: lambda one, _: "comes off the enemy's hex",
    battle.ChaseOver: lambda one, _: "was not recalled and routs where it stands",
    battle.Recovered: lambda one, _: f"is back in good order, in {FORMATIONS[one.formation]}",
    battle.Unrecovered: lambda one, _: (
        f"does not recover, which costs it increments: {one.label} ({one.source})"
    ),
    battle.Manned: lambda one, _: "is manned again",
    battle.Marched: lambda one, _: f"marches {_hexes(one.hexes)}, {_towards(one.bearing)}",
    battle.Formed: lambda one, _: f"forms {FORMATIONS[one.formation]}" + (" in two hexes" if one.two else ""),
    battle.Turned: lambda one, _: (
        f"turns {abs(one.hexsides)} hexside{'s' * (abs(one.hexsides) > 1)} to the "
        + ("right" if one.hexsides > 0 else "left")
    ),
    battle.LeavesMap: lambda one, _: "leaves the map",
    battle.GunsTaken: lambda one, _: "is lost: abandoned, with an enemy next to it",
    battle.LevelReached: lambda one, _: f"{one.organisation} is at morale level {one.level}",
    battle.LeaderJoins: lambda one, _: f"is joined by {one.leader}",
    battle.LeaderBack: lambda one, _: f"{one.leader} is back, with it",
    battle.LeaderCaptured: lambda one, _: f"{one.leader}, who was with it, is captured",
    battle.Rested: lambda one, _: f"has rested and is {READINESS[one.readiness]}",
    battle.Refuge: lambda one, _: (
        f"is far from every enemy and goes {_hexes(one.hexes)} to shelter"
        if one.hexes
        else "is far from every enemy and stays"
    ),
    battle.Enters: lambda one, _: "comes onto the map",
    plan.Gathers: lambda one, name: f"gathers against {name(one.foe)} at {_odds(one)}",
    plan.Storms: lambda one, name: f"assaults {name(one.foe)} at {_odds(one)}; {one.chance:.0%} to break it",
    plan.TooRisky: lambda one, name: (
        f"does not assault {name(one.foe)}: {one.has:.0%} to break it, wants {one.wants:.0%}"
    ),
    plan.DoesNotStorm: lambda one, name: f"does not assault {name(one.foe)}: {_odds(one)}",
    plan.ChargesAt: lambda one, name: (
        f"means to charge {name(one.foe)}: {one.has:.1f} times the riders that it wants"
    ),
    plan.GivesWay: lambda one, _: f"gives way before {_odds(one)}",
    plan.Stays: lambda one, _: f"stays to meet {_odds(one)}",
    plan.GoesUp: lambda one, _: f"goes up from reserve: an enemy at {_near(one)}",
    plan.Relieves: lambda one, _: (
        f"goes up from reserve: {one.has:.0%} of the infantry in front are worn, wants {one.wants:.0%}"
    ),
    plan.WaitedEnough: lambda one, _: f"goes up from reserve: turn {one.has:.0f}, waits {one.wants:.0f}",
    plan.DrawsBack: lambda one, _: f"is pulled out: {one.has:.0%} left, wants more than {one.wants:.0%}",
    plan.DrawsBackByLevel: lambda one, _: (
        f"is pulled out: its organisation is at level {one.has:.0f}, wants less than {one.wants:.0f}"
    ),
    plan.TakesLine: lambda one, _: f"means to take line: an enemy at {_near(one)}",
    plan.OpensOrder: lambda one, _: f"means to take skirmish order: an enemy at {_near(one)}",
    plan.Unlimbers: lambda one, _: f"means to unlimber: an enemy at {_near(one)}",
    plan.Follows: lambda one, _: (
        f"means to limber and follow: the nearest enemy at {_hexes(int(one.has))}, follows beyond "
        f"{one.wants:.0f}"
    ),
}
"""What each event is told as, by its kind; `who` stands before it."""


def steps_of(entries: Sequence[Entry], forces: Forces) -> list[dict[str, Any]]:
    """The steps of a told run. What a step costs follows it, each unit's losses in one, in unit order."""
    steps: list[dict[str, Any]] = []
    losses: dict[int, tuple[int, int, Entry]] = {}
    for entry in entries:
        if isinstance(entry.event, Lost):
            before = losses[entry.event.unit][0] if entry.event.unit in losses else 0
            losses[entry.event.unit] = before + entry.event.increments, entry.event.gone, entry
        else:
            steps += _losses(losses, steps, forces)
            losses = {}
            steps.append(_step(entry, forces))
    return steps + _losses(losses, steps, forces)


def _losses(
    losses: dict[int, tuple[int, int, Entry]], steps: Sequence[dict[str, Any]], forces: Forces
) -> list[dict[str, Any]]:
    """Steps that tell losses, under the step of the same moment that brought them."""
    told = []
    for unit, (lost, gone, last) in sorted(losses.items()):
        under = bool(steps) and steps[-1]["moment"] == last.moment
        told.append(
            {
                "moment": last.moment,
                "segment": last.segment,
                "rule": steps[-1]["rule"] if under else last.event.rule,
                "who": forces.units[unit].name,
                "text": f"loses {lost}" + (f": {Reason(gone).word}" if gone else ""),
            }
        )
    return told


def _step(entry: Entry, forces: Forces) -> dict[str, Any]:
    event = entry.event
    if isinstance(event, combat.Rolled):
        who, text = _asked(event, forces)
    else:
        who, text = _who(event, forces), WORDS[type(event)](event, lambda unit: forces.units[unit].name)
    step: dict[str, Any] = {
        "moment": entry.moment,
        "segment": entry.segment,
        "rule": event.rule,
        "who": who,
        "text": text,
    }
    if isinstance(event, combat.Moved):
        step["fact"] = {"rout": event.rout, "hexes": event.hexes, "bearing": event.bearing}
    elif isinstance(event, battle.MeleeResult):
        step["fact"] = {"attacker": _plain(event.attacker), "defender": _plain(event.defender)}
    elif isinstance(event, combat.Rolled):
        step |= _rolled(event, text, forces)
    return step


def _who(event: Event, forces: Forces) -> str:
    """Whom an event that took no roll is told of."""
    if isinstance(event, battle.MeleeResult):
        return "result"
    if isinstance(event, combat.Moved | combat.Stuck):
        return " and ".join(forces.units[unit].name for unit in event.group)
    return forces.units[event.unit].name


def _asked(event: combat.Rolled, forces: Forces) -> tuple[str, str]:
    """Who rolls, and what is asked of the roll."""
    if event.decision.name.endswith("/leader"):
        leader = forces.leaders[event.unit][0]
        return "" if leader is None else leader.name, ""
    units = forces.units
    name = units[event.unit].name
    if isinstance(event, combat.Checked):
        return name, f"must beat {ladder.face_of(event.morale)}"
    if isinstance(event, combat.Fired):
        return f"at {units[event.target].name}", ""
    if isinstance(event, battle.Fought):
        return f"{units[event.lead].name} against {name}", ""
    if isinstance(event, charge.CarreRolled):
        return name, f"from {FORMATIONS[event.formation]}, column {event.distance}"
    if isinstance(event, charge.RecallRolled):
        return units[event.lead].name, f"needs {event.needs} ({event.row})"
    return name, ""


def _rolled(event: combat.Rolled, text: str, forces: Forces) -> dict[str, Any]:
    """What a step has more where there was a roll."""
    more: dict[str, Any] = {}
    if event.strengths is not None:
        more["strengths"] = _strengths(event.strengths)
        more["text"] = ", ".join(filter(None, (text, odds_of(more["strengths"]))))
    face = face_of(event.faces, event.roll)
    shift = sum(amount for _, amount, _ in event.modifiers)
    on_ladder = event.faces == ladder.STEPS
    return more | {
        "decision": forces.decision(event.decision),
        "kind": kind_of(event.decision),
        "roll": face,
        "dice": [face // 10, face % 10] if on_ladder else [face],
        "modifiers": [
            {"label": label, "value": value, "source": source} for label, value, source in event.modifiers
        ],
        "modified": ladder.shifted(face, shift) if on_ladder else min(max(face + shift, 1), 6),
        "chart": event.chart,
        "result": event.outcome,
    }


# -- melee results and moves ------------------------------------------------------------------


def _plain(part: Part | None) -> dict[str, Any] | None:
    """A part of an effect as JSON has it: by what it does."""
    if part is None:
        return None
    return {name: one for name, one in vars(part).items() if one != getattr(Part, name)}


def _result(attacker: Part | None, defender: Part | None) -> str:
    sides = [(one, _part(part)) for one, part in (("attackers", attacker), ("defenders", defender)) if part]
    sides = [(one, part) for one, part in sides if part]
    if len(sides) == 2 and sides[0][1] == sides[1][1]:
        return f"both sides {sides[0][1]}"
    return "; ".join(f"the {one} {part}" for one, part in sides) or "nothing happens"


def _odds(one: plan.Decided) -> str:
    return f"{one.has:.1f} to 1, wants {one.wants:.2g}"


def _near(one: plan.Decided) -> str:
    return f"{_hexes(int(one.has))}, wants {one.wants:.0f}"


def _hexes(number: int) -> str:
    return "1 hex" if number == 1 else f"{number} hexes"


def _towards(bearing: int) -> str:
    """Where a hex lies, seen from a unit that faces ahead; `bearing` in degrees to the right."""
    side = "left" if bearing < 0 else "right"
    turn = abs(bearing)
    if turn < 30:
        return "ahead of where it stood"
    return (
        "behind where it stood"
        if turn > 150
        else f"{'ahead' if turn < 90 else 'behind'} and to the {side} of where it stood"
    )


def _part(part: Part) -> str:
    """What a melee result does to a side."""
    words = []
    if part.lose:
        words.append(f"lose {part.lose}")
    if part.becomes:
        words.append(BECOMES[part.becomes])
    if part.retreat:
        words.append(f"fall back {_hexes(part.retreat)}")
    if part.check is not None:
        words.append(f"check at {part.check:+d}")
    if part.square_check is not None:
        words.append(f"check at {part.square_check:+d}, whether the square holds")
    if part.square_dd:
        words.append("have their square shaken")
    return " and ".join(words)


BECOMES = {
    "disordered": "are disordered",
    "routed": "rout",
    "surrendered": "surrender",
    "eliminated": "are eliminated",
}
"""What becomes of a side, by the words of the rule sets."""

# -- strengths --------------------------------------------------------------------------------


def _strengths(found: Strengths) -> dict[str, Any]:
    """Both sides of a roll that compares strengths, each share itemised; numbers as exact text."""
    told: dict[str, Any] = {}
    for side, shares in (("attack", found.attack), ("defence", found.defence)):
        parts = [
            {
                "who": one.who,
                "value": str(one.value),
                "factors": [_factor(part) for part in telling(one.factors)],
            }
            for one in shares
        ]
        told[side] = {"value": str(found.total(side)), "shares": parts}
    told["column"] = found.column
    columns, why, source = found.shift
    if columns:
        told["shift"] = {"columns": columns, "what": why, "source": source}
    return told


def odds_of(told: dict[str, Any]) -> str:
    """Both strengths and the column that they give."""
    moved = f" ({told['shift']['what']})" if "shift" in told else ""
    return f"{told['attack']['value']} against {told['defence']['value']}: column {told['column']}{moved}"


def _factor(one: Factor) -> dict[str, Any]:
    what = FACTORS.get(one.what, one.what)
    return {
        "sign": one.sign,
        "amount": str(one.amount),
        "what": what.format(*one.counts),
        "source": one.source,
    }


FACTORS = {
    "printed fire": "printed fire value",
    "printed melee": "printed melee value",
    "increments": "increments in {2} ({0} there, at most {1} fire)",
    "men": "increments of {0}",
    "in line": "in line",
    "lance": "lance ({0} × {1} in {2}, {3} of {4} increments)",
    "share": "share of increments ({0} of {1})",
    "multiple": "multiple in {0}",
    "last increment": "at its last increment",
    "disordered": "disordered",
    "guns": "guns in disorder",
    "enemy on top": "at cavalry on top of it",
    "one hexside": "a square, through one hexside",
    "range": "at {0} hexes",
    "fire defence": "{0}, {1} terrain",
    "full line": "{0}, as with {2} or more increments in line, {1} terrain",
    "least defence": "the least there is",
    "canister": "canister",
}
"""What each step of a strength is called; other steps have the label of their rule set."""
