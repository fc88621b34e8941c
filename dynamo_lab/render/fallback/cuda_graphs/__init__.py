"""CUDA graphs in the script-free HTML."""
