"""Calls with side effects outside the computation: print, log, read a clock or a file."""

from dynamo_lab.view.breaks.advice.rule import Rule, example

_SKIPPED = r"function marked as skipped"
_LOGGING = (
    "Move the call out of the compiled function, or print after it returns.",
    "To keep it: `torch._dynamo.config.reorderable_logging_functions.add(print)` lets Dynamo run "
    "it after the graph instead of in the middle.",
)

RULES = (
    Rule(
        r"builtin operator|function marked as skipped|Unsupported function call|reorder",
        "print call",
        _LOGGING,
        r"\bbuiltin print\b|\bqualname: print\b|\bbuiltins\.print\b",
        example(
            """
            def f(x):
                total = x.sum()
                print("total", total)
                return x / total, total
            """,
            """
            def f(x):
                total = x.sum()
                return x / total, total  # print("total", total) after the call
            """,
        ),
    ),
    Rule(
        r"^logging\.Logger method",
        "logging call",
        (
            "Move the call out of the compiled function.",
            "To drop it while compiled: `torch._dynamo.config.ignore_logging_functions.add(...)`.",
        ),
        example=example(
            """
            import logging

            log = logging.getLogger("training")

            def f(x):
                y = x * 2
                log.info("one step")
                return y + 1
            """,
            """
            import logging

            log = logging.getLogger("training")

            def f(x):
                y = x * 2
                return y + 1  # log.info("one step") after the call
            """,
        ),
    ),
    Rule(
        _SKIPPED,
        "warning",
        (
            "Warn before or after the compiled function.",
            "To keep it: `torch._dynamo.config.reorderable_logging_functions.add(warnings.warn)` "
            "lets Dynamo run it after the graph.",
        ),
        r"\bqualname: warn\b",
        example(
            """
            import warnings

            def f(x):
                y = x * 2
                if x.shape[0] < 8:
                    warnings.warn("a small batch")
                return y + 1
            """,
            """
            def f(x):  # warn before the call: x.shape[0] is known there
                y = x * 2
                return y + 1
            """,
        ),
    ),
    Rule(
        r"function marked as skipped|time function|^Unsupported method call",
        "clock",
        (
            "Time the call from outside: inside, the clock breaks the graph, and on a GPU says "
            "when work was handed over, not when it was done.",
        ),
        r"module: time\b|\btime\.\w+\(\)|\bdatetime\.\w+'>\) (?:now|utcnow|today)\b"
        r"|qualname: date(?:time)?\.(?:now|utcnow|today)\b",  # the last until torch 2.12
        example(
            """
            import time

            def f(x):
                start = time.perf_counter()
                y = x.sin()
                elapsed = time.perf_counter() - start
                return y
            """,
            """
            def f(x):  # time.perf_counter() before and after the call
                y = x.sin()
                return y
            """,
        ),
    ),
    Rule(
        _SKIPPED,
        "seed set inside",
        ("Set the seed before the call: it is not part of the graph.",),
        r"\bqualname: (?:Random\.)?(?:manual_seed|seed)\b",
        example(
            """
            import torch

            def f(x):
                torch.manual_seed(0)
                return x + torch.rand(4)
            """,
            """
            import torch

            def f(x):  # torch.manual_seed(0) before the call
                return x + torch.rand(4)
            """,
        ),
    ),
    Rule(
        r"Failed to convert args/kwargs to proxy",
        "generator of random numbers",
        (
            "No `torch.Generator` is part of a graph. Draw the numbers before the call and pass "
            "them, or draw from PyTorch's own generator, without `generator=`.",
        ),
        r"\bUserDefinedObjectVariable\(Generator\)",
        example(
            """
            import torch

            source = torch.Generator().manual_seed(0)

            def f(x):
                return x * 2 + torch.rand(4, generator=source)
            """,
            """
            import torch

            noise = torch.rand(4, generator=torch.Generator().manual_seed(0))

            def f(x):
                return x * 2 + noise
            """,
        ),
    ),
    Rule(
        _SKIPPED,
        "Python's random numbers",
        (
            "Where the number is only computed with, draw with `torch.rand` or `torch.randn`, "
            "which are part of the graph. Where Python decides by it, draw and decide before the "
            "call.",
        ),
        r"module: random\b|qualname: Random\.\w+",
        example(
            """
            import random

            def f(x):
                return x * 2 + random.gauss(0.0, 1.0)
            """,
            """
            import torch

            def f(x):
                return x * 2 + torch.randn(())
            """,
            same=False,
        ),
    ),
    Rule(
        _SKIPPED,
        "operating system call",
        (
            "Ask for files, folders and environment variables before the call, and pass the "
            "results, or keep them in constants.",
        ),
        r"module: (?:posix|nt|os)\b",
        example(
            """
            import os

            def f(x):
                depth = os.getcwd().count(os.sep)
                return x * 2 + depth
            """,
            """
            import os

            DEPTH = os.getcwd().count(os.sep)

            def f(x):
                return x * 2 + DEPTH
            """,
        ),
    ),
    Rule(
        r"builtin operator",
        "file opened inside",
        ("Read and write files outside the compiled function, and pass what was read.",),
        r"\bbuiltin open\b",
        example(
            """
            import os

            def f(x):
                text = open(os.devnull).read()
                return x * 2 + len(text)
            """,
            """
            import os

            text = open(os.devnull).read()

            def f(x):
                return x * 2 + len(text)
            """,
        ),
    ),
    Rule(
        _SKIPPED,
        "saving inside",
        ("Return the tensors, and save them outside the compiled function.",),
        r"module: (?:torch\.serialization|_?pickle)\b",
        example(
            """
            import io
            import torch

            file = io.BytesIO()

            def f(x):
                y = x * 2
                torch.save(y, file)
                return y
            """,
            """
            def f(x):
                y = x * 2
                return y  # torch.save(y, file) after the call
            """,
        ),
    ),
)
