"""Carré: a discrete-event Monte Carlo battle laboratory for the La Bataille rules.

Unofficial: La Bataille is Marshal Enterprises' game. See README.md.
"""

__version__ = "0.1.0"
