"""What a sentence of advice is, and what several say would change it."""

from msgspec import Struct


class Advice(Struct, frozen=True):
    """A sentence on what stands in the way, and one on what would change it."""

    why: str
    change: str = ""


LIBRARY = (
    "On a GPU, `mode='max-autotune'` may choose a Triton template for a matrix product, and work "
    "before and after it can go into that."
)
