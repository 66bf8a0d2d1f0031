"""What happens in a charge, for explained runs. The rules word nothing: reports do."""

from __future__ import annotations

from dataclasses import dataclass

from sim.combat.told import Rolled
from sim.units.record import Event


@dataclass(frozen=True)
class Charges(Event):
    """The charge is made."""

    goal: int
    points: int


@dataclass(frozen=True)
class SeesNothing(Event):
    """It does not see its goal and stays where it is."""

    goal: int


@dataclass(frozen=True)
class Declares(Event):
    """The goal is the target of the charge from now on."""

    goal: int


@dataclass(frozen=True)
class Passes(Event):
    """The goal is not straight ahead at two hexes, and so is passed."""

    goal: int


@dataclass(frozen=True)
class StaysBehind(Event):
    """A regiment has no points left for the next step."""


@dataclass(frozen=True)
class Stuck(Event):
    """The charge can go no farther."""


NO_TARGET, OUT_OF_REACH, BREAKS_OFF, AWAY = range(4)
"""Why a charger halts: it has no target, cannot reach its goal, breaks off, or has turned away and gone its
way."""


@dataclass(frozen=True)
class Halts(Event):
    """The charger halts of its own will, or would: then it must be recalled first.

    `why`: `NO_TARGET` and so on.
    """

    why: int
    goal: int
    free: bool


@dataclass(frozen=True)
class RecalledToHalt(Event):
    """Whether one that would halt is recalled and halts, or rides on."""

    recalled: bool


@dataclass(frozen=True)
class Turns(Event):
    """It turns to another unit; -1: away."""

    to: int


@dataclass(frozen=True)
class WillRideOver(Event):
    """It means to ride over the goal's square."""


@dataclass(frozen=True)
class RidesOntoSquare(Event):
    """It rides onto a square in its way."""


@dataclass(frozen=True)
class RidesOffSquare(Event):
    """It rides off the last square."""


# ---- reaction and carré


@dataclass(frozen=True)
class Reacts(Event):
    """Whether cavalry reacts, or stands where it is."""

    reacts: bool


@dataclass(frozen=True)
class Meets(Event):
    """A reactor meets the charge: both stop."""


@dataclass(frozen=True)
class CarreRefused(Event):
    """A unit may not try carré: a number of `rules.carre.REFUSALS`."""

    reason: int


@dataclass(frozen=True)
class CarreRolled(Rolled):
    """A carré attempt: the formation it starts from, and the column of its row, 1 to 4."""

    formation: int
    distance: int


@dataclass(frozen=True)
class FormsSquare(Event):
    """The attempt succeeds."""


@dataclass(frozen=True)
class Disordered(Event):
    """The attempt disorders the unit."""


@dataclass(frozen=True)
class Routs(Event):
    """The attempt routs the unit."""


@dataclass(frozen=True)
class Abandoned(Event):
    """Guns are left without a crew."""


# ---- contact


@dataclass(frozen=True)
class MayNotAttack(Event):
    """The charger may not attack its goal: it passed it, or its type does not charge such troops."""

    goal: int
    passed: bool


@dataclass(frozen=True)
class Contacts(Event):
    """It comes into contact with its goal, without a roll."""

    goal: int


@dataclass(frozen=True)
class RidesOnto(Event):
    """It rides onto the hex of its goal, a square or Masse."""

    goal: int


@dataclass(frozen=True)
class TakesShelter(Event):
    """Skirmishers take shelter with a formation beside them."""

    host: int


@dataclass(frozen=True)
class Caught(Event):
    """Skirmishers find no shelter and rout."""


@dataclass(frozen=True)
class RiddenDown(Event):
    """Guns are lost under the charge."""


@dataclass(frozen=True)
class Stands(Event):
    """The target stands: the charge is halted."""


@dataclass(frozen=True)
class FailsToStand(Event):
    """The target fails to stand and routs."""


@dataclass(frozen=True)
class Tramples(Event):
    """The charger rides the routers down."""


@dataclass(frozen=True)
class RecallRolled(Rolled):
    """A recall roll: the regiment that leads, the die that its row of the chart needs, and what the row is
    called."""

    lead: int
    needs: int
    row: str


@dataclass(frozen=True)
class Recalled(Event):
    """What came of the recall after the rout of the target."""

    recalled: bool
    chases: bool
    follows: bool


@dataclass(frozen=True)
class RoutsWithoutContact(Event):
    """A regiment spent its allowance without contact and routs where it stands."""
