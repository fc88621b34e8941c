"""How graphs look in a terminal."""
