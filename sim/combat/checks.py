"""Morale checks (rule 31; C1, C3; docs/charge.md section 8).

Arrays have shape (k,), one element a case, unless a docstring says otherwise.
"""

from __future__ import annotations

from typing import TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from sim.combat.play import Play
from sim.combat.told import Checked, Spared
from sim.ensemble.cases import Cases
from sim.rules import levels, morale
from sim.rules.strengths import Strengths
from sim.rulesets.modifiers import Applied, Facts, ModifierTable
from sim.units.forces import OF_THE_BOOK

C = TypeVar("C", bound=Cases)
Mask = NDArray[np.bool_]
Extra = tuple[str, int | NDArray[np.int64], str]
"""One more modifier: label, amount (or amounts), source."""


class How(TypedDict, total=False):
    """What a check may be told beyond who makes it, as for `check`."""

    table: ModifierTable
    known: Facts
    extra: Extra
    also: Extra
    leader: int
    strengths: Strengths


def check(
    play: Play,
    kind: str,
    cases: C,
    rule: str,
    table: ModifierTable | None = None,
    known: Facts | None = None,
    extra: Extra | None = None,
    also: Extra | None = None,
    leader: int = 1,
    strengths: Strengths | None = None,
    repeatable: bool = False,
) -> tuple[C, Mask]:
    """A morale check of one unit in each lane.

    Parameters
    ----------
    kind
        The decision's name within the segment.
    table, known
        A chart's own modifiers and the attributes they need beyond those of the unit; the general ones by
        default.
    extra, also
        One more modifier, and another.
    leader
        1: his bonus is added; -1: taken off (he was the one who was hit); 0: none.
    strengths
        What the odds of `extra` were found from, in the lane that is told.
    repeatable
        Whether a run may make it several times.

    Returns
    -------
    The cases that came of it, and where they passed, shape (m,).
    """
    if not len(cases):
        return cases, np.zeros(0, bool)
    forces, n = play.forces, len(cases)
    facts = forces.attributes_of("unit", cases)
    if known is not None:
        facts = facts | known
    applied = (table or play.book.morale_modifiers).apply(facts, n)
    if forces.in_battle:
        own = forces.penalties[cases.unit]
        applied = levels.with_own_penalties(applied, forces.level[cases.at], own, OF_THE_BOOK)
    if table is not play.book.stand_modifiers and forces.forced.any():
        tired = play.book.blocks.movement.force_march
        worse = tired.other_checks * forces.forced[cases.at].astype(np.int64)
        applied = applied.and_also("force-marched", worse, tired.source or "")
    if leader:
        _, bonus = forces.leader_with(cases, "morale")
        if bonus.any():
            applied = morale.with_leader(applied, leader * bonus)
    for one in (extra, also):
        if one is None:
            continue
        label, amounts, source = one
        applied = applied.and_also(label, np.broadcast_to(amounts, n), source)
    spared = _spared(play, applied, cases, rule)
    free = cases.where(spared)
    if len(free) == n:
        return free, spared
    if len(free):
        cases, applied = cases.where(~spared), applied.where(~spared)
    printed = forces.morale[cases.unit]
    found, passed = play.ask(
        kind,
        cases,
        play.book.morale_chart,
        printed,
        applied,
        rule,
        repeatable,
        strengths,
        told=Checked,
        morale=printed,
    )
    if not len(free):
        return found, passed == 1
    return found.joined(free), np.concatenate([passed == 1, np.ones(len(free), bool)])


def _spared(play: Play, applied: Applied, cases: Cases, rule: str) -> Mask:
    """Where a modifier spares a unit its check, and a word of it."""
    found = np.zeros(len(cases), bool)
    for modifier, mask in applied.spared:
        play.log(Spared, cases.where(mask & ~found), rule, label=modifier.label, source=modifier.source)
        found |= mask
    return found
