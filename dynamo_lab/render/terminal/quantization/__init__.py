"""How quantization looks in a terminal."""
