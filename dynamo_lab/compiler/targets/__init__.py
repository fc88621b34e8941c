"""Where kernels run: on the CPU as C, on CUDA as Triton, on a Mac's GPU as Metal.

A target prints a kernel and makes functions of what it printed. Which one a graph gets, its device
says.
"""
