"""What a battle plays beyond the charges of a half, one run, plain Python: the slow and obvious play of
`docs/battle.md`.

It goes on from `tests.agreement.play`, a module a chapter, and is written from the page and the rules, so
that the engine can be held against it run by run. A letter and a number in a docstring is a sentence of that
page.

==================  ==================================================================================
`field`             a run with units anywhere on a map that has an edge
`volley`            one attack by chosen shooters, ranges, the fire segments
`storm`             assaults
==================  ==================================================================================
"""
