"""Studies of charges: odds, comparisons, sweeps."""
