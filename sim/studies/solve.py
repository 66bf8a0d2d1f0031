"""A charge as a game: both sides choose as it goes on, each as well as can be for a stated aim.

One side wants the least of what the other wants the most of, and both see all rolls: so there is one value,
and best play follows by induction from the ends (docs/charge.md 15).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sim.battle.setup import play
from sim.ensemble.games import Choice, Game, GameDice, Pick, Worth
from sim.errors import InputError
from sim.studies import ends
from sim.studies.asked import one_of
from sim.studies.measures import AIMS, CLEAN, SUCCEEDS, cost
from sim.studies.odds import responses_of
from sim.studies.results import Result
from sim.units.charges import Attack, Charge
from sim.units.orders import Variant, usual, variations

if TYPE_CHECKING:
    import pandas as pd

TARGETS_CHOICES = ("react", "carre")
"""What the target's side chooses; all else is the charger's."""

Ends = dict[int, tuple[int, ...]]


@dataclass(frozen=True)
class Decided:
    """A choice that best play comes to.

    Attributes
    ----------
    name
        What is chosen (docs/charge.md 15.1).
    side
        Who chooses: `charger` or `target`.
    unit, about
        Names of the unit that acts, and of the one that it is about.
    known
        What is known then, by name.
    option
        The best option; of equals the first.
    chance
        How probable it is that best play comes here.
    options
        The value of each option, if both go on as well as can be.
    """

    name: str
    side: str
    unit: str
    about: str
    known: Mapping[str, Any]
    option: str
    chance: Fraction
    options: Mapping[str, Fraction]


@dataclass(frozen=True, repr=False)
class Solution(Result):
    """What a charge is worth if both sides play as well as can be.

    Attributes
    ----------
    aim
        One of `measures.AIMS`: the target wants the least of it, the charger the most.
    value
        Probability, or increments for `losses`.
    policy
        The choices that best play comes to, in the order in which they are made.
    responses
        The value if the target settles its response beforehand and the charger plays his best against it.
    planned
        The value if the charger keeps to the plan of the file and the target plays its best against it.
    """

    charge: Charge
    aim: str
    value: Fraction
    policy: tuple[Decided, ...]
    responses: Mapping[str, Fraction]
    planned: Fraction

    def heading(self) -> list[str]:
        """Title and rule set, and the value."""
        return [
            f"{self.charge.title}; {self.charge.played_by}",
            f"solved: {float(self.value):.4f} ({self.aim})",
        ]

    def summary(self) -> pd.DataFrame:
        """A row each for best play, the responses and the plan: the value, and what is lost by it."""
        import pandas as pd

        rows = {name: [f"{float(one):.4f}", f"{float(lost):.4f}"] for name, one, lost in self.rows()}
        return pd.DataFrame.from_dict(rows, orient="index", columns=["value", "loses"])

    def to_frame(self) -> pd.DataFrame:
        """The choices: a row a choice and option, with its value and whether it is picked."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "number": number,
                    "choice": one.name,
                    "side": one.side,
                    "unit": one.unit,
                    "chance": float(one.chance),
                    "option": option,
                    "value": float(worth),
                    "best": option == one.option,
                }
                for number, one in enumerate(self.policy)
                for option, worth in one.options.items()
            ],
            columns=["number", "choice", "side", "unit", "chance", "option", "value", "best"],
        )

    def rows(self) -> list[tuple[str, Fraction, Fraction]]:
        """Best play, each response and the file's plan: its value, and what who keeps to it loses by that."""
        settled = [(name, value, value - self.value) for name, value in self.responses.items()]
        plan = ("plan", self.planned, self.value - self.planned)
        return [("best play", self.value, Fraction(0)), *settled, plan]


def open_game(charge: Charge, measured: Callable[[ends.Codes], Sequence[Any]]) -> tuple[Game, Ends]:
    """The game of a charge, and how its ends are measured: `measured` makes arrays of packed ends, one a
    measure."""
    dice, attack = GameDice(), charge.attacks[0]
    variant = Variant.of(attack, "stand", square=usual(attack).square, open=True)
    played = play(charge, dice, variations(charge, [variant]))
    measures = measured(ends.ends(played))
    return dice.game, {
        position: tuple(int(one[lane]) for one in measures) for lane, position in enumerate(dice.position)
    }


def responds(charge: Charge, response: str, choice: Choice) -> str:
    """What a fixed response chooses of what the target's side has."""
    if choice.name == "carre":
        return "try" if response == f"carre@{choice.known['hexes']}" else "wait"
    target = charge.number(charge.attacks[0].target[0].id)
    return "react" if response == "react" or choice.about != target else "wait"


def planned(plan: Mapping[str, Any], choice: Choice) -> str:
    """What a charger's plan chooses."""
    known = choice.known
    if choice.name == "halt":
        return "halt" if known.get(plan["no_target"]) else "ride on"
    if choice.name == "no_target":
        pursues = plan["no_target"] == "ride on" or (plan["no_target"] == "reach" and known["reach"])
        return "pursue" if pursues else "stop"
    return str(plan["after_halt" if choice.name == "melee" else choice.name])


def solve(charge: Charge, aim: str = "broken") -> Solution:
    """A charge with both sides at their best.

    Parameters
    ----------
    aim
        What the target wants least of and the charger most (`measures.AIMS`); ties as for a response.

    Raises
    ------
    InputError
        If the aim is none, or there are several charges.
    LaneLimitError
        If there is too much to count.
    """
    one_of("--aim", aim, AIMS)
    if len(charge.attacks) > 1:
        raise InputError(f"--solve plays one charge, {charge.document.name} has {len(charge.attacks)}")
    attack = charge.attacks[0]
    game, measured = open_game(charge, lambda codes: _measures(aim, codes))
    worths, picked = game.induct(measured, _best)
    chances = game.chances(0, picked)

    def value(pick: Pick) -> Fraction:
        return game.induct(measured, pick)[0][0].fractions()[0]

    policy = tuple(
        _decided(charge, game, worths, position, picked[position], chances[position])
        for position in sorted(game.choices)
        if chances[position]
    )
    responses = {
        response: value(_answering(charge, response))
        for response in responses_of(attack)
        if response == "stand" or _offered(charge, game, response)
    }
    plan = value(_planning(attack))
    return Solution(charge, aim, worths[0].fractions()[0], policy, responses, plan)


def _measures(aim: str, codes: ends.Codes) -> list[Any]:
    """What the charger wants most of, then what breaks ties."""
    lost = cost({side: ends.losses(codes, side) for side in ("target", "charger")})
    return [lost] if aim == "losses" else [ends.happened(codes, SUCCEEDS if aim == "broken" else CLEAN), lost]


def _best(_: int, choice: Choice, worths: Sequence[Worth]) -> int:
    """The best option, for whose choice it is; of equals the first."""
    told = [worth.fractions() for worth in worths]
    return told.index(min(told) if choice.name in TARGETS_CHOICES else max(told))


def _answering(charge: Charge, response: str) -> Pick:
    """A fixed response, against the charger's best."""

    def pick(position: int, choice: Choice, worths: Sequence[Worth]) -> int:
        if choice.name in TARGETS_CHOICES:
            return choice.options.index(responds(charge, response, choice))
        return _best(position, choice, worths)

    return pick


def _planning(attack: Attack) -> Pick:
    """The plan of the file, against the target's best; what it leaves open, the charger chooses."""

    def pick(position: int, choice: Choice, worths: Sequence[Worth]) -> int:
        left = choice.name == "square" and attack.plan["square"] == "best"
        if choice.name in TARGETS_CHOICES or left:
            return _best(position, choice, worths)
        return choice.options.index(planned(attack.plan, choice))

    return pick


def _offered(charge: Charge, game: Game, response: str) -> bool:
    """Whether the target may ever do what a response is."""
    does = "react" if response == "react" else "try"
    waits = [one for one in game.choices.values() if one.name in TARGETS_CHOICES and does in one.options]
    target = charge.number(charge.attacks[0].target[0].id)
    return any(responds(charge, response, one) == does for one in waits if one.about == target)


def _decided(
    charge: Charge, game: Game, worths: Sequence[Worth], position: int, picked: int, chance: Fraction
) -> Decided:
    """A choice with the value of each of its options."""
    choice, ways = game.choices[position], game.ways[position]
    return Decided(
        choice.name,
        "target" if choice.name in TARGETS_CHOICES else "charger",
        charge.units[choice.by].name,
        charge.units[choice.about].name,
        choice.known,
        choice.options[picked],
        chance,
        {
            option: worths[after].fractions()[0]
            for option, (_, after) in zip(choice.options, ways, strict=True)
        },
    )
