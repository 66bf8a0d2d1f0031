"""One run told as a player would: who decides, the dice, each modifier with its source, the result, the consequence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sim import ladder
from sim.battle import play
from sim.battle.journal import Entry, Journal
from sim.dice import Dice, RandomDice, ScriptedDice
from sim.doctrine import Variant
from sim.errors import ScriptError
from sim.measures import EVENTS
from sim.outcomes import events, losses
from sim.scenarios import Charge

SEGMENT_TITLES = {
    "charge": "Charge",
    "movement": "Movement",
    "defensive-fire": "Defensive fire",
    "offensive-fire": "Offensive fire",
    "melee": "Melee",
    "recovery": "Morale recovery",
}


def explain(charge: Charge, response: str, run: int = 0, seed: int = 1, rolls: Sequence[int] | None = None, **plan: Any) -> dict[str, Any]:
    """Play one run and tell it.

    Parameters
    ----------
    response
        The target's response.
    run, seed
        Which run of a simulation; the same run in any batch ends the same way.
    rolls
        Given rolls instead: faces 11..66, and 1..6 where one die is rolled, in the order needed.

    Returns
    -------
    `steps`, each with segment, rule, who, text, roll, modifiers, result; `events` that happened; `losses` by side; `rolls` as used.

    Raises
    ------
    ScriptError
        If given rolls are too few, too many, or not rolls.
    """
    dice: Dice = RandomDice(seed, run, 1) if rolls is None else ScriptedDice(rolls)
    journal = Journal()
    variant = Variant.of(charge, response, **plan)
    try:
        forces = play(charge, dice, [variant], journal)
        if isinstance(dice, ScriptedDice):
            dice.finish()
    except ScriptError as error:
        error.steps = [_step(entry) for entry in journal.entries]
        raise
    happened = events(forces, tuple(range(len(charge.charger))), len(charge.charger))
    return {
        "response": response,
        "plan": {"square": variant.square, "after_halt": variant.after_halt, "recalled": variant.recalled, "preserve": variant.preserve},
        "run": None if rolls is not None else run,
        "seed": None if rolls is not None else seed,
        "steps": [_step(entry) for entry in journal.entries],
        "events": [name for name in EVENTS if happened[name][0]],
        "losses": {side: int(values[0]) for side, values in losses(forces).items()},
        "rolls": [_face(faces, roll) for _, faces, roll in dice.rolled],
    }


def _face(faces: int, roll: int) -> int:
    """What the player reads off the dice."""
    if faces == ladder.STEPS:
        return ladder.face_of(roll)
    return roll + 1 if faces == 6 else (1, 2, 3, 4, 6)[roll]


KINDS = {
    "stand": "stand check",
    "carre": "carré",
    "recall": "recall",
    "react": "reaction check",
    "charge-check": "check before the charge",
    "guns": "gunners' check",
    "contagion": "check, since another unit of its hex failed",
    "fire": "fire",
    "loss-check": "check for its losses",
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


def _step(entry: Entry) -> dict[str, Any]:
    step: dict[str, Any] = {"segment": entry.segment, "rule": entry.rule, "who": entry.who, "text": entry.text}
    if entry.roll is not None:
        face = _face(entry.faces, entry.roll)
        shift = sum(amount for _, amount, _ in entry.modifiers)
        modified = ladder.shifted(face, shift) if entry.faces == ladder.STEPS else min(max(face + shift, 1), 6)
        step |= {
            "decision": entry.decision,
            "kind": KINDS[entry.decision.partition("/")[2].partition("/")[0]],
            "roll": face,
            "dice": [face // 10, face % 10] if entry.faces == ladder.STEPS else [face],
            "modifiers": [{"label": label, "value": value, "source": source} for label, value, source in entry.modifiers],
            "modified": modified,
            "chart": entry.chart,
            "result": entry.result,
        }
    return step


def tell(told: dict[str, Any]) -> list[str]:
    """The lines of an explained run."""
    lines = story(told["steps"])
    lines.append("In the end: " + ", ".join(told["events"]) + ".")
    lines.append(f"Increments lost: charger's side {told['losses']['charger']}, target's side {told['losses']['target']}.")
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
        return [f"{who}: {step['text']}" if step["who"] not in ("fire", "result") else f"  [{step['rule']}] {step['text']}"]
    dice = " and ".join(map(str, step["dice"]))
    lines = [f"{who}: {step['kind']}" + (f", {step['text']}" if step["text"] else "")]
    lines.append(f"      rolls {step['roll']} ({dice})" + (f", modified to {step['modified']}" if step["modifiers"] else "") + f": {step['result']}")
    lines += [f"        {one['value']:+d} {one['label']}  {one['source']}" for one in step["modifiers"]]
    return lines
