"""The compiler that lessons 14 to 17 build, as it stands after each of them.

`workshop` is given: what takes a graph in and puts kernels into it. All else is what the reader
writes, word for word as in the notebooks: `loops` (14), `reductions` (15), `fusion` (16) and
`training` (17), each on top of the one before, so that a lesson can be begun anywhere. The large
one, which the lessons compare it with, is `dynamo_lab.compiler`.
"""
