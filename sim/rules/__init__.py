"""The rules, one module a chapter: pure functions of arrays, one element a case.

No state, no SimPy, no dice. Charts and numbers come from rule sets; what stands here is what the charts are
used for.
"""
