"""One rank of a job: it waits in a collective that the other never makes."""

from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.ranks.ranks import Call, Ending, Group, Handled, Rank, Stay
from dynamo_lab.model.ranks.reducers import Reduced, Reducer
from dynamo_lab.model.recording import Recording

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
        rank=Rank(
            number=0,
            size=2,
            groups=(Group("0", (0, 1), "default_pg"),),
            calls=(first, second),
            stays=(Stay(0.0, 1.0, 0), Stay(1.0, 9.0, 1)),
            seen=9.0,
            span=1,
            reducers=(Reducer(group="0", initial=(Reduced(bytes=32),), span=0),),
            handled=Handled(message="ValueError: no such batch", span=0),
            ending=Ending(kind="cut off"),
        ),
    )
