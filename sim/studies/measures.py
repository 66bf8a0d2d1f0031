"""Names of what odds tell, and the aims by which the defender's best response is chosen (0-decisions 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

EVENTS = (
    "charge succeeds",
    "clean success",
    "bounced",
    "target routed",
    "target disordered",
    "target in square",
    "target in order",
    "target eliminated",
    "target surrendered",
    "charger in order",
    "charger routed",
    "charger lost",
    "charger recovered",
    "exhausted",
    "tired",
    "untouched",
)
"""Names of events. Three groups exhaust the cases: the target at the end, the charger's worst state, and its
readiness unless it is lost."""

SUCCEEDS, CLEAN = EVENTS[:2]

SIDES = ("charger", "target")

AIMS = {
    "broken": "least often a success; ties by losses",
    "losses": "least cost: increments lost by the target's side less those lost by the charger's",
    "clean": "least often a clean success; ties by losses",
}
"""What the defender's best response is best at, the default first. The charger chooses against it, where its
plan leaves the choice open."""


def cost(losses: dict[str, Any]) -> Any:
    """What a charge costs the defender in increments: those his side loses less those the charger's side
    loses; `losses` holds both means."""
    return losses["target"] - losses["charger"]


def worth(aim: str, success: Any, clean: Any, losses: dict[str, Any]) -> tuple[Any, ...]:
    """What an aim makes of a response, the least being the best for the defender.

    Parameters
    ----------
    aim
        One of `AIMS`.
    success, clean
        Probabilities 0..1 of `SUCCEEDS` and `CLEAN`.
    losses
        Expected increments lost by each side.

    Returns
    -------
    tuple
        The measure itself first, in probability or increments; then what breaks ties.
    """
    if aim == "losses":
        return (cost(losses),)
    return (success if aim == "broken" else clean, cost(losses))


@dataclass(frozen=True)
class Rival:
    """What another aim would choose.

    Attributes
    ----------
    aim
        The other aim.
    responses
        Its best responses, more than one if they are alike.
    gain
        By how much they are better for it than the response chosen: in probability, or in increments for the
        aim `losses`.
    """

    aim: str
    responses: tuple[str, ...]
    gain: Any


def best_of(aim: str, worths: Mapping[str, Mapping[str, tuple[Any, ...]]]) -> tuple[str, ...]:
    """The best responses for the defender, all that are alike; `worths` holds the worth of each response by
    aim."""
    least = min(one[aim] for one in worths.values())
    return tuple(response for response, one in worths.items() if one[aim] == least)


def rivals(aim: str, worths: Mapping[str, Mapping[str, tuple[Any, ...]]]) -> tuple[Rival, ...]:
    """The other aims that would choose none of the responses that an aim chooses; `worths` as for
    `best_of`."""
    chosen = best_of(aim, worths)
    found = []
    for other in AIMS:
        theirs = best_of(other, worths)
        gain = min(worths[response][other][0] for response in chosen) - worths[theirs[0]][other][0]
        if gain and not set(theirs) & set(chosen):
            found.append(Rival(other, theirs, gain))
    return tuple(found)
