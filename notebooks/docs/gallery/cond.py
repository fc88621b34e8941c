"""A branch inside the graph: `torch.cond`.

Both branches are captured as separate graphs, and the choice is made when it runs. No break:
**Graphs** opens the two bodies below the operator.
"""

import torch

import dynamo_lab as lab

VIEW = "graphs"


def routed(x):
    return torch.cond(
        x.sum() > 0,
        lambda x: torch.relu(x) * 2,
        lambda x: torch.sin(x) - 1,
        (x,),
    )


rec = lab.explore(routed, torch.randn(64, 64))
lab.check(rec, breaks=0, graphs=1)
