"""What a sentence of advice is, and what several say would change it."""

from msgspec import Struct


class Advice(Struct, frozen=True):
    """A sentence on what stands in the way, and one on what would change it."""

    why: str
    change: str = ""


DEPENDENCY = "Take away the dependency: compute what lies between before {a}, or after {b}."
SHAPES = "Give both the same sizes: move the `view`, `expand` or `cat` that changes them elsewhere."
LAYOUT = (
    "Let both walk memory in one order: call `contiguous()` once, earlier, or drop a transpose."
)
REDUCTION = "Reduce over the same dimensions of the same shape, then both can share one loop."
TEMPLATE = "Write it as elementwise work on the product alone, with its shape."
LIBRARY = (
    "A library function is called as it is. `mode='max-autotune'` makes templates of matrix "
    "products, which take work before and after them."
)
FOREACH = "Use lists of the same length, and let each element depend on one element."
