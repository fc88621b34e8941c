"""Functions and methods that Dynamo cannot look into."""

from dynamo_lab.view.breaks.advice.rule import Rule, example

_SKIPPED = r"function marked as skipped"
_C_FUNCTION = (
    "Use a `torch` function that does the same: Dynamo reads Python bytecode and cannot look into "
    "C code.",
    "If the function is a tensor operation of your own, register it with "
    "`torch.library.custom_op` and a fake implementation.",
    "If it does no tensor work, call it outside, and pass the result or keep it as a constant.",
)
_C_EXAMPLE = example(
    """
    import zlib

    def f(x):
        return x * 2 + zlib.crc32(b"seed") % 7
    """,
    """
    import zlib

    SHIFT = zlib.crc32(b"seed") % 7

    def f(x):
        return x * 2 + SHIFT
    """,
)

FRAMES = Rule(
    _SKIPPED,
    "look at Python's stack",
    (
        "A compiled function has no Python frame to inspect. Pass the name or the line that you "
        "need, or look it up outside.",
    ),
    r"qualname: _getframe\b|module: inspect\b",
    example(
        """
        import sys

        def f(x):
            name = sys._getframe().f_code.co_name
            return x * 2 + len(name)
        """,
        """
        def f(x):
            name = "f"
            return x * 2 + len(name)
        """,
    ),
)
NUMPY = Rule(
    r"(?i)numpy|ndarray",
    "NumPy call",
    ("Use the `torch` counterpart. Dynamo traces many NumPy functions, but not this use.",),
    example=example(
        """
        import numpy
        import torch

        def f(x):
            share = numpy.interp(x.numpy(), [0.0, 2.0], [0.0, 1.0])
            return torch.from_numpy(share).float() * 2
        """,
        """
        def f(x):
            share = (x / 2).clamp(0, 1)
            return share * 2
        """,
    ),
)
COPY = Rule(
    r"copy\.deepcopy",
    "deepcopy of a tensor",
    ("Copy a tensor with `x.clone()`, and an object that holds some outside.",),
    example=example(
        """
        import copy

        def f(x):
            y = copy.deepcopy(x)
            return y.add_(1) * x
        """,
        """
        def f(x):
            y = x.clone()
            return y.add_(1) * x
        """,
    ),
)

RULES = (
    COPY,
    Rule(
        r"builtin op|BUILD_CLASS|__build_class__|function marked as skipped",
        "class defined inside",
        ("Define the class at the top of the file: inside, each call defines it again.",),
        r"(?i)build_class",
        example(
            """
            def f(x):
                class Settings:
                    scale = 2

                return x * Settings.scale
            """,
            """
            class Settings:
                scale = 2

            def f(x):
                return x * Settings.scale
            """,
        ),
    ),
    Rule(
        r"(?i)^attempted to call a super\(\) attribute",
        "call of a parent's method that is written in C",
        (
            "Dynamo cannot call it. Make the object before the call; a class of exceptions needs "
            "no `__init__` of its own: without one it is raised and caught in compiled code.",
        ),
        example=example(
            """
            class Missing(Exception):
                def __init__(self, name):
                    super().__init__(f"no {name}")

            def f(x):
                try:
                    raise Missing("scale")
                except Missing:
                    return x * 2
            """,
            """
            class Missing(Exception):
                pass

            def f(x):
                try:
                    raise Missing("no scale")
                except Missing:
                    return x * 2
            """,
            mended_in="2.14",
        ),
    ),
    Rule(r"not implemented in python", "C function", _C_FUNCTION),
    Rule(r"(?i)implemented in C|Untraceable C", "C function", _C_FUNCTION),
    Rule(
        r"(?i)builtin operator|builtin op",
        "built-in function",
        ("Use an equivalent `torch` function, or call it outside the compiled function.",),
        example=example(
            """
            def f(x):
                names = globals()
                return x * 2 + ("scale" in names)
            """,
            """
            HAS_SCALE = "scale" in globals()

            def f(x):
                return x * 2 + HAS_SCALE
            """,
        ),
    ),
    Rule(
        _SKIPPED,
        "C function",
        _C_FUNCTION,
        r"trace the builtin|C/C\+\+ func",
        _C_EXAMPLE,
    ),
    Rule(
        _SKIPPED,
        "optimizer step with a scheduler",
        (
            "A learning-rate scheduler wraps `step`, and Dynamo skips that wrapper on purpose. The "
            "optimizer's own `step`, which it calls, is compiled by itself: there is nothing to "
            "change here.",
        ),
        r"\boptim[./\\]lr_scheduler\.py",
    ),
    Rule(
        _SKIPPED,
        "optimizer call",
        (
            "Dynamo skips this method of the optimizer on purpose. Compile the forward and the "
            "loss, and call `zero_grad` and `step` outside.",
            "So that the update is compiled there too, compile it on its own: "
            "`torch.compile(opt.step)`.",
        ),
        r"\bOptimizer\.|\btorch[./\\]optim[./\\](?!lr_scheduler)",
        example(
            """
            import torch

            weight = torch.ones(4, requires_grad=True)
            opt = torch.optim.SGD([weight], lr=0.1)

            def f(x):
                opt.zero_grad()
                return (weight * x).sum()
            """,
            """
            import torch

            weight = torch.ones(4, requires_grad=True)
            opt = torch.optim.SGD([weight], lr=0.1)

            def f(x):  # opt.zero_grad() before the call
                return (weight * x).sum()
            """,
        ),
    ),
    Rule(
        _SKIPPED,
        "function Dynamo skips",
        ("Dynamo skips this library function on purpose. Call it outside the compiled function.",),
    ),
    Rule(
        "",
        "view of an argument, in place",
        (
            "Take the view out of place, as `x = x.t()` for `x.t_()` and `x = y` for `x.set_(y)`: "
            "the caller's tensor then stays as it is. Or do it before the compiled function.",
        ),
        context="inplace view on a graph input",
        example=example(
            """
            def f(x):
                x.t_()
                return x * 2
            """,
            """
            def f(x):
                x = x.t()
                return x * 2
            """,
            "torch.arange(4.0).reshape(2, 2)",
        ),
    ),
    Rule(r"^Unsupported function call", "function Dynamo cannot trace", _C_FUNCTION),
    Rule(
        r"op returned non-Tensor",
        "torch function that returns no tensor",
        (
            "A graph holds tensors. Call the function beforehand, and use its result as a "
            "constant or an argument.",
        ),
        example=example(
            """
            import torch

            def f(x):
                return x / torch.get_num_threads()
            """,
            """
            import torch

            THREADS = torch.get_num_threads()

            def f(x):
                return x / THREADS
            """,
        ),
    ),
    Rule(
        r"^Unsupported method call",
        "method Dynamo cannot trace",
        ("Call the method outside the compiled function, or write it with `torch` functions.",),
        example=example(
            """
            def f(x):
                size = x.untyped_storage().nbytes()
                return x * 2 + size
            """,
            """
            def f(x):
                size = x.numel() * x.element_size()
                return x * 2 + size
            """,
        ),
    ),
)
