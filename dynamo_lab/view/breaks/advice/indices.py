"""Tensors of one number as indices, which Python reads."""

from dynamo_lab.view.breaks.advice.rule import Rule, example

RULES = (
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
