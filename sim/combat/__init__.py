"""Procedures that any segment uses: decisions, checks, what failing brings, flight, losses, fire, leaders.

They work on cases.
"""
