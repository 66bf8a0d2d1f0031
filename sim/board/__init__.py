"""The board: the ground as integer tables, and sight, zones, steps and retreats as kernels over them.

Each kernel is told for one unit in one lane and loops over cases; it runs interpreted or compiled, as the
batch decides.
"""
