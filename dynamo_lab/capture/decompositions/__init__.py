"""How decompositions are recorded."""
