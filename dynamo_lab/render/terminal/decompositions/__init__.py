"""How decompositions look in a terminal."""
