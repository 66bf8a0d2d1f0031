"""What a battle plays beyond the charges of a half, one run, plain Python: the slow and obvious play of
`docs/battle.md`.

It goes on from `tests.agreement.play`, a module a chapter, and is written from the page and the rules, so
that the engine can be held against it run by run. A letter and a number in a docstring is a sentence of that
page.

==================  ==================================================================================
`field`             a run with units anywhere on a map that has an edge
`plans`             what everybody means to do, told to both plays
`volley`            who may shoot at what, and the fire segments
`march`             the movement segment
`storm`             assaults, and the melee segment
`half`              the segments in order
`sketches`          random positions, for the engine and for the scalar play
`scripted`          the engine's player of the same plans
==================  ==================================================================================
"""
