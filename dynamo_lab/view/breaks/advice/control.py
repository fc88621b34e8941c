"""Breaks on request, and statements that Dynamo does not trace."""

from dynamo_lab.view.breaks.advice.rule import Rule, example

LOOP = (
    "Move the loop's body into a function and compile that: Dynamo cannot resume inside a loop, so "
    "the whole frame runs eagerly."
)
ON_PURPOSE = (
    "The library calls `torch._dynamo.graph_break()` on purpose: there is nothing to change in "
    "your code."
)

_ITERATOR = (
    "Make a list or a tuple of it: Dynamo cannot advance an iterator that was created before this "
    "graph began."
)
RULES = (
    Rule(
        r"graph_break\(\)",
        "explicit graph_break()",
        ("The code requests this break. Remove the call to capture past it.",),
        example=example(
            """
            import torch

            def f(x):
                y = x.sin()
                torch._dynamo.graph_break()
                return y + 1
            """,
            """
            def f(x):
                y = x.sin()
                return y + 1
            """,
        ),
    ),
    Rule(
        r"skip_frame\(\)",
        "explicit skip_frame()",
        ("The code requests this skip. Remove the call to compile this frame.",),
        example=example(
            """
            import torch

            def f(x):
                torch._dynamo.skip_frame()
                return x.sin() + 1
            """,
            """
            def f(x):
                return x.sin() + 1
            """,
        ),
    ),
    Rule(
        r"torch\.compiler\.disable",
        "disabled function",
        (
            "The function is marked with `torch.compiler.disable`. Remove that, or call it "
            "before or after the compiled code.",
        ),
        example=example(
            """
            import torch

            @torch.compiler.disable
            def scale(x):
                return x * 2

            def f(x):
                return scale(x + 1) - 1
            """,
            """
            def scale(x):
                return x * 2

            def f(x):
                return scale(x + 1) - 1
            """,
        ),
    ),
    Rule(
        r"(?i)graph break in loop",
        "break inside a loop",
        (
            LOOP,
            "Or fix the break in the loop's body: without one, the loop is captured.",
        ),
    ),
    Rule(
        r"^torch\.Generator method",
        "random generator call",
        ("Set the state of the generator before the call: it is not part of the graph.",),
    ),
    Rule(
        r"(?i)^read uninitialized cell",
        "variable of a closure that has no value yet",
        (
            "Where the program runs uncompiled, this is a generator of this function that is not "
            "at its end where the graph breaks: Dynamo cannot carry it and the variables that it "
            "uses across. Make a list of what it yields before that line, or end the break.",
        ),
        example=example(
            """
            def f(x):
                parts = (x * i for i in range(3))
                print("parts")
                return sum(parts)
            """,
            """
            def f(x):
                parts = [x * i for i in range(3)]
                return sum(parts)  # print("parts") after the call
            """,
            mended_in="2.14",
        ),
    ),
    Rule(
        r"(?i)generator",
        "generator",
    ),
    Rule(
        r"(?i)^missing tp_iter",
        "container that Dynamo cannot loop over",
        ("Loop over it outside of the compiled code, or write out what is in it.",),
        context=r"not implemented for (?:tuple|list|dict|set|frozenset)\b",
        example=example(
            """
            def f(x):
                for _ in float.__mro__:
                    x = x + 1
                return x
            """,
            """
            BASES = tuple(float.__mro__)

            def f(x):
                for _ in BASES:
                    x = x + 1
                return x
            """,
        ),
    ),
    Rule(
        r"(?i)^missing bytecode handler",
        "coroutine",
        (
            "Dynamo does not trace `await`. Compile the functions that the coroutine calls, and "
            "neither it nor what runs it.",
        ),
        # no example: running one can crash Python, by PyTorch 2.13 alone, too
        context=r"GET_AWAITABLE|GET_AITER|GET_ANEXT|BEFORE_ASYNC_WITH",
    ),
    Rule(
        r"(?i)^missing tp_iter",
        "iterator from outside",
        (_ITERATOR,),
    ),
    Rule(  # the same in torch 2.15's words
        r"(?i)^C-implemented special method",
        "iterator from outside",
        (_ITERATOR,),
        context=r"__iter__|__next__",
    ),
    Rule(  # and in torch 2.12's
        r"^Unsupported method call",
        "iterator from outside",
        (_ITERATOR,),
        context=r"UserDefinedObjectVariable\((?:map|zip|enumerate|filter|reversed)\) __iter__",
    ),
    Rule(
        r"(?i)context manager|contextlib",
        "context manager",
        (
            "Enter the context manager outside the compiled function. `torch.no_grad`, `autocast` "
            "and the like are supported inside.",
        ),
        example=example(
            """
            import threading

            lock = threading.Lock()

            def f(x):
                with lock:
                    return x.sin() + 1
            """,
            """
            def f(x):  # with lock: around the call
                return x.sin() + 1
            """,
        ),
    ),
    Rule(
        r"(?i)^Observed exception|Failed to raise|TypeError from user code",
        "exception raised",
        (
            "The code raises an exception here while it is traced. Run it uncompiled to see "
            "whether it raises there too: if it should, catch it outside; if it does not, Dynamo "
            "takes this line for another than it is: leave it out of the compiled code.",
        ),
        example=example(
            """
            def f(x):
                if x.shape[0] != 3:
                    raise ValueError("three rows, please")
                return x * 2
            """,
            """
            def f(x):  # check x.shape[0] before the call
                return x * 2
            """,
        ),
    ),
    Rule(
        r"(?i)^failed to bind arguments",
        "call that does not fit the function",
        (
            "The arguments do not fit the parameters of the function. Run it uncompiled to see "
            "whether it raises there too: if so, mend the call.",
        ),
        example=example(
            """
            def scale(x, by):
                return x * by

            def f(x):
                try:
                    return scale(x)
                except TypeError:
                    return x * 3
            """,
            """
            def scale(x, by=3):
                return x * by

            def f(x):
                return scale(x)
            """,
            mended_in="2.14",
        ),
    ),
    Rule(
        r"^failed to find name in frame builtins",
        "name that is not defined",
        (
            "Dynamo does not find this name among the globals. Define it before the call, or pass "
            "it as an argument.",
            "In a `%%compile` cell, define or import it in a cell above: what the cell itself "
            "assigns is a global only while it runs, too late for Dynamo to see.",
        ),
    ),
)
