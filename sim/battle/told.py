"""What the battle tells of a run: events of melees, recovery, guns left behind."""

from __future__ import annotations

from sim.combat.told import Rolled
from sim.rulesets.blocks import Part
from sim.units.record import Event


class Fought(Rolled):
    """The roll of a melee; the unit is the top defender, `lead` the regiment that leads the attack."""

    lead: int


class MeleeResult(Event):
    """What a result in letters does to each side, as the rule set says it; the unit is the top defender."""

    attacker: Part | None
    defender: Part | None


class CameOff(Event):
    """Cavalry leaves an enemy's hex."""


class GotAway(Event):
    """A unit retreats before the melee."""


class ChaseOver(Event):
    """A charge that was not recalled routs where it stands; the unit leads it."""


class Recovered(Event):
    """A unit is in good order again, in a `vocabulary.Formation`."""

    formation: int


class Unrecovered(Event):
    """A unit does not recover, and loses increments for it: why, and where that stands."""

    label: str
    source: str


class Manned(Event):
    """Guns have a crew again."""


class GunsTaken(Event):
    """Abandoned guns are lost to an enemy next to them."""


class LevelReached(Event):
    """An organisation has another morale level; the unit is its first battalion."""

    organisation: str
    level: int


class LeaderJoins(Event):
    """A leader, by name, goes to a unit."""

    leader: str


class LeaderBack(LeaderJoins):
    """A leader is back."""


class LeaderCaptured(LeaderJoins):
    """A leader is captured; the unit is the one that he was with."""


class Rested(Event):
    """Cavalry has recovered readiness, to a `vocabulary.Readiness`."""

    readiness: int


class Refuge(Event):
    """A routed unit far from every enemy goes to shelter; `hexes` away, 0 where there is none and it
    stays."""

    hexes: int


class Enters(Event):
    """A reinforcement comes onto the map."""


class Marched(Event):
    """A unit has marched.

    Attributes
    ----------
    hexes
        How far from where it stood it is.
    bearing
        In which direction from there, in degrees to the right of where it faced: -180 to 180.
    """

    hexes: int
    bearing: int


class Formed(Event):
    """A unit takes a `vocabulary.Formation`, in two hexes or in one."""

    formation: int
    two: bool


class Turned(Event):
    """A unit turns by so many hexsides, to the right, or to the left if they are less than 0."""

    hexsides: int


class LeavesMap(Event):
    """A unit leaves the map of its own will."""
