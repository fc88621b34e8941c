"""How a benchmark is made of a program."""
