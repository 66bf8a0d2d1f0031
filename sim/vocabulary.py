"""One coding of arms, formations, states, readiness, zones, segments and reasons: for files, rules, engine
and reports alike.

Each coding is an enumeration: its members' numbers stand in the arrays, its words in files and reports. What
works on arrays takes the plain numbers below the enumerations: NumPy takes a member for a foreign object, is
slower with it, and widens int16 to int64.
"""

from __future__ import annotations

from enum import IntEnum


class Coding(IntEnum):
    """Numbers with their words."""

    @property
    def word(self) -> str:
        """As files and reports write it."""
        return self.name.lower().replace("_", " ")

    @classmethod
    def words(cls) -> tuple[str, ...]:
        """All words, in the order of the numbers.

        >>> Arm.words()
        ('infantry', 'cavalry', 'artillery')
        """
        return tuple(one.word for one in cls)


class Arm(Coding):
    """Arm of a unit."""

    INFANTRY, CAVALRY, ARTILLERY = range(3)


class Kind(Coding):
    """Arm of a unit, its cavalry apart by weight: what orientation and the multipliers ask for."""

    INFANTRY, LIGHT_CAVALRY, HEAVY_CAVALRY, ARTILLERY = range(4)


class Formation(Coding):
    """Formation of a unit."""

    COLUMN, LINE, SQUARE, SKIRMISH, GENERAL_ORDER, MASSE, ROAD_MARCH, LIMBERED, UNLIMBERED = range(9)


class State(Coding):
    """State of a unit; `gone` is off the map."""

    GOOD, DISORDERED, ROUTED, GONE = range(4)


class Readiness(Coding):
    """Readiness of cavalry."""

    FRESH, TIRED, EXHAUSTED = range(3)


class Reason(Coding):
    """Why a unit is gone; `none` while it is not. Who left by an exit, or is awaited, is not lost."""

    NONE, ELIMINATED, SURRENDERED, ABANDONED, ROUTED_OFF, LEFT, AWAITED = range(7)


class Zone(Coding):
    """Zone of a unit that a hexside or a hex next to it belongs to."""

    FRONT, FLANK, REAR = range(3)


class Segment(Coding):
    """Segment of a player's half turn, in order."""

    CHARGE, MOVEMENT, DEFENSIVE_FIRE, OFFENSIVE_FIRE, MELEE, RECOVERY = range(6)

    @property
    def word(self) -> str:
        """As decisions and reports write it."""
        return self.name.lower().replace("_", "-")


INFANTRY, CAVALRY, ARTILLERY = map(int, Arm)
COLUMN, LINE, SQUARE, SKIRMISH, GENERAL_ORDER, MASSE, ROAD_MARCH, LIMBERED, UNLIMBERED = map(int, Formation)
GOOD, DISORDERED, ROUTED, GONE = map(int, State)
FRESH, TIRED, EXHAUSTED = map(int, Readiness)
ELIMINATED, SURRENDERED, ABANDONED, ROUTED_OFF, LEFT, AWAITED = (int(one) for one in Reason if one)
FRONT, FLANK, REAR = map(int, Zone)

ARMS, KINDS, FORMATIONS, READINESS, ZONES, SEGMENTS = (
    one.words() for one in (Arm, Kind, Formation, Readiness, Zone, Segment)
)
"""The words of each coding, by number."""
INFANTRY_FORMATIONS, ARTILLERY_FORMATIONS = FORMATIONS[:LIMBERED], FORMATIONS[LIMBERED:]
ASSAULT_FORMATIONS = tuple(one for one in INFANTRY_FORMATIONS if one not in ("square", "road march"))
"""Formations from which infantry assaults."""
CAVALRY_FORMATIONS = FORMATIONS[: LINE + 1]
LIMBER_CLASSES = ("foot", "light", "horse", "heavy", "guard", "guard horse", "cossack")
"""Classes of batteries, for the roll that limbers them."""
STATES = State.words()[:GONE]
"""The states that a unit on the map may have."""
