"""How several recordings look in a terminal."""
