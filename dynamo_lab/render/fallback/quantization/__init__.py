"""How quantization looks in the script-free HTML."""
