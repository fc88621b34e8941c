"""The tiny training engine: a training step planned ahead of time, for a few hundred kilobytes.

The public function is `lab.tiny`. Read in this order, each file with one idea:

1. `graph`: the joint graph of a step, with what each placeholder and output is
2. `selection`: what is updated: parameters by name, biases, last layers, channels
3. `operators`: what the passes put into the graph beside PyTorch's own operators
4. `passes`: one file a rewrite of the graph, in the order of `passes/__init__`
5. `work`: a graph as operations and storages: who makes, reads and overwrites what
6. `order`: the order of the operations that needs the least memory
7. `arena`: a place for each storage in one block of memory
8. `plan`: all of it for one model; `step` runs it in PyTorch
9. `networks`: models from the papers' tables
"""
