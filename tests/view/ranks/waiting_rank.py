"""One rank of a job: it waits in a collective that the other never makes."""

from msgspec.structs import replace

from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.ranks.ranks import (
    Call,
    Ending,
    Group,
    Handled,
    MadeGroup,
    Outside,
    Rank,
    Stay,
)
from dynamo_lab.model.ranks.reducers import Reduced, Reducer
from dynamo_lab.model.recording import Recording
from tests.view.samples.table import Table, graph

TEXT = """\
def step(x):
    dist.all_reduce(x)
    dist.all_gather(parts, x)"""


def waiting_rank() -> Recording:
    """Rank 0 of 2: its first collective is done, its second is not."""
    first = Call(name="all_reduce", group="0", number=1, sizes=((8,),), is_done=True, stack=0)
    second = Call(name="all_gather", group="0", number=2, sizes=((8,),), started=1.0, stack=1)
    return Recording(
        title="step",
        sources=(Source("/home/me/train.py", "user", (Excerpt(1, TEXT),)),),
        spans=(Span(0, 2, "step"), Span(0, 3, "step")),
        stacks=((0,), (1,)),
        graphs=(_put_together(),),
        rank=Rank(
            number=0,
            size=2,
            groups=(Group("0", (0, 1), "default_pg"),),
            made=(MadeGroup(ranks=(0,), stack=0),),
            calls=(first, second),
            outside=(Outside(name="broadcast", stack=0),),
            stays=(Stay(0.0, 1.0, 0), Stay(1.0, 9.0, 1)),
            seen=9.0,
            span=1,
            reducers=(Reducer(group="0", initial=(Reduced(bytes=32),), span=0),),
            handled=Handled(message="ValueError: no such batch", span=0),
            ending=Ending(kind="cut off"),
        ),
    )


def _put_together() -> Graph:
    """A graph with one collective that Inductor made of two."""
    table = Table()
    at = table.node("both", "_c10d_functional.all_reduce.default", table.input("x"), stack=0)
    made = graph(0, table, "post_grad")
    return replace(made, frame=None, nodes=replace(made.nodes, bucketed={at: (0, 1)}))
