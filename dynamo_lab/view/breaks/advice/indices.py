"""Tensors of one number as indices, which Python reads."""

from dynamo_lab.view.breaks.advice.rule import Rule, example

RULES = (
    Rule(
        r"Tensor\.item\(\)|^Indexing list with non-scalar tensor",  # the latter in torch 2.11
        "list indexed by a tensor",
        (
            "A tensor picks from a Python list or tuple: Dynamo needs the number for that. Tensors "
            "of one shape can be picked from as one tensor, which stays in the graph: "
            "`torch.stack(items).index_select(0, i[None])[0]`, of numbers "
            "`torch.tensor(items).take(i)`.",
            "By a tensor of one bool, `torch.where(mask, items[1], items[0])` picks, and computes "
            "nothing else.",
            "Anything else, as functions or modules, Python has to pick: before the call. The "
            "number as a symbol ends nothing: a bool breaks there again, an integer that is "
            "computed does so or does not compile, and one that is passed in is compiled for each "
            "number.",
        ),
        r"(?m)^(?:BINARY_SUBSCR|BINARY_OP \[\])$",
        example(
            """
            def f(x):
                ways = [x + 1, x * 2]
                return ways[x.argmax() % 2].sin()
            """,
            """
            import torch

            def f(x):
                ways = [x + 1, x * 2]
                best = x.argmax() % 2
                return torch.stack(ways).index_select(0, best[None])[0].sin()
            """,
        ),
    ),
    Rule(
        r"(?i)^Data dependent operator",
        "index by a tensor of one number",
        (
            "Indexing by such a tensor reads the number in Python. `x.take(i)`, of a vector, and "
            "`x.index_select(0, i[None])[0]` take it as it is, and stay in the graph.",
        ),
        r"(?m)_local_scalar_dense[\s\S]*^(?:BINARY_SUBSCR|BINARY_OP \[\])$",
        example(
            """
            def f(x):
                best = x.argmax()
                return x + x[best]
            """,
            """
            def f(x):
                best = x.argmax()
                return x + x.take(best)
            """,
        ),
    ),
    Rule(
        r"(?i)^Data dependent operator",
        "write at a tensor of one number",
        (
            "Writing at such an index reads the number in Python. `x[i[None]] = value` takes a "
            "tensor of one dimension as it is, and stays in the graph.",
        ),
        r"(?m)_local_scalar_dense[\s\S]*^STORE_SUBSCR$",
        example(
            """
            def f(x):
                x = x.clone()
                x[x.argmax()] = 3.0
                return x
            """,
            """
            def f(x):
                x = x.clone()
                x[x.argmax()[None]] = 3.0
                return x
            """,
        ),
    ),
)
