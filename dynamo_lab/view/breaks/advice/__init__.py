"""Graph breaks in plain words: for each kind a short title, what to do about it, and an example.

PyTorch names over 500 kinds of break. The common ones have a rule here; the rest keep PyTorch's own
name and hints.
"""

import re

from dynamo_lab.model.breaks import Break
from dynamo_lab.view.breaks.advice import calls, control, effects, rest, shapes, training, values
from dynamo_lab.view.breaks.advice.rule import Example, Rule

__all__ = ["RULES", "Example", "Rule", "advice_for", "rule_of"]

# The first match counts, so rules that look at the context come before rules for a whole kind.
RULES = (
    *effects.RULES,
    *values.RULES,
    *shapes.RULES,
    *control.RULES,
    *training.RULES,
    calls.NUMPY,
    calls.FRAMES,
    *calls.RULES,
    *rest.RULES,
)


def rule_of(graph_break: Break) -> Rule:
    """The first rule that fits, or one with PyTorch's own name for the break and no advice."""
    about = f"{graph_break.context}\n{graph_break.reason}\n{graph_break.opname}"
    for rule in RULES:
        if re.search(rule.kind, graph_break.gb_type) and re.search(rule.context, about):
            return rule
    kind = graph_break.gb_type.strip() or "graph break"
    return Rule("", kind[:1].lower() + kind[1:] if not kind[:2].isupper() else kind)


# Hints with nothing to do, or with nothing that the title does not say; and two that name, one of
# them wrongly, `config.trace_autograd_ops`: where that helps, it is among the fixes to try.
_IDLE = re.compile(
    r"Please (?:report|file) an issue|This graph break is fundamental|"
    r"This is likely to be a Dynamo bug|"
    r"This graph break may be difficult to debug|It may be possible to write Dynamo tracing rules|"
    r"Consider finding a workaround|Avoid calling |Your code may result in an error when running|"
    r"If it is a Python builtin, please file an issue|"
    r"If you are attempting to call a logging function|"
    r"(?:Set|Change) `?torch\._dynamo\.(?:config\.)?trace_autograd_ops|"
    r"Sparse tensor operations are not yet fully supported"
)
# A hint for other people's extensions, where the rule knows the function as one of Python's own.
_OF_EXTENSIONS = re.compile(r"If it is a third-party C/C\+\+ Python extension")
_SPACE = re.compile(r"[ \t\r\n]+")
_NAME = re.compile(r"\btorch(?:\.\w+)+")


# Hints for an `if` that chooses between values.
_OF_CHOICE = re.compile(r"For the common pattern `if tensor_cond|Use `torch\.cond`")
_OF_JOINED = re.compile(r"Note: Python `or`/`and`")
_IN_LOOP = re.compile(r"(?i)\bfor/while loop|\bbreak in (?:a )?loop|\bin a (?:for|while) loop")


def advice_for(
    graph_break: Break, is_library: bool = False, statement: str = "", joins: bool = True
) -> tuple[str, ...]:
    """Our advice, then those of PyTorch's hints that suggest something new.

    `is_library` says that the innermost line that broke is a library's, `statement` what a
    condition there decides: "assert", "while", "raise", "leave" (a loop), "sometimes" (to assign)
    or nothing special, `joins` whether an `and` or `or` is there, or may be.
    """
    if is_library and rule_of(graph_break).title == "context manager":
        return ()  # nobody enters a library's lock for it
    ours = _ours(graph_break, is_library, statement)
    known = set(_NAME.findall(" ".join(ours)))
    tidy = (_SPACE.sub(" ", hint).strip() for hint in graph_break.hints)
    hints = [hint for hint in tidy if hint and not _is_said(hint, known)]
    if values.by_statement(rule_of(graph_break).title, statement):
        hints = [hint for hint in hints if not _OF_CHOICE.match(hint)]
    if not joins:
        hints = [hint for hint in hints if not _OF_JOINED.match(hint)]
    if rule_of(graph_break) in effects.RULES:
        hints = [hint for hint in hints if not _OF_EXTENSIONS.match(hint)]
    helpful = [*ours, *(hint for hint in hints if not _IDLE.match(hint))]
    return tuple(dict.fromkeys(helpful or hints))


def _ours(graph_break: Break, is_library: bool, statement: str) -> tuple[str, ...]:
    rule = rule_of(graph_break)
    advice = values.by_statement(rule.title, statement) or rule.advice
    if is_library and re.search(r"graph_break\(\)", graph_break.gb_type):
        advice = (control.ON_PURPOSE,)
    is_in_loop = graph_break.effect == "skipped" and _IN_LOOP.search(graph_break.reason)
    return (control.LOOP, *advice) if is_in_loop and statement != "leave" else advice


def _is_said(hint: str, known: set[str]) -> bool:
    names = set(_NAME.findall(hint))
    return bool(names) and all(any(said.startswith(name) for said in known) for name in names)
