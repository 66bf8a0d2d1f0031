"""One run told as a player would: who decides, the dice, each modifier with its source, the result, the
consequence."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from sim.battle.setup import Played, play, prepare
from sim.ensemble.dice import Dice, RandomDice, ScriptedDice
from sim.errors import InputError, ScriptError
from sim.inputs import plain
from sim.report.layout import PLAIN
from sim.report.tables import plan_text
from sim.report.wording import KINDS, face_of, steps_of
from sim.studies import ends
from sim.studies.asked import RUN, SEED, one_of, whole
from sim.studies.asked import rolls as checked_rolls
from sim.studies.measures import AIMS, EVENTS, SIDES
from sim.studies.odds import odds, responses_of
from sim.studies.results import Result
from sim.units.charges import Charge
from sim.units.orders import Variant, variations
from sim.units.record import Recorder

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

TOLD = ("response", "refused", "plan", "run", "seed", "steps", "events", "losses", "rolls", "aim", "outcomes")
"""What is told of a run, beside its charge, in this order."""


class Story(dict[str, Any], Result):
    """One run, told: an object as `carre explain --json` prints it, and a text."""

    def heading(self) -> list[str]:
        """The charge, the run, and what both sides chose."""
        how = "scripted rolls" if self["run"] is None else f"run {self['run']} of seed {self['seed']}"
        rules = f"rule set {self['ruleset']} v{self['version']} ({self['digest']}), edition {self['edition']}"
        lines = [self["title"], f"{rules}; {how}"]
        for one in self.charges:
            chosen = f" (best for the defender, aim: {one['aim']})" if one["aim"] else ""
            told = f"{_which(one)}{one['charger']} at {one['target']}; " if "charge" in one else ""
            lines.append(f"{told}response: {one['response']}{chosen}; plan: {plan_text(one['plan'])}")
            if one["refused"]:
                lines.append(f"{_which(one)}{one['response']} is refused in this run: {one['refused']}")
        return lines

    @property
    def charges(self) -> list[dict[str, Any]]:
        """What is told of each charge of the half alone; of a single charge the story itself."""
        return self.get("charges") or [self]

    def summary(self) -> pd.DataFrame:
        """A row a step, in words."""
        import pandas as pd

        return pd.DataFrame(
            {"step": [" ".join(line.strip() for line in step_lines(step)) for step in self["steps"]]}
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
        each = (f"{_which(one)}{one['response']}: {', '.join(one['events'])}" for one in self.charges)
        return f"<Story: {self['title']}; {'; '.join(each)}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def explain(
    charge: Charge,
    response: str | None = None,
    run: int = 0,
    seed: int = 1,
    rolls: Sequence[int] | str | None = None,
    aim: str = "broken",
    number: int | None = None,
    **plan: Any,
) -> Story:
    """Play one run and tell it.

    Parameters
    ----------
    response
        The target's response: by default the charge's own, else the best for the defender. Of several charges
        every target does it, as in `odds`, unless a `number` is given.
    run, seed
        Which run of a simulation; the same run in any batch ends the same way.
    rolls
        Given rolls instead: faces 11..66, and 1..6 where one die is rolled, in the order needed; or a text
        such as `24,5`.
    aim
        What the best response is best at, and what an open plan is chosen against (`measures.AIMS`).
    number
        Of several charges the one that is asked about, from 1 (the first by default): the response is that of
        its target, and what is open is settled for it alone. The others do what their file says
        (`orders.usual`).
    plan
        Other choices of the charger that is asked about than the charge's own.

    Returns
    -------
    `refused`, why the response was not possible in this run, or None; `steps`, each with segment, rule, who,
    text, roll, modifiers, result; `events` that happened; `losses` by side; `rolls` as used. Of several
    charges response, refusal, plan and events of each are in the list `charges`.

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
    if response is not None and number is None and len(charge.attacks) > 1:
        charge = charge.answered(response)
    which = 0 if number is None else whole("--charge", number, 1, len(charge.attacks)) - 1
    asked = charge.attacks[which].response if response is None else response
    (variation,) = variations(charge, [_variant(charge, which, asked, aim, plan)], which)
    dice: Dice = RandomDice(seed, run, 1) if rolls is None else ScriptedDice(rolls)
    recorder = Recorder()
    try:
        played = play(charge, dice, [variation], recorder)
        if isinstance(dice, ScriptedDice):
            dice.finish()
    except ScriptError as error:
        error.steps = steps_of(recorder.entries, prepare(charge, [variation])[0])
        if error.decision:
            error.args = tuple(
                str(part).replace(error.decision, _decision(error.decision, charge)) for part in error.args
            )
        raise
    each = [_ending(charge, played, one, variant) for one, variant in enumerate(variation)]
    for one in each:
        one["aim"] = None
    each[which]["aim"] = aim if asked in ("all", "best") else None
    end = ends.ends(played)
    run_told = {
        "run": None if rolls is not None else run,
        "seed": None if rolls is not None else seed,
        "steps": steps_of(recorder.entries, played.forces),
        "losses": {side: int(ends.losses(end, side)[0]) for side in SIDES},
        "rolls": [face_of(faces, roll) for _, faces, roll in dice.rolled],
        "outcomes": each[which]["outcomes"],
    }
    of_all = (
        {name: (each[0] | run_told)[name] for name in TOLD}
        if len(each) == 1
        else {"charges": each} | run_told
    )
    return Story({"title": charge.title, **charge.identity(), **of_all})


def _variant(charge: Charge, number: int, asked: str, aim: str, plan: dict[str, Any]) -> Variant:
    """What both sides do in one of the charges: an open response is the best for the defender, an open plan
    the worst."""
    attack = charge.attacks[number]
    if asked in ("all", "best"):
        response = odds(charge, "best", aim=aim, number=number).best.response
    else:
        known = responses_of(attack)
        if asked not in known:
            one_of("--response", asked, (*known, "best"))
        response = asked
    if attack.plan["square"] == "best" and "square" not in plan:
        plan = plan | {"square": odds(charge, response, aim=aim, number=number)[response].variant.square}
    return Variant.of(attack, response, **plan)


def _ending(charge: Charge, played: Played, number: int, variant: Variant) -> dict[str, Any]:
    """What is told of one of the charges alone."""
    attack, end = charge.attacks[number], ends.ends(played, number)
    names = [name for name, where in ends.events(end) if where[0]]
    told = {"charge": number + 1, "charger": attack.charger[0].name, "target": attack.target[0].name}
    return (told if len(charge.attacks) > 1 else {}) | {
        "response": variant.response,
        "refused": ends.refusals(charge, played, [variant], number)[0],
        "plan": charge.choices_of(attack) | variant.plan(),
        "events": names,
        "outcomes": [{"name": name, "p": float(name in names), "runs": 1} for name in EVENTS],
    }


def _which(told: dict[str, Any]) -> str:
    """Which of several charges it is, before what is told of it."""
    return f"charge {told['charge']}: " if "charge" in told else ""


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


def _decision(decision: str, charge: Charge) -> str:
    """A decision as it is shown, in words."""
    names: dict[str, str] = {unit.id: unit.name for unit in charge.units}
    names |= {leader.id: leader.name for leader, _ in charge.leaders if leader is not None}
    _, kind, who = decision.partition("#")[0].split("/")
    whom = [names.get(one, one) for one in who.split(">")]
    return f"{KINDS[kind]} ({' against '.join(whom if kind == 'melee' else whom[-1:])})"


def tell(told: dict[str, Any]) -> list[str]:
    """The lines of an explained run."""
    lines = story(told["steps"])
    for one in told.get("charges") or [told]:
        which = f", charge {one['charge']}" if "charge" in one else ""
        lines.append(f"In the end{which}: " + ", ".join(one["events"]) + ".")
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
        lines += step_lines(step)
    return lines


def step_lines(step: dict[str, Any]) -> list[str]:
    """The lines of one step: who and what, and of a roll the dice with every modifier."""
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
