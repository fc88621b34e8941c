"""Read `TORCH_TRACE` logs as text: what PyTorch wrote of a compilation anywhere, at any time.

Nothing here imports torch or runs anything of a log. A log may come from anyone, and from a process
that was killed while it wrote: sizes are bounded, and whatever is readable is kept.
"""
