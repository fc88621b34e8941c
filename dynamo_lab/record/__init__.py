"""The ways in: a function, a script, a cell or a block becomes a recording."""
