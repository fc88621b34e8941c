"""Rewrites of a step's graph, a file each; `pipeline` has their order and what each won."""
