"""The battle: the turn clock, the segments of a half and who is called in them, the melee, recovery, and how
a charge is set up and played."""
