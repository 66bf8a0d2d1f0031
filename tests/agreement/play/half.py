"""The half: segment by segment, one SimPy process a unit (§4, §13)."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import simpy

from sim.units.charges import Charge
from tests.agreement.play.charge import declare_charges, resolve
from tests.agreement.play.fire import defensive_fire, hexes_under_fire, offensive_fire
from tests.agreement.play.hexes import distance
from tests.agreement.play.melee import end_of_melees, melee_of
from tests.agreement.play.pieces import Piece
from tests.agreement.play.record import Record, record_of
from tests.agreement.play.recovery import recover
from tests.agreement.play.run import OTHER, SEGMENTS, Roll, Run
from tests.agreement.play.setup import set_up
from tests.agreement.play.states import remove


def play(charge: Charge, responses: str | Sequence[str], roll: Roll, log: bool = False) -> Record:
    """Play the charges of a half once (§4 to §12, §14).

    Parameters
    ----------
    charge
        The charge; every choice of its plan is made (square is not `best`).
    responses
        What the target of each charge does: stand, carre@4 .. carre@1 or react. One alone: what the
        first target does; the others do what the file says.
    roll
        Called with a decision and what each of its 36, 6 or 5 faces leads to, gives the 0-based face:
        a ladder index, a die less 1, or the entry of (1, 2, 3, 4, 6). Two faces
        that lead to the same end alike.
    log
        Keep short remarks in the record.
    """
    if isinstance(responses, str):
        responses = [responses, *(attack.response for attack in charge.attacks[1:])]
    run = Run(charge, responses, roll, log)
    set_up(run)
    Half(run).env.run()
    return record_of(run)


class Half:
    """The clock of one run: each unit waits for its turn in each segment."""

    def __init__(self, run: Run) -> None:
        self.run, self.env = run, simpy.Environment()
        self.attack_of = {attack.riders[0].id: attack for attack in run.attacks}
        self.turns = {(segment, piece.id): self.env.event() for segment in SEGMENTS for piece in run.pieces}
        self.done = {key: self.env.event() for key in self.turns}
        for piece in run.pieces:
            self.env.process(self.life(piece))
        self.env.process(self.chronology())

    def chronology(self) -> Generator[simpy.Event, None, None]:
        """Segment by segment, each unit in its order (§11.1, §13.1, §14.1)."""
        run = self.run
        declare_charges(run)
        for segment in SEGMENTS:
            run.segment = segment
            if segment == "defensive-fire":
                run.under_fire = hexes_under_fire(run)
            for piece in self.order(segment):
                self.turns[segment, piece.id].succeed()
                yield self.done[segment, piece.id]
            if segment == "offensive-fire":
                offensive_fire(run)
            elif segment == "melee":
                end_of_melees(run)
            fate_of_unmanned_guns(run)

    def order(self, segment: str) -> list[Piece]:
        """In which order units have their turn: charges by their first regiments, otherwise unit order.

        §1.4, §11.1, §14.1, §14.8.
        """
        run = self.run
        if segment == "recovery":
            return sorted(run.pieces, key=lambda piece: piece.side != "charger")
        first = list(self.attack_of) if segment in ("charge", "melee") else []
        return [run.by_id[name] for name in first] + [piece for piece in run.pieces if piece.id not in first]

    def life(self, piece: Piece) -> Generator[simpy.Event, None, None]:
        """A unit's process: what it does, or what is done to it, in each segment (§4, §9, §10, §11)."""
        run, attack = self.run, self.attack_of.get(piece.id)
        for segment in SEGMENTS:
            yield self.turns[segment, piece.id]
            if segment == "charge" and attack is not None:
                resolve(run, attack)
            elif segment == "defensive-fire" and piece.id in run.under_fire:
                defensive_fire(run, run.under_fire[piece.id])
            elif segment == "melee" and attack is not None:
                melee_of(run, attack)
            elif segment == "recovery" and not piece.gone:
                recover(run, piece)
            self.done[segment, piece.id].succeed()


def fate_of_unmanned_guns(run: Run) -> None:
    """At the end of a segment abandoned guns are taken up again, or lost to an enemy beside them.

    §1.8; 0-decisions 5.26.
    """
    for gun in run.pieces:
        if not gun.unmanned or gun.gone or gun.at is None:
            continue
        own = run.stack(gun.at, gun.side)
        if any(piece.arm == "infantry" and piece.state == "good" for piece in own):
            gun.unmanned = False
        elif not own and any(
            distance(gun.at, foe.at) <= 1 for foe in run.alive(OTHER[gun.side]) if foe.at is not None
        ):
            remove(run, gun, "abandoned")
