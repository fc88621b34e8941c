"""How fusion and memory look in a terminal."""
