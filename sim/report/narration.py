"""One run told as a player would: who decides, the dice, each modifier with its source, the result, the
consequence."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from sim.ensemble import ladder
from sim.errors import InputError, ScriptError
from sim.inputs import plain
from sim.old import play
from sim.old.dice import Dice, RandomDice, ScriptedDice
from sim.old.journal import Entry, Fact, Journal, Moved
from sim.report.layout import PLAIN
from sim.report.tables import plan_text
from sim.rules.strengths import Factor, Strengths, telling
from sim.rulesets.blocks import Part
from sim.studies import ends
from sim.studies.asked import RUN, SEED, one_of, whole
from sim.studies.asked import rolls as checked_rolls
from sim.studies.measures import AIMS, EVENTS, SIDES
from sim.studies.odds import odds, responses_of
from sim.studies.results import Result
from sim.units.charges import Charge
from sim.units.orders import Variant

if TYPE_CHECKING:
    import pandas as pd

SEGMENT_TITLES = {
    "charge": "Charge",
    "movement": "Movement",
    "defensive-fire": "Defensive fire",
    "offensive-fire": "Offensive fire",
    "melee": "Melee",
    "recovery": "Morale recovery",
}


class Story(dict[str, Any], Result):
    """One run, told: an object as `carre explain --json` prints it, and a text."""

    def heading(self) -> list[str]:
        """The charge, the run, and what both sides chose."""
        how = "scripted rolls" if self["run"] is None else f"run {self['run']} of seed {self['seed']}"
        rules = f"rule set {self['ruleset']} v{self['version']} ({self['digest']}), edition {self['edition']}"
        chosen = f" (best for the defender, aim: {self['aim']})" if self["aim"] else ""
        lines = [
            self["title"],
            f"{rules}; {how}",
            f"response: {self['response']}{chosen}; plan: {plan_text(self['plan'])}",
        ]
        return lines + (
            [f"{self['response']} is refused in this run: {self['refused']}"] if self["refused"] else []
        )

    def summary(self) -> pd.DataFrame:
        """A row a step, in words."""
        import pandas as pd

        return pd.DataFrame(
            {"step": [" ".join(line.strip() for line in _lines(step)) for step in self["steps"]]}
        )

    def to_frame(self) -> pd.DataFrame:
        """A row a step: segment, rule, who, text; and of a roll its kind, roll, modified roll and result."""
        import pandas as pd

        columns = ["segment", "rule", "who", "text", "kind", "roll", "modified", "result"]
        rows = [{name: step.get(name) for name in columns} for step in self["steps"]]
        return pd.DataFrame(rows, columns=columns).astype({"roll": "Int64", "modified": "Int64"})

    def lines(self) -> list[str]:
        """The whole story, in lines as long as they are."""
        return [*self.heading(), "", *tell(self)]

    def __str__(self) -> str:
        return "\n".join(PLAIN.wrap(self.lines()))

    def __repr__(self) -> str:
        return f"<Story: {self['title']}; {self['response']}: {', '.join(self['events'])}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def explain(
    charge: Charge,
    response: str | None = None,
    run: int = 0,
    seed: int = 1,
    rolls: Sequence[int] | str | None = None,
    aim: str = "broken",
    **plan: Any,
) -> Story:
    """Play one run and tell it.

    Parameters
    ----------
    response
        The target's response: by default the charge's own, else the best for the defender.
    run, seed
        Which run of a simulation; the same run in any batch ends the same way.
    rolls
        Given rolls instead: faces 11..66, and 1..6 where one die is rolled, in the order needed; or a text
        such as `24,5`.
    aim
        What the best response is best at, and what an open plan is chosen against (`measures.AIMS`).
    plan
        Other choices of the charger than the charge's own.

    Returns
    -------
    `refused`, why the response was not possible in this run, or None; `steps`, each with segment, rule, who,
    text, roll, modifiers, result; `events` that happened; `losses` by side; `rolls` as used.

    Raises
    ------
    ScriptError
        If given rolls are too few, too many, or not rolls.
    UnknownNameError
        If it is no response of the target.
    """
    one_of("--aim", aim, AIMS)
    run, seed = whole("--run", run, *RUN), whole("--seed", seed, *SEED)
    rolls = None if rolls is None else parse_rolls(rolls) if isinstance(rolls, str) else checked_rolls(rolls)
    asked = charge.response if response is None else response
    response = _response(charge, asked, aim)
    if charge.plan["square"] == "best" and "square" not in plan:
        plan["square"] = odds(charge, response, aim=aim)[response].variant.square
    dice: Dice = RandomDice(seed, run, 1) if rolls is None else ScriptedDice(rolls)
    journal = Journal()
    variant = Variant.of(charge, response, **plan)
    try:
        forces = play(charge, dice, [variant], journal)
        if isinstance(dice, ScriptedDice):
            dice.finish()
    except ScriptError as error:
        error.steps = [_step(entry) for entry in journal.entries]
        if error.decision:
            error.args = tuple(
                str(part).replace(error.decision, _decision(error.decision, charge)) for part in error.args
            )
        raise
    end = ends.ends(forces, tuple(range(len(charge.charger))), len(charge.charger))
    names = [name for name, where in ends.events(end) if where[0]]
    told = {
        "response": response,
        "refused": ends.refusals(charge, forces, [variant])[0],
        "plan": charge.choices | variant.plan(),
        "run": None if rolls is not None else run,
        "seed": None if rolls is not None else seed,
        "steps": [_step(entry) for entry in journal.entries],
        "events": names,
        "losses": {side: int(ends.losses(end, side)[0]) for side in SIDES},
        "rolls": [_face(faces, roll) for _, faces, roll in dice.rolled],
        "aim": aim if asked in ("all", "best") else None,
        "outcomes": [{"name": name, "p": float(name in names), "runs": 1} for name in EVENTS],
    }
    return Story({"title": charge.title, **charge.identity(), **told})


def parse_rolls(text: str) -> list[int]:
    """Rolls as a told run ends with them, such as `24,5` or `none`.

    Raises
    ------
    InputError
        If they are no numbers.
    """
    if text.strip() == "none":  # as a told run without rolls ends
        return []
    rolls = []
    for part in text.replace(",", " ").split():
        roll = plain.integer(part)
        if roll is None:
            form = plain.plain_form(part)
            raise InputError(
                f"--rolls must be rolls such as 43,26,5, got '{text}'" + (f": write {form}" if form else "")
            )
        rolls.append(roll)
    return rolls


def _response(charge: Charge, asked: str, aim: str) -> str:
    if asked in ("all", "best"):
        return odds(charge, "best", aim=aim).best.response
    known = responses_of(charge.attacks[0])
    if asked not in known:
        one_of("--response", asked, (*known, "best"))
    return asked


def _face(faces: int, roll: int) -> int:
    """What the player reads off the dice."""
    if faces == ladder.STEPS:
        return ladder.face_of(roll)
    return roll + 1 if faces == 6 else (1, 2, 3, 4, 6)[roll]


KINDS = {
    "stand": "stand check",
    "carre": "carré",
    "recall": "recall",
    "halt": "recall, to halt",
    "react": "reaction check",
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
}
"""What each kind of decision is called."""


def _kind(decision: str) -> str:
    return KINDS[decision.partition("/")[2].partition("/")[0]]


def _decision(decision: str, charge: Charge) -> str:
    """A decision by its name, in words."""
    names: dict[str, str] = {unit.id: unit.name for unit in charge.units}
    names |= {
        leader.id: leader.name
        for leader in (charge.charger_leader, charge.target_leader)
        if leader is not None
    }
    whom = [names.get(one, one) for one in decision.rpartition("/")[2].split(">")]
    return f"{_kind(decision)} ({' against '.join(whom)})"


def _step(entry: Entry) -> dict[str, Any]:
    text = entry.text if entry.fact is None else wording(entry.fact)
    step: dict[str, Any] = {"segment": entry.segment, "rule": entry.rule, "who": entry.who, "text": text}
    if entry.fact is not None:
        step["fact"] = {name: _plain(value) for name, value in vars(entry.fact).items()}
    if entry.strengths is not None:
        step["strengths"] = _strengths(entry.strengths)
        step["text"] = ", ".join(filter(None, (text, _odds(step["strengths"]))))
    if entry.roll is not None:
        face = _face(entry.faces, entry.roll)
        shift = sum(amount for _, amount, _ in entry.modifiers)
        modified = (
            ladder.shifted(face, shift) if entry.faces == ladder.STEPS else min(max(face + shift, 1), 6)
        )
        step |= {
            "decision": entry.decision,
            "kind": _kind(entry.decision),
            "roll": face,
            "dice": [face // 10, face % 10] if entry.faces == ladder.STEPS else [face],
            "modifiers": [
                {"label": label, "value": value, "source": source} for label, value, source in entry.modifiers
            ],
            "modified": modified,
            "chart": entry.chart,
            "result": entry.result,
        }
    return step


def _plain(value: object) -> object:
    """A value of a fact as JSON has it: a part of an effect by what it does."""
    return (
        {name: one for name, one in vars(value).items() if one != getattr(Part, name)}
        if isinstance(value, Part)
        else value
    )


def wording(fact: Fact) -> str:
    """A fact in words."""
    if isinstance(fact, Moved):
        return f"{'runs' if fact.rout else 'falls back'} {_hexes(fact.hexes)}, {_towards(fact.bearing)}"
    sides = [
        (one, _part(part))
        for one, part in (("attackers", fact.attacker), ("defenders", fact.defender))
        if part
    ]
    sides = [(one, part) for one, part in sides if part]
    if len(sides) == 2 and sides[0][1] == sides[1][1]:
        return f"both sides {sides[0][1]}"
    return "; ".join(f"the {one} {part}" for one, part in sides) or "nothing happens"


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
    "fire defence": "{0}, {1} terrain",
    "full line": "{0}, as with {2} or more increments in line, {1} terrain",
    "least defence": "the least there is",
    "canister": "canister",
}
"""What each step of a strength is called; other steps have the label of their rule set."""


def tell(told: dict[str, Any]) -> list[str]:
    """The lines of an explained run."""
    lines = story(told["steps"])
    lines.append("In the end: " + ", ".join(told["events"]) + ".")
    lines.append(
        f"Increments lost: charger's side {told['losses']['charger']}, target's side "
        f"{told['losses']['target']}."
    )
    lines.append("Rolls: " + (",".join(map(str, told["rolls"])) or "none"))
    return lines


def story(steps: Sequence[dict[str, Any]]) -> list[str]:
    """The lines of a run's steps, segment by segment."""
    lines, segment = [], ""
    for step in steps:
        if step["segment"] != segment:
            segment = step["segment"]
            lines.append(SEGMENT_TITLES[segment])
        lines += _lines(step)
    return lines


def _lines(step: dict[str, Any]) -> list[str]:
    who = f"  [{step['rule']}] {step['who']}"
    if "roll" not in step:
        return [
            f"{who}: {step['text']}"
            if step["who"] not in ("fire", "result")
            else f"  [{step['rule']}] {step['text']}"
        ]
    dice = " and ".join(map(str, step["dice"]))
    lines = [f"{who}: {step['kind']}" + (f", {step['text']}" if step["text"] else "")]
    lines.append(
        f"      rolls {step['roll']} ({dice})"
        + (f", modified to {step['modified']}" if step["modifiers"] else "")
        + f": {step['result']}"
    )
    lines += [f"        {one['value']:+d} {one['label']}  {one['source']}" for one in step["modifiers"]]
    if "strengths" in step:
        lines[1:1] = _comparison(step["strengths"])
    return lines


def _odds(told: dict[str, Any]) -> str:
    moved = f" ({told['shift']['what']})" if "shift" in told else ""
    return f"{told['attack']['value']} against {told['defence']['value']}: column {told['column']}{moved}"


def _comparison(told: dict[str, Any]) -> list[str]:
    """The strengths of both sides, share by share and factor by factor."""
    sides = ((told["attack"]["shares"], ""), (told["defence"]["shares"], "against "))
    lines = [
        line
        for shares, first in sides
        for k, one in enumerate(shares)
        for line in _share(one, "and " if k else first)
    ]
    if "shift" in told:
        columns = told["shift"]["columns"]
        shown = "1 column" if columns == 1 else f"{columns} columns"
        lines.append(f"      {shown} to the right: {told['shift']['what']}  {told['shift']['source']}")
    return lines


def _share(one: dict[str, Any], before: str) -> list[str]:
    head = f"      {before}{one['value']} {one['who']}"
    parts = one["factors"]
    if len(parts) == 1:
        return [f"{head}: {parts[0]['what']}  {parts[0]['source']}".rstrip()]
    return [head, *(f"        {_told(part, k == 0)}" for k, part in enumerate(parts))]


def _told(factor: dict[str, Any], first: bool) -> str:
    sign = "" if first else factor["sign"] if len(factor["sign"]) == 1 else f"{factor['sign']} "
    return f"{sign}{factor['amount']} {factor['what']}  {factor['source']}".rstrip()
