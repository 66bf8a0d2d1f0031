"""The exact odds of an assault in coarse situations: what a player judges by. They are worked out once for a
rulebook, and looked up in battles.

A situation is coarse: the target's formation, state and morale level, the odds by increments, the odds by
melee value, and the printed morale of both. It comes through the front and crosses nothing, and nobody is led
or has lost by fire.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sim.ensemble import ladder
from sim.ensemble.ratios import Ratio
from sim.rules import assault as rules
from sim.rules.melee import melee_value
from sim.rulesets.modifiers import ModifierTable, facts
from sim.rulesets.rulebook import Rulebook, ratio_of
from sim.vocabulary import FORMATIONS, INFANTRY, ROUTED, STATES

Numbers = NDArray[np.integer]
Floats = NDArray[np.float64]
LEVELS = range(4)
MOST = 60
"""Steps that modifiers of a check may add up to, either way."""


@dataclass(frozen=True)
class AssaultOdds:
    """The parts of the odds, as tables.

    Attributes
    ----------
    premelee, melee
        Odds at which the columns of either table begin, rising.
    passes
        Chance of a check by printed morale and steps added, from `-MOST`.
    holds, comes
        Steps added to the check of the defenders, and of an attacker, by the target's formation, state and
        level, without those of the column.
    holds_by, comes_by
        Steps that each column adds.
    wins
        Chance that a melee breaks the defenders, by column.
    weak
        What its state leaves of a defender's melee value, shape (states + 1,): nothing of who is gone.
    checks
        Whether defenders check, and attackers, by the target's formation and state, shape (2, formations,
        states).
    """

    premelee: Floats
    melee: Floats
    passes: Floats
    holds: Numbers
    comes: Numbers
    holds_by: Numbers
    comes_by: Numbers
    wins: Floats
    weak: Floats
    checks: NDArray[np.bool_]

    def broken(
        self,
        formation: Numbers,
        state: Numbers,
        level: Numbers,
        increments: Floats,
        values: Floats,
        theirs: Numbers,
        ours: Numbers,
    ) -> Floats:
        """Chance that the defenders are broken: they fail their check, or the attackers pass theirs and the
        melee breaks them; shape (k,).

        Parameters
        ----------
        formation, state, level
            Of the target.
        increments, values
            Odds by increments, and by melee values, to one.
        theirs, ours
            Printed morale of the target, and of the attackers, as an index.
        """
        column = self._column(self.premelee, increments)
        where = formation, np.minimum(state, ROUTED), level
        held = self._passes(theirs, self.holds[where] + self.holds_by[column])
        held = np.where(self.checks[0][where[:2]], held, 1.0)
        come = self._passes(ours, self.comes[where] + self.comes_by[column])
        come = np.where(self.checks[1][where[:2]], come, 1.0)
        return 1 - held + held * come * self.wins[self._column(self.melee, values)]

    def _passes(self, morale: Numbers, steps: Numbers) -> Floats:
        return self.passes[morale, np.clip(steps, -MOST, MOST) + MOST]

    @staticmethod
    def _column(begins: Floats, odds: Floats) -> NDArray[np.intp]:
        return np.maximum(np.searchsorted(begins, odds + 1e-9, "right") - 1, 0)


@lru_cache(maxsize=8)
def assault_odds(book: Rulebook) -> AssaultOdds:
    """Those of a rulebook; one rulebook stands for all of a digest under the same switches."""
    faces = np.arange(ladder.STEPS)
    steps = np.clip(faces[:, None] + np.arange(-MOST, MOST + 1), 0, ladder.STEPS - 1)
    passes = (book.morale_chart.values[:, steps] == 1).mean(axis=1)
    names = [name.startswith("D") for name in book.melee_chart.outcomes]
    columns = len(book.melee_columns)
    outcomes = book.melee_chart.values[:columns] % len(names)
    formation, state = np.indices((len(FORMATIONS), ROUTED + 1))
    none, foot = np.zeros(formation.shape, bool), np.full(formation.shape, INFANTRY)
    checks = rules.defender_checks(foot, formation, state, none), rules.attacker_checks(formation, none)
    return AssaultOdds(
        _begins(book.premelee_columns),
        _begins(book.melee_columns),
        passes,
        _steps(book.premelee_modifiers, of_target=True),
        _steps(book.premelee_attack_modifiers, of_target=False),
        book.premelee_defence,
        book.premelee_attack,
        np.array(names)[outcomes].mean(axis=1),
        np.array([*(_left(book, state) for state in STATES), 0.0]),
        np.stack(checks),
    )


def _begins(columns: tuple[str, ...]) -> Floats:
    return np.array([a / d for a, d in map(ratio_of, columns)])


def _left(book: Rulebook, state: str) -> float:
    """What infantry in a state has of a melee value of 1, in defence against infantry."""
    scene: dict[str, object] = dict.fromkeys(("charge", "chasing", "preserving"), False)
    scene |= {"hexside": "front", "facing": "front", "crosses": "none"}
    scene |= {f"unit.{name}": one for name, one in _unit("column", state, 0).items()}
    scene |= {f"enemy.{name}": one for name, one in _unit("column", "good", 0).items()}
    one = np.ones(1, np.int64)
    value = melee_value(Ratio.made(one, one), one, 1, "defence", facts(scene), book.multipliers).value
    return float(value.num[0] / value.den[0])


def _steps(table: ModifierTable, of_target: bool) -> Numbers:
    """What the lines of a table add, by the target's formation, state and level; the attackers are in column,
    in good order and at level 0."""
    found = np.zeros((len(FORMATIONS), ROUTED + 1, len(LEVELS)), np.int64)
    for formation, state, level in np.ndindex(found.shape):
        target = _unit(FORMATIONS[formation], STATES[state], level)
        own = target if of_target else _unit("column", "good", 0)
        known: dict[str, object] = {"hexside": "front", "crosses": "none"}
        known |= {f"target.{name}": one for name, one in target.items()}
        known |= {f"unit.{name}": one for name, one in own.items()}
        found[formation, state, level] = table.apply(facts(known), 1).total[0]
    return found


def _unit(formation: str, state: str, level: int) -> dict[str, object]:
    plain = {"arm": "infantry", "class": "none", "half_lost": False, "nation": "none", "readiness": "fresh"}
    return plain | {"formation": formation, "state": state, "level": level, "force_march": False}
