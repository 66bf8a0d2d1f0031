"""What is remembered of one charge: what the rest of the half reads, and what only the ride itself needs."""

from __future__ import annotations

from sim.ensemble.frames import (
    Flag,
    Flags,
    Frame,
    Row,
    Rows,
    flag_per_lane,
    flag_per_unit,
    per_lane,
    per_place,
    per_unit,
)
from sim.rules.carre import BROKEN, REFUSALS
from sim.rules.recall import AWAY as NOT_RECALLED

(
    OVER,
    MARCH,
    TURNED,
    CONTACT,
    RIDE,
    STEPPING,
    ONTO,
    STANDING,
    ROUTING,
    FOLLOW,
    ARRIVED,
    HALTING,
    WAITING,
) = range(13)
"""Stages of a charge: over (or not made); on the march; just turned another way; next to its goal; next to
the square of its goal that it means to ride over; bound to a step onto somebody; to a step onto the square
that stood; its target is about to check, to rout; after the routers; come to an end of that; asking to be
recalled; to set out later, so that charges of all lanes come to their goals together."""

FIRST, SECOND, AWAY = range(3)
"""Legs of a charge: toward its first goal, toward the second, away from both."""

TARGET, PASSED = 1, 2
"""Declared the target of the charge, or passed by it; 0 neither."""

TRIED, REACTING, MET = 1, 2, 3
"""Of a reactor: it was asked in vain, is on its way, has met the charge; 0 not asked."""


class ChargeState(Frame):
    """One charge, as the rest of the half asks for it. Open until the half ends."""

    by: Row = per_lane("the first regiment that was declared: every decision is known by it; -1 for none", -1)
    plan: Row = per_lane("which of the plans it follows")
    route: Rows = per_place("which of the routes each leg follows", 3)
    target_hex: Row = per_lane("the hex that is charged, as it was declared")
    stack: Flags = flag_per_unit("was declared to charge")
    of_hex: Flags = flag_per_unit("stood in the hex that is charged when it was declared")
    made: Flag = flag_per_lane("the charge is made")
    lead: Row = per_lane("the regiment that leads, -1 where the charge is not made", -1)
    goal: Row = per_lane("the unit it means to reach: of its target, or the second one", -1)
    target: Row = per_lane("the top unit of its target when its turn comes", -1)
    hit: Flag = flag_per_lane("its target, or the second goal, was hit by it")
    turned: Flag = flag_per_lane("its goal is the second one")
    opponent: Row = per_lane("the unit that it melees, -1 for none", -1)
    opponent_hex: Row = per_lane("where that unit stood when the charge ended, -1 for none", -1)
    bonus: Flag = flag_per_lane("it has the bonus of a charge (x2 in the melee)")
    compulsory: Flag = flag_per_lane("the melee must be fought")
    unchecked: Flag = flag_per_lane("contact without a check: the ordinary pre-melee check is still to come")
    chasing: Flag = flag_per_lane("was not recalled, and chases")
    bounced: Flag = flag_per_lane("a blank melee result sent it back")
    attempt: Row = per_lane("what the carré attempt of its target gave (`rules.carre`)", high=BROKEN)
    refused: Row = per_lane("why its target could not try (`rules.carre`)", high=len(REFUSALS) - 1)
    after_halt: Row = per_lane("plan: a `units.orders` number", high=1)
    preserve: Flag = flag_per_lane("plan: melee at a third")
    rides: Flags = flag_per_unit("rides with the charge, or did when it was last in good order")
    met: Flags = flag_per_unit("has met the charge by a reaction")


class Progress(Frame):
    """One charge on its way. Dropped when it is over."""

    stage: Row = per_lane("`OVER` and so on", OVER, high=WAITING)
    wait: Row = per_lane("steps of the others before it sets out")
    leg: Row = per_lane("`FIRST`, `SECOND` or `AWAY`", FIRST, high=AWAY)
    heading: Row = per_lane("direction of the march", high=5)
    steps: Row = per_lane("hexes entered")
    turned_at: Row = per_lane("hexes entered when it went another way")
    points: Row = per_lane("movement points spent by those who ride")
    straight_run: Row = per_lane("hexes entered in one direction")
    step_turn: Row = per_lane("hexsides turned before the step that it is about to make", low=-3, high=9)
    step_price: Row = per_lane("points for that step")
    over_square: Flag = flag_per_lane("means to ride over its goal's square, which is not its target")
    ride_left: Row = per_lane("steps still to make over squares and off them")
    halt_refused: Flag = flag_per_lane("it was not recalled when it wanted to halt")
    recalled: Row = per_lane("`rules.recall`: unasked, recalled, not recalled", high=NOT_RECALLED)
    contact: Flag = flag_per_lane("it has touched an enemy")
    origin: Row = per_lane("hex from which its target ran, -1 for none", -1)
    left_hex: Row = per_lane("hex that its target left disordered, -1 for none", -1)

    declared: Rows = per_unit("`TARGET`, `PASSED` or 0", high=PASSED)
    attempt: Rows = per_unit("what a carré attempt against it gave, 0 none", high=BROKEN)
    as_target: Flags = flag_per_unit("that attempt was made as its target")
    tried: Flags = flag_per_unit("a carré attempt of its hex was made, or refused")
    reacting: Rows = per_unit("`TRIED`, `REACTING`, `MET` or 0", high=MET)
    spent: Rows = per_unit("movement points of a reactor, or of a regiment that stayed behind")
    behind: Flags = flag_per_unit("stayed behind")
    touched: Flags = flag_per_unit("stayed behind after contact")
    ridden: Flags = flag_per_unit("a square that was ridden over")
    leaving: Flags = flag_per_unit("one of the routers")


class Chosen(Frame):
    """What the charger of an open charge has chosen of its plan so far, `units.orders` numbers; -1 nothing.
    Dropped with the progress."""

    square: Row = per_lane("against a square that is not the target", -1)
    disordered: Row = per_lane("against a broken unit that is not the target", -1)
    recalled: Row = per_lane("how it spends the points left", -1)
    no_target: Row = per_lane("whether it pursues what fled at its attempt", -1)
