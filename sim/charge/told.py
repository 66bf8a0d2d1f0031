"""What happens in a charge, for explained runs. The rules word nothing: reports do."""

from __future__ import annotations

from sim.combat.told import Rolled
from sim.units.record import Event


class Charges(Event):
    """The charge is made."""

    goal: int
    points: int


class SeesNothing(Event):
    """It does not see its goal and stays where it is."""

    goal: int


class Declares(Event):
    """The goal is the target of the charge from now on."""

    goal: int


class DoesNotDeclare(Event):
    """The goal is straight ahead at two hexes, but not in sight, and so is not declared."""

    goal: int


class Passes(Event):
    """The goal is not straight ahead at two hexes, and so is passed."""

    goal: int


class StaysBehind(Event):
    """A regiment has no points left for the next step."""


class Stuck(Event):
    """The charge can go no farther."""


NO_TARGET, OUT_OF_REACH, BREAKS_OFF, AWAY = range(4)
"""Why a charger halts: it has no target, cannot reach its goal, breaks off, or has turned away and gone its
way."""


class Halts(Event):
    """The charger halts of its own will, or would: then it must be recalled first.

    `why`: `NO_TARGET` and so on.
    """

    why: int
    goal: int
    free: bool


class RecalledToHalt(Event):
    """Whether one that would halt is recalled and halts, or rides on."""

    recalled: bool


class Turns(Event):
    """It turns to another unit; -1: away."""

    to: int


class WillRideOver(Event):
    """It means to ride over the goal's square."""


class RidesOntoSquare(Event):
    """It rides onto a square in its way."""


class RidesOffSquare(Event):
    """It rides off the last square."""


# ---- reaction and carré


class Reacts(Event):
    """Whether cavalry reacts, or stands where it is."""

    reacts: bool


class Meets(Event):
    """A reactor meets the charge: both stop."""


class CarreRefused(Event):
    """A unit may not try carré: a number of `rules.carre.REFUSALS`."""

    reason: int


class CarreRolled(Rolled):
    """A carré attempt: the formation it starts from, and the column of its row, 1 to 4."""

    formation: int
    distance: int


class FormsSquare(Event):
    """The attempt succeeds."""


class Disordered(Event):
    """The attempt disorders the unit."""


class Routs(Event):
    """The attempt routs the unit."""


class Abandoned(Event):
    """Guns are left without a crew."""


class Opportunity(Event):
    """Whether cavalry charges a unit that moves before its front, or stands where it is."""

    goal: int
    charges: bool


# ---- contact


class MayNotAttack(Event):
    """The charger may not attack its goal: it passed it, or its type does not charge such troops."""

    goal: int
    passed: bool


class Contacts(Event):
    """It comes into contact with its goal, without a roll."""

    goal: int


class RidesOnto(Event):
    """It rides onto the hex of its goal, a square or Masse."""

    goal: int


class TakesShelter(Event):
    """Skirmishers take shelter with a formation beside them."""

    host: int


class Caught(Event):
    """Skirmishers find no shelter and rout."""


class RiddenDown(Event):
    """Guns are lost under the charge."""


class Stands(Event):
    """The target stands: the charge is halted."""


class FailsToStand(Event):
    """The target fails to stand and routs."""


class Tramples(Event):
    """The charger rides the routers down."""


class RecallRolled(Rolled):
    """A recall roll: the regiment that leads, the die that its row of the chart needs, and what the row is
    called."""

    lead: int
    needs: int
    row: str


class Recalled(Event):
    """What came of the recall after the rout of the target."""

    recalled: bool
    chases: bool
    follows: bool


class RoutsWithoutContact(Event):
    """A regiment spent its allowance without contact and routs where it stands."""
