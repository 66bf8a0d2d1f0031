"""The charges of a half, one run, plain Python: the slow and obvious play of `docs/charge.md`.

It is written from that page and the rule sets alone and shares no code with the engine that plays many runs
at once, so that the two can be compared run by run. § and a number in a docstring is a paragraph of that
page; the rule or the decision behind it follows where there is one.

====================================  ==========================================================
`hexes`, `charts`, `pieces`           geometry, charts, a unit
`attack`, `run`                       what belongs to one charge; the state of a run
`sight`, `setup`                      zones and sight; where everybody stands
`checks`, `states`                    modifiers and morale checks; changes of state and losses
`ways`, `failures`                    paths of retreats; failed checks, retreats and routs
`fire`, `march`                       fire; the steps of a charge
`pursuit`, `carre`, `reaction`        rout of the target and recall; the carré attempt; rule 39
`contact`, `charge`                   contact and the stand check; the Charge segment
`recovery`                            readiness, morale recovery
`strengths`, `results`, `melee`       the Melee segment
`record`, `half`                      the record; the chronology
====================================  ==========================================================

A module uses only those named before it.
"""

from tests.agreement.play.half import play
from tests.agreement.play.record import Record

__all__ = ["Record", "play"]
