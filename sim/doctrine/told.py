"""What players decide, told: each decision with the number it was taken on, and the number of the style that
it was held against."""

from __future__ import annotations

from sim.units.record import Event

PLAN = "plan"
"""In place of a rule's number: what a player decides is no rule."""


class Decided(Event):
    """A decision about a unit: what is there (`has`), and what the style asks for (`wants`)."""

    has: float
    wants: float


class Against(Decided):
    """A decision about an enemy, unit number `foe`."""

    foe: int


class Gathers(Against):
    """A unit goes with others against the hex of an enemy; by increments, to one."""


class Storms(Against):
    """A unit assaults; by increments of all who could, to one, and the chance that the defenders break."""

    chance: float


class DoesNotStorm(Against):
    """A unit could assault, and does not; by increments of all who could, to one."""


class TooRisky(Against):
    """A unit could assault, and does not; the chance that the defenders break."""


class ChargesAt(Against):
    """Cavalry means to charge: its riders to what the style asks for against such a target, which is 1."""


class GivesWay(Decided):
    """A unit retreats before a melee: enemies next to it, to one of its own."""


class Stays(Decided):
    """A unit does not retreat before a melee."""


class GoesUp(Decided):
    """A reserve goes up: hexes to the nearest enemy."""


class Relieves(Decided):
    """A reserve goes up: the share of the infantry in front that is worn."""


class WaitedEnough(Decided):
    """A reserve goes up: turns."""


class DrawsBack(Decided):
    """A unit is beaten, and pulled out: its share of increments left."""


class DrawsBackByLevel(Decided):
    """A unit is pulled out since its organisation is at a morale level."""


class TakesLine(Decided):
    """Infantry takes line: hexes to the nearest enemy."""


class OpensOrder(Decided):
    """Infantry that screens takes skirmish order: hexes to the nearest enemy."""


class Unlimbers(Decided):
    """Guns unlimber: hexes to the nearest enemy."""


class Follows(Decided):
    """Guns limber to come forward: hexes to the nearest enemy."""
