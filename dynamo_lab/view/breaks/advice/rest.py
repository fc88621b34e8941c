"""Kinds of break without a small example."""

from dynamo_lab.view.breaks.advice.rule import Rule, example

_FIND = (
    "Find what changes between calls in the guards: a number can become a tensor, and a size be "
    "marked dynamic. `torch._dynamo.config.{}` is the limit."
)

RULES = (
    Rule(
        r"(?i)backend compiler exception",
        "backend failed",
        (
            'The capture worked, but the backend failed. Try `backend="aot_eager"` to see '
            "whether Inductor is the cause.",
        ),
    ),
    Rule(
        r"(?i)recompile limit",
        "too many recompilations",
        (_FIND.format("accumulated_recompile_limit"),),
        r"accumulated_recompile_limit",
    ),
    Rule(
        r"(?i)recompile limit",
        "too many recompilations",
        (_FIND.format("recompile_limit"),),
    ),
    Rule(
        r"(?i)when making fake tensor call|^fake tensor propagation",
        "error in an operator",
        (
            "The operator raises for tensors like these. Run it uncompiled to see whether it "
            "raises there too: if so, its arguments do not fit.",
        ),
    ),
    Rule(
        r"(?i)fake tensor",
        "operator without a fake implementation",
        (
            "The operator cannot run on fake tensors. A custom one needs a fake implementation: "
            "`torch.library.register_fake`.",
        ),
    ),
    Rule(
        r"(?i)mutat|side effect",
        "side effect",
    ),
    Rule(
        r"(?i)^import failure",
        "import that fails",
        (
            "Dynamo runs the import while it traces, and it fails. Import at the top of the file; "
            "a `try` around it works there.",
        ),
    ),
    Rule(
        r"(?i)reconstruct",
        "value that cannot cross the break",
        (
            "A value made in compiled code would have to be made again here, where the graph ends, "
            "and of this kind Dynamo cannot: make it before the call and pass it, or take what the "
            "graph needs of it (a number, a string) at once. Where the graph ends because of "
            "another break on this line, ending that is enough.",
        ),
        example=example(
            """
            import re

            def f(x):
                found = re.match("[0-9]+", "12ab")
                print("found")
                return x * int(found.group())
            """,
            """
            import re

            def f(x):
                number = int(re.match("[0-9]+", "12ab").group())
                return x * number  # print("found") after the call
            """,
        ),
    ),
    Rule(
        r"(?i)in inlined function",
        "break in a called function",
        ("Dynamo had inlined this call. The break to fix is on the innermost line of the stack.",),
    ),
    Rule(r"(?i)higher.?order|^HOP", "unsupported body of a control-flow operator"),
)
