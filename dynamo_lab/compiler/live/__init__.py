"""A compiler that is changed while it runs: other rules, other fusion, other texts, and a check.

In comes a function; out come its programs, each of which can be made again with something changed.
"""
