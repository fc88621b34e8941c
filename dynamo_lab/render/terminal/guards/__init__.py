"""How guards and dynamic shapes look in a terminal."""
