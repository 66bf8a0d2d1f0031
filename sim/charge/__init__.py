"""A declared charge, from its declaration to where it ends (rules 37 to 42; docs/charge.md 3 to 6)."""

STEP = 1 / 4096
"""What a step of a charge takes on the turn clock, whose unit is a segment. Nobody reads it: lanes differ in
how many steps they make."""
