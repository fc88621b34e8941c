"""Graph breaks in plain words: a short title for each kind, and what to do about it.

PyTorch names over 500 kinds of break. The common ones have a rule here; the rest keep PyTorch's own
name and hints.
"""

import re
from typing import NamedTuple

from dynamo_lab.model.breaks import Break


class Rule(NamedTuple):
    """A kind of break: `kind` is searched for in gb_type, `context` in context and reason."""

    kind: str
    title: str
    advice: tuple[str, ...] = ()
    context: str = ""


_LOGGING = (
    "Move the call out of the compiled function, or print after it returns.",
    "To keep it: `torch._dynamo.config.reorderable_logging_functions.add(print)` lets Dynamo run "
    "it after the graph instead of in the middle.",
)
_ITEM = (
    "Keep the value a tensor: `.item()`, `int(t)` and `float(t)` bring it to Python, and the graph "
    "has to stop and wait for it.",
    "If Python needs the number, set `torch._dynamo.config.capture_scalar_outputs = True`: Dynamo "
    "then captures it as a symbol.",
)
_C_FUNCTION = (
    "Use a `torch` function that does the same: Dynamo reads Python bytecode and cannot look into "
    "C code.",
    "If the function is a tensor operation of your own, register it with "
    "`torch.library.custom_op`, or let it into the graph with `torch.compiler.allow_in_graph`.",
    "If it is no tensor work, call it outside, or mark it with `torch.compiler.disable`.",
)
_SKIPPED = (
    "Dynamo skips this library function on purpose. Call it outside the compiled function.",
)
_OPTIMIZER = (
    "Dynamo skips this method of the optimizer on purpose. Compile the forward and the loss, and "
    "call `zero_grad` and `step` outside.",
    "To compile the update as well, compile it on its own: `torch.compile(opt.step)`.",
)
_LOOP = (
    "Move the loop's body into a function and compile that: Dynamo cannot resume inside a loop, so "
    "the whole frame runs eagerly."
)
_ON_PURPOSE = (
    "The library calls `torch._dynamo.graph_break()` on purpose: there is nothing to remove in "
    "your code."
)
_BRANCH = (
    "Choose with tensors: `torch.where(condition, a, b)` computes both sides and stays in the "
    "graph.",
    "If the sides are expensive, `torch.cond(condition, true_fn, false_fn, operands)` captures "
    "both as subgraphs.",
    "If the condition does not depend on the data (a shape, a flag), compute it in Python.",
)
_DYNAMIC = (
    "The size of the result depends on the data (as with `nonzero` or a boolean mask). Use an "
    "operator with a fixed size, such as `torch.where(mask, x, 0)`.",
    "Or set `torch._dynamo.config.capture_dynamic_output_shape_ops = True`.",
)

RULES = (
    Rule(
        r"^Data-dependent branching",
        "data-dependent branch",
        _BRANCH,
    ),
    Rule(
        r"(?i)guard_scalar|Assertion failed on symbolic|Data-dependent assertion",
        "data-dependent assertion",
        (
            "Use `torch._check(condition)` or `torch._assert_async(condition)`, which stay in the "
            "graph.",
        ),
    ),
    Rule(
        r"builtin operator|function marked as skipped|Unsupported function call|reorder",
        "print call",
        _LOGGING,
        r"\bbuiltin print\b|\bqualname: print\b|\bbuiltins\.print\b",
    ),
    Rule(
        r"^logging\.Logger method",
        "logging call",
        (
            "Move the call out of the compiled function.",
            "To drop it while compiled: `torch._dynamo.config.ignore_logging_functions.add(...)`.",
        ),
    ),
    Rule(r"Tensor\.item\(\)", ".item() call", _ITEM),
    Rule(r"Tensor\.tolist\(\)", ".tolist() call", _ITEM),
    Rule(r"(?i)^Data dependent operator", "data-dependent value", _ITEM),
    Rule(
        r"(?i)^Dynamic shape operator|data-dependent output shape", "data-dependent shape", _DYNAMIC
    ),
    Rule(
        r"Dynamic slicing with Tensor",
        "slice by a tensor",
        ("Slice with Python integers, or use `torch.narrow` or `index_select`.",),
    ),
    Rule(
        r"graph_break\(\)",
        "explicit graph_break()",
        ("The break is asked for in the code. Remove the call to capture past it.",),
    ),
    Rule(
        r"skip_frame\(\)",
        "explicit skip_frame()",
        ("The skip is asked for in the code. Remove the call to compile this frame.",),
    ),
    Rule(
        r"torch\.compiler\.disable",
        "disabled function",
        (
            "The function is marked with `torch.compiler.disable`. Remove the mark, or call it "
            "before or after the compiled code.",
        ),
    ),
    Rule(
        r"(?i)graph break in loop",
        "break inside a loop",
        (
            _LOOP,
            "Or fix the break in the loop's body: without one, the loop is captured.",
        ),
    ),
    Rule(
        r"(?i)generator",
        "generator",
        (
            "Build a list instead of yielding, or consume the generator outside the compiled "
            "function.",
        ),
    ),
    Rule(
        r"(?i)context manager|contextlib",
        "context manager",
        (
            "Enter the context manager outside the compiled function. `torch.no_grad`, `autocast` "
            "and the like are supported inside.",
        ),
    ),
    Rule(
        r"(?i)\.backward\(\)|autograd\.grad",
        "autograd call",
        (
            "Compile the forward alone and call `backward()` outside: its graph is compiled as "
            "well.",
        ),
    ),
    Rule(
        r"(?i)numpy|ndarray",
        "NumPy call",
        ("Use the `torch` counterpart. Dynamo traces many NumPy functions, but not this use.",),
    ),
    Rule(
        r"(?i)^Observed exception|Failed to raise|TypeError from user code",
        "exception raised",
        (
            "The code raises here while it is traced. Run it without `torch.compile` to see "
            "whether it raises there too; if it is meant to, catch it outside.",
        ),
    ),
    Rule(r"not implemented in python", "C function", _C_FUNCTION),
    Rule(r"(?i)implemented in C|Untraceable C", "C function", _C_FUNCTION),
    Rule(
        r"(?i)builtin operator|builtin op",
        "builtin function",
        ("Use an equivalent `torch` function, or call the builtin outside the compiled function.",),
    ),
    Rule(
        r"function marked as skipped", "C function", _C_FUNCTION, r"trace the builtin|C/C\+\+ func"
    ),
    Rule(
        r"function marked as skipped",
        "optimizer call",
        _OPTIMIZER,
        r"\bOptimizer\.|\btorch[./\\]optim[./\\](?!lr_scheduler)",
    ),
    Rule(r"function marked as skipped", "function Dynamo skips", _SKIPPED),
    Rule(r"^Unsupported function call", "function Dynamo cannot trace", _C_FUNCTION),
    Rule(
        r"RNN, GRU, or LSTM",
        "RNN, GRU or LSTM",
        ("Compile the rest of the model, and leave the recurrent module outside.",),
    ),
    Rule(
        r"^Unsupported method call",
        "method Dynamo cannot trace",
        ("Call the method outside the compiled function, or write it with `torch` functions.",),
    ),
    Rule(
        r"(?i)backend compiler exception",
        "backend failed",
        (
            'The capture worked, the backend failed on it. Try `backend="aot_eager"` to see '
            "whether Inductor is to blame.",
        ),
    ),
    Rule(
        r"(?i)recompile limit",
        "too many recompilations",
        (
            "Find what changes between calls in the guards, and make it a tensor or mark it "
            "dynamic; `torch._dynamo.config.recompile_limit` is the limit.",
        ),
    ),
    Rule(
        r"(?i)fake tensor",
        "operator without shape rule",
        (
            "The operator cannot run on fake tensors. A custom one needs a shape rule: "
            "`torch.library.register_fake`.",
        ),
    ),
    Rule(
        r"(?i)mutat|side effect",
        "side effect",
        ("Return the new value instead of changing an object that outlives the call.",),
    ),
    Rule(r"(?i)import", "import inside the function", ("Import at the top of the file.",)),
    Rule(
        r"(?i)reconstruct",
        "value that cannot cross the break",
        ("Fix the break before it first: this value only has to be rebuilt because of that one.",),
    ),
    Rule(
        r"(?i)in inlined function",
        "break in a called function",
        ("Dynamo had inlined this call. The break to fix is the innermost line of the stack.",),
    ),
    Rule(r"(?i)higher.?order|^HOP", "unsupported body of a control-flow operator"),
)


def rule_of(graph_break: Break) -> Rule:
    """The first rule that fits, or one with PyTorch's own name for the break and no advice."""
    about = f"{graph_break.context}\n{graph_break.reason}"
    for rule in RULES:
        if re.search(rule.kind, graph_break.gb_type) and re.search(rule.context, about):
            return rule
    kind = graph_break.gb_type.strip() or "graph break"
    return Rule("", kind[:1].lower() + kind[1:] if not kind[:2].isupper() else kind)


# Hints that leave a reader nothing to do, or nothing that the title does not say.
_IDLE = re.compile(
    r"Please (?:report|file) an issue|This graph break is fundamental|"
    r"This is likely to be a Dynamo bug|"
    r"This graph break may be difficult to debug|It may be possible to write Dynamo tracing rules|"
    r"Consider finding a workaround|Avoid calling "
)
_SPACE = re.compile(r"[ \t\r\n]+")
_NAME = re.compile(r"\btorch(?:\.\w+)+")


_IN_LOOP = re.compile(r"(?i)\bfor/while loop|\bbreak in (?:a )?loop|\bin a (?:for|while) loop")


def advice_for(graph_break: Break, is_library: bool = False) -> tuple[str, ...]:
    """Our advice, then those of PyTorch's hints that name something new to do.

    `is_library` tells that the innermost line which broke is not the reader's.
    """
    ours = _ours(graph_break, is_library)
    known = set(_NAME.findall(" ".join(ours)))
    tidy = (_SPACE.sub(" ", hint).strip() for hint in graph_break.hints)
    hints = [hint for hint in tidy if hint and not _is_said(hint, known)]
    helpful = [*ours, *(hint for hint in hints if not _IDLE.match(hint))]
    return tuple(dict.fromkeys(helpful or hints))


def _ours(graph_break: Break, is_library: bool) -> tuple[str, ...]:
    advice = rule_of(graph_break).advice
    if is_library and re.search(r"graph_break\(\)", graph_break.gb_type):
        advice = (_ON_PURPOSE,)
    if graph_break.effect != "skipped" or not _IN_LOOP.search(graph_break.reason):
        return advice
    return (_LOOP, *advice)


def _is_said(hint: str, known: set[str]) -> bool:
    names = set(_NAME.findall(hint))
    return bool(names) and all(any(said.startswith(name) for said in known) for name in names)
