"""Runs played together: the ladder, exact ratios, dice and lanes. It has not heard of Napoleon."""
