"""The entry points: a function, a script, a cell or a block becomes a recording."""
