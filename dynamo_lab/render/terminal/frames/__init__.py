"""How frames look in a terminal."""
