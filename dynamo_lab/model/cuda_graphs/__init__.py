"""CUDA graphs as a run recorded and replayed them."""
