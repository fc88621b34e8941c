"""How fusion and memory are recorded."""
