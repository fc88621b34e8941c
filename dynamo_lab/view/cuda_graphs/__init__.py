"""CUDA graphs as a run recorded and replayed them: trees, paths and memory pools."""
