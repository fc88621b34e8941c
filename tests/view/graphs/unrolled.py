"""A loop that was unrolled, blocks of a model, and what is nearly repeated."""

from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.recording import Recording
from tests.view.samples.table import Table, graph

CODE = "\n".join(f"    x = step_{line}(x)" for line in range(1, 9))
STEPS = 12
BLOCKS = 4


def unrolled() -> Recording:
    """Blocks of modules with a loop in each, then a loop of its own that counts."""
    table = Table()
    x, shared = table.input("x"), table.input("w")
    weights = [table.input(f"h_{at}_weight") for at in range(BLOCKS)]
    last = x
    for at, weight in enumerate(weights):
        last = block(table, at, last, weight)
    for at in range(STEPS):
        last = step(table, at, last, shared)
    table.output(last)
    return recorded(table)


def block(table: Table, at: int, last: int, weight: int) -> int:
    """A product with a weight of its own, twelve steps of an inner loop, and what went in again."""
    module = f"L['self'].h.{at}"
    name = f"{module}.fc"
    inner = table.node(f"mm_{at}", "aten.mm.default", last, weight, stack=0, module=name)
    for number in range(STEPS):
        name = f"tanh_{at}_{number}"
        inner = table.node(name, "aten.tanh.default", inner, stack=1, module=f"{module}.act")
    return table.node(f"add_{at}", "aten.add.Tensor", inner, last, stack=2, module=module)


def step(table: Table, at: int, last: int, shared: int) -> int:
    """A product with the same weight, and a number that counts by two."""
    product = table.node(f"mm_s{at}", "aten.mm.default", last, shared, stack=3)
    name = table.rows[product][0]
    return table.node(
        f"add_s{at}", "aten.add.Tensor", product, stack=4, arguments=f"{name}, {2 * at}"
    )


def recorded(*tables: Table) -> Recording:
    """A recording of these graphs."""
    return Recording(
        title="unrolled",
        sources=(Source("/home/me/unrolled.py", "user", (Excerpt(1, CODE),)),),
        spans=tuple(Span(0, line, "forward", 4, line, 20) for line in range(1, 9)),
        stacks=tuple((at,) for at in range(8)),
        frames=(Frame(id=0, name="forward", span=0, outcome="compiled"),),
        graphs=tuple(graph(number, table) for number, table in enumerate(tables)),
    )


def long_loop(steps: int) -> Recording:
    """A loop of two operators, unrolled so many times."""
    table = Table()
    last, shared = table.input("x"), table.input("w")
    for at in range(steps):
        product = table.node(f"mm_{at}", "aten.mm.default", last, shared, stack=0)
        last = table.node(f"sin_{at}", "aten.sin.default", product, stack=0)
    table.output(last)
    return recorded(table)
