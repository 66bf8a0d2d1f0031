"""Studies of charges: odds, comparisons, sweeps, look-ups in single charts, and the numbers they give."""
