"""Which kind of file a document is: a charge, a scenario, a style of play, or a rule set.

By all the names at its top, since any of them may be misspelt.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection

from sim.rulesets.attributes import Vocabulary
from sim.rulesets.fields import ruleset

CHARGE, SCENARIO, STYLE, RULE_SET = "charge", "scenario", "style", "rule set"

CHARGE_FIELDS = frozenset(
    (
        "ruleset",
        "title",
        "edition",
        "switches",
        "charger",
        "target",
        "neighbours",
        "reactor",
        "distance",
        "path",
        "through",
        "crosses",
        "ground",
        "night",
        "response",
        "plan",
        "charges",
    )
)
"""Names at the top of a charge file; what they hold is the business of the units."""
_ONLY_SCENARIOS = ("rosters", "placement", "victory", "sides")
_ONLY_STYLES = ("like", "attack", "assault", "deploy", "halt", "leaders")
_ONLY_RULE_SETS = ("extends", "partial", "nations")
_NEAR = 0.75


def kind_of(data: object) -> str:
    """`charge`, `scenario`, `style` or `rule set`, whichever the names at the top fit best.

    Examples
    --------
    >>> kind_of({"ruleset": "prusse-1806", "chargr": {}, "targt": {}, "distance": 5})
    'charge'
    >>> kind_of({"like": "bold", "evade": 3})
    'style'
    >>> kind_of({"extends": "base", "ruleset": "mine"})
    'rule set'
    """
    if not isinstance(data, dict) or not data:
        return CHARGE
    names = [str(name) for name in list(data)[:200]]
    if ("charger" in names and "target" in names) or "charges" in names:
        return CHARGE
    if any(name in names for name in _ONLY_SCENARIOS):
        return SCENARIO
    if any(name in names for name in _ONLY_STYLES) and "ruleset" not in names:
        return STYLE
    if any(name in names for name in _ONLY_RULE_SETS):
        return RULE_SET
    rules = set(ruleset(Vocabulary()).fields)
    like_a_charge = sum(map(_likeness(CHARGE_FIELDS), names))
    return CHARGE if like_a_charge >= sum(map(_likeness(rules), names)) else RULE_SET


def _likeness(known: Collection[str]) -> Callable[[str], float]:
    """How much a name is like the nearest of some: 1 if it is one of them, 0 if it is like none."""

    def likeness(name: str) -> float:
        if name in known:
            return 1.0
        near = difflib.get_close_matches(name[:60], known, n=1, cutoff=_NEAR)
        return difflib.SequenceMatcher(None, name[:60], near[0]).ratio() if near else 0.0

    return likeness
