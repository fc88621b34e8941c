"""A training step in int8, as exact in PyTorch as in C: whoever computes it has the same bits.

1. `operators`: what each operation means, in integers and single rounded float32 operations
2. `ranges`: what values the float step has, from samples
3. `scales`: how weights and activations lie in eight bits
4. `quantize`: the pass from the float graph to the one of these operators; `backward` and `loss`
   are parts of it
5. `fuse`: two convolutions with one channel between them, instead of all
"""
