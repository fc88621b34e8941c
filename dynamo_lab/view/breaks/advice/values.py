"""Values that are known only once the graph has run, but that Python needs during tracing."""

from dynamo_lab.view.breaks.advice import indices
from dynamo_lab.view.breaks.advice.rule import Rule, example

_ITEM = (
    "Keep the value a tensor: `.item()`, `int(t)` and `float(t)` read it in Python: the graph "
    "has to end there and wait for it.",
    "If Python needs the number, set `torch._dynamo.config.capture_scalar_outputs = True`: Dynamo "
    "then captures it as a symbol.",
)
_TEXT = Rule(
    r"repr\(\)",
    "tensor as text",
    (
        "The text needs the tensor's values, which exist only once the graph has run. Return the "
        "tensor, and make the text outside.",
    ),
    example=example(
        """
        history = []

        def f(x):
            y = x * 2
            history.append(repr(y))
            return y + 1
        """,
        """
        history = []

        def f(x):
            y = x * 2
            history.append(y)  # repr(...) when it is read
            return y + 1
        """,
    ),
)

ASSERT = (
    "`torch._assert_async(condition)` checks a tensor and stays in the graph. So does an `assert` "
    "of one tensor, without `not`, `and` or `or`, with a plain string as its message.",
)
WHILE = (
    "`torch.while_loop` keeps a loop in the graph. A loop that runs a known number of times can "
    "be written with `range`.",
)
RAISE = (
    "`torch._assert_async(condition)` checks a tensor and stays in the graph: give it what has to "
    "hold, the opposite of this condition. It raises a RuntimeError, whatever is raised here: "
    "where the program catches that, leave the check to Python, before or after the compiled "
    "function.",
)
SOMETIMES = (
    "Do it always, without the `if`, where that changes nothing when the condition does not hold, "
    "as a mask that hides nothing. Or choose with tensors: `torch.where(condition, a, b)` computes "
    "both sides and stays in the graph.",
)
LEAVE = (
    "A tensor ends this loop, which Python has to know. Run a fixed number of rounds instead, and "
    "keep what there is from then on: `done = done | condition`, `x = torch.where(done, x, new)`.",
    "Or leave the loop and its condition to Python: move what else a round computes into a "
    "function, and compile that.",
)
SYMBOL = (
    "Keep the value a tensor: without `.item()`, `torch.where(condition, a, b)` can choose, and "
    "stays in the graph.",
)
_BY_STATEMENT = {
    "assert": ASSERT,
    "while": WHILE,
    "raise": RAISE,
    "leave": LEAVE,
    "sometimes": SOMETIMES,
}
_AS_TENSOR = " Leave out what reads the number, as `.item()`: the condition is a tensor then."


def by_statement(title: str, statement: str) -> tuple[str, ...]:
    """What to do about a condition instead, by the statement that it decides; else empty."""
    told = _BY_STATEMENT.get(statement, ())
    if title == "data-dependent branch" or not told:
        return told
    is_number = title in (".item() call", "data-dependent value")
    return (told[0] + _AS_TENSOR, *told[1:]) if is_number else ()


_FAILS = Rule(
    # despite PyTorch's word for it: of a tensor's data, the assertion would stay in the graph
    r"(?i)Assertion failed on symbolic|Data-dependent assertion",
    "assertion that does not hold",
    (
        "The condition is false while it is traced: it is about a size, a type or another Python "
        "value, not about a tensor's data. Run it uncompiled: it raises there too. Check it before "
        "the call, or, where the code catches the error, decide with `if`.",
    ),
    example=example(
        """
        def f(x):
            try:
                assert x.shape[0] == 3
            except AssertionError:
                x = x + 1
            return x * 2
        """,
        """
        def f(x):
            if x.shape[0] != 3:
                x = x + 1
            return x * 2
        """,
    ),
)

RULES = (
    _FAILS,
    _FAILS._replace(
        kind=r"^Data-dependent branching", context=r"jump with ConstantVariable", example=None
    ),
    Rule(
        r"^Data-dependent branching",
        "data-dependent branch",
        SYMBOL,
        r"SymNodeVariable",
    ),
    *indices.RULES,
    Rule(
        r"Tensor\.item\(\)",
        "slice by a tensor",
        (
            "Slice by a Python integer that is passed to the function. Or keep the size and mask: "
            "`torch.where(torch.arange(len(x)) < n, x, 0)`.",
            "Or set `torch._dynamo.config.capture_scalar_outputs = True`: the size is a symbol.",
        ),
        r"(?m)^(?:BUILD|BINARY)_SLICE$",
    ),
    Rule(
        r"^Data-dependent branching",
        "data-dependent branch",
        (
            "Choose with tensors: `torch.where(condition, a, b)` computes both sides and stays in "
            "the graph.",
            "If the sides are expensive, `torch.cond(condition, true_fn, false_fn, operands)` "
            "captures both as subgraphs.",
            "If the condition does not depend on the data (a shape, a flag), compute it in Python.",
        ),
        example=example(
            """
            def f(x):
                if x.sum() > 0:
                    y = x * 2
                else:
                    y = x - 1
                return y
            """,
            """
            import torch

            def f(x):
                return torch.where(x.sum() > 0, x * 2, x - 1)
            """,
        ),
    ),
    Rule(
        r"^assert with non-string",
        "assert with a message that is not a string",
        (
            "The message is made only where the code raises, which it does while it is traced: by "
            "a size, a type or another Python value. With a plain string it breaks here too. Run "
            "it uncompiled: it raises there too. Check it before the call, or, where the code "
            "catches the error, decide with `if`.",
        ),
    ),
    Rule(
        r"Tensor\.item\(\)",
        ".item() call",
        _ITEM,
        example=example(
            """
            def f(x):
                largest = x.max().item()
                return x / largest
            """,
            """
            def f(x):
                largest = x.max()
                return x / largest
            """,
        ),
    ),
    Rule(
        r"Tensor\.tolist\(\)",
        ".tolist() call",
        (
            "Keep the values a tensor: `.tolist()` reads them in Python, and the graph has to end "
            "there and wait for them.",
            "For a tensor of integers, `torch._dynamo.config.capture_scalar_outputs = True` "
            "captures them as symbols.",
        ),
        example=example(
            """
            def f(x):
                total = 0.0
                for value in x.tolist():
                    total = total + value * value
                return x + total
            """,
            """
            def f(x):
                return x + (x * x).sum()
            """,
        ),
    ),
    Rule(
        r"(?i)^Data dependent operator",
        "tensors compared as a whole",
        (
            "`torch.equal` and `torch.allclose` return a Python bool. `(a == b).all()` and "
            "`torch.isclose(a, b).all()` are tensors, and stay in the graph.",
        ),
        r"aten\.(?:equal|allclose)\b",
        example(
            """
            import torch

            def f(x):
                if torch.allclose(x, x.abs()):
                    return x.sqrt()
                return x * 0
            """,
            """
            import torch

            def f(x):
                same = torch.isclose(x, x.abs()).all()
                return torch.where(same, x.sqrt(), x * 0)
            """,
        ),
    ),
    Rule(
        r"(?i)^Data dependent operator",
        "data-dependent value",
        (
            "Keep the value a tensor: the code reads it into Python here, as `float()`, `bool()` "
            "and functions of `math` do, where operators of `torch` compute with it as it is.",
        ),
        example=example(
            """
            import math

            def f(x):
                return x + math.erf(x.sum())
            """,
            """
            def f(x):
                return x + x.sum().erf()
            """,
        ),
    ),
    Rule(
        r"^sort with non-constant keys",
        "sorting tuples that hold tensors",
        (
            "Give `sorted` a key that is a plain value, as in `sorted(parts.items(), key=lambda "
            "item: item[0])`: it takes whole tuples here.",
        ),
        r"First non-constant key type: <class 'tuple'>",
        example(
            """
            def f(x):
                parts = {"b": x * 2, "a": x + 1}
                return [part for _, part in sorted(parts.items())]
            """,
            """
            def f(x):
                parts = {"b": x * 2, "a": x + 1}
                ordered = sorted(parts.items(), key=lambda item: item[0])
                return [part for _, part in ordered]
            """,
        ),
    ),
    Rule(
        r"^sort with non-constant keys",
        "sorting tensors with Python",
        ("Stack the tensors and sort them with `torch.sort`: Python's `sorted` needs each value.",),
        example=example(
            """
            def f(x):
                low, high = sorted([x.sum(), x.mean()])
                return x + high - low
            """,
            """
            import torch

            def f(x):
                low, high = torch.stack([x.sum(), x.mean()]).sort().values
                return x + high - low
            """,
        ),
    ),
    _TEXT,
    Rule(
        r"builtin operator",
        "dynamic number as text",
        (
            "The text needs the number itself, which is dynamic here: it changed between calls, or "
            "was asked to be. Make the text outside of the compiled function, or pass it.",
        ),
        context=r"\bbuiltin (?:str|repr|format|ascii) \[<class '[\w.]*SymNodeVariable'>",
        example=example(
            """
            def f(x):  # a size of x is dynamic
                return x * 2, str(x.shape[0])
            """,
            """
            def f(x):
                return x * 2, x.shape[0]  # and the text of it after the call
            """,
            "(x := torch.arange(4.0), torch._dynamo.mark_dynamic(x, 0))[0]",
            same=False,
        ),
    ),
    _TEXT._replace(kind=r"builtin operator", context=r"\bbuiltin (?:str|repr|format|ascii)\b"),
)
