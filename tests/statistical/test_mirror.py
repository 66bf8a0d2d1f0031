"""Equal forces on equal ground: over both seatings neither side wins more often; what is left is what moving
first is worth.

Fixed seeds; a false alarm once in a thousand seeds.
"""

from __future__ import annotations

from math import sqrt

from sim.studies.matters import wins
from sim.studies.run import run
from sim.units import battlefiles

RUNS = 1_000
Z = 3.29
"""Standard errors that a fair pair of seatings stays within 999 times in a thousand."""


def test_over_both_seatings_neither_side_of_the_mirror_wins_more_often() -> None:
    """The scenario with West moving first, and with East: shares of West's victories among the runs that
    anybody wins."""
    share = {}
    for first in ("West", "East"):
        scenario = battlefiles.load("mirror", [f"first={first}"])
        west, east, _ = wins(run(scenario, RUNS, 5, each=lambda _: None).counts, scenario)
        assert west + east > RUNS / 10
        share[first] = west / (west + east), west + east
    (ahead, n), (behind, m) = share["West"], share["East"]
    mean = (ahead + behind) / 2
    error = sqrt(ahead * (1 - ahead) / n + behind * (1 - behind) / m) / 2
    print(
        f"\nmirror: West wins {100 * ahead:.1f} % of {n} decided battles moving first, {100 * behind:.1f} % "
        f"of {m} moving second; mean {100 * mean:.1f} ±{196 * error:.1f} %; who moves first wins "
        f"{100 * (ahead - behind):+.1f} ±{2 * 196 * error:.1f} points more often"
    )
    assert abs(mean - 0.5) <= Z * error
