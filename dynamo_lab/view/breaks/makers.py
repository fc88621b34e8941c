"""Breaks where compiled code makes an optimizer or a module, or hands on a module's generator."""

import re

from dynamo_lab.model.breaks import Break
from dynamo_lab.view.breaks.advice import Rule, rule_of
from dynamo_lab.view.core.places import Places

_OPTIMIZER = Rule(
    "",
    "optimizer made in compiled code",
    (
        "Make the optimizer before the compiled code, in an earlier cell: Dynamo does not compile "
        "its constructor, and what breaks there can leave the whole frame to Python.",
        "If a loop runs the steps, compile one step as a function, and call it in the loop: a loop "
        "in which something breaks is not compiled.",
    ),
)
_MODULE_MADE = Rule(
    "",
    "nn.Module made in compiled code",
    (
        "Make the module once, before the compiled code. Where Python makes it after a break, "
        "Dynamo meets its constructor before `super().__init__()` has run, and cannot trace that.",
    ),
)
_GENERATOR = Rule(
    "",
    "generator of a module",
    ("Make a list of what it yields: `list(model.parameters())`. Dynamo cannot hand it on.",),
)
_COMPREHENSION = Rule(
    "",
    "comprehension that Python runs",
    (
        "This comprehension is a frame of its own, as the function around it is left to Python "
        "here: there is nothing to change in it, but what breaks before it.",
    ),
)
_FSDP = Rule(
    "",
    "FSDP's own hook",
    (
        "Nothing of yours breaks here: FSDP gathers the parameters of the module that is called, "
        "in Python, on purpose, and frees them afterwards.",
        "Compile the parts that are sharded, each before its `fully_shard`, and not what calls "
        "them: then FSDP's hooks run between the graphs, and no loop is left to Python for them.",
    ),
)
_DDP = Rule(
    "",
    "DDP's own preparation",
    (
        "Nothing of yours breaks here: DDP prepares each forward in Python, and there is nothing "
        "to change. If the module that it wraps is of a class of yours, its `forward` is compiled "
        "as a frame of its own; one of PyTorch's, such as `nn.Sequential`, is not: compile that "
        "before it is wrapped, `DistributedDataParallel(torch.compile(model))`.",
    ),
)
_WITHIN_PYTORCH = (
    "PyTorch breaks here in its own code, called from no line of yours in this frame: there is "
    "nothing to change. Your functions that it calls are compiled as frames of their own.",
)
_WITHIN_LOGGING = (
    "Python's `logging` runs here, for a call that Dynamo left to Python: there is nothing to "
    "change but that call.",
)
_LOGGING = re.compile(r"(?:^|[/\\])logging[/\\]__init__\.py$")
_PYTORCH = re.compile(r"(?:^|[/\\])torch[/\\]|(?:^|[/\\])contextlib\.py$")
_OPTIM = re.compile(r"(?:^|[/\\])torch[/\\]optim[/\\]\w+\.py$")
_MODULE = re.compile(r"(?:^|[/\\])torch[/\\]nn[/\\]modules[/\\]module\.py$")
_WRAPPERS = (
    (re.compile(r"(?:^|[/\\])torch[/\\]distributed[/\\]fsdp[/\\]"), _FSDP),
    (re.compile(r"(?:^|[/\\])torch[/\\]nn[/\\]parallel[/\\]distributed\.py$"), _DDP),
)
_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
_SAYS_OPTIMIZER = re.compile(r"(?i)\boptim\b|optimizer")


def rule_at(item: Break, places: Places) -> Rule:
    """The rule of a break; where it broke can tell more than what PyTorch says of it."""
    return made_there(item, places) or rule_of(item)


def made_there(item: Break, places: Places) -> Rule | None:
    """The rule of a break inside a constructor, a hook of FSDP's, DDP, or a generator."""
    spans = [places.spans[span] for span in _stack(item, places)]
    files = [(places.sources[span.source].path, span.function) for span in spans]
    if any(_OPTIM.search(path) and name == "__init__" for path, name in files):
        return _OPTIMIZER
    if item.gb_type.lower().startswith("uninitialized nn.module") and "__init__" in files[-1][1]:
        return _MODULE_MADE
    if wrapper := of_wrapper(item, places):
        return wrapper
    if item.gb_type.lower().startswith("missing tp_iter") and files[0][1] in _COMPREHENSIONS:
        return _COMPREHENSION
    is_of_module = "enerator" in item.gb_type and any(_MODULE.search(path) for path, _ in files)
    if not is_of_module:
        return None
    own = [places.text(line) for line in places.lines_of(item.stack) if not places.is_library(line)]
    return _OPTIMIZER if own and _SAYS_OPTIMIZER.search(own[-1]) else _GENERATOR


def of_wrapper(item: Break, places: Places) -> Rule | None:
    """The rule of a break that DDP or FSDP makes itself, below the reader's last line if any."""
    below: list[str] = []
    for span in reversed(_stack(item, places)):
        if not places.is_library(places.line_of(span)):
            break
        below.append(places.sources[places.spans[span].source].path)
    for files, rule in _WRAPPERS:
        if any(files.search(path) for path in below):
            return rule
    return None


def is_of_pytorch(item: Break, places: Places) -> bool:
    """Whether a break lies in PyTorch's own code, and no line of the reader led there.

    The call of a module that the reader had compiled is no such code, whoever wrote the module, and
    hooks that PyTorch calls are somebody's.
    """
    lines = [places.line_of(span) for span in _stack(item, places)]
    is_called = all(map(places.is_call, lines)) or "backwards hooks" in item.gb_type
    return _lies_in(_PYTORCH, item, places) and not is_called


def is_of_logging(item: Break, places: Places) -> bool:
    """Whether a break lies in Python's `logging`, which runs there for a call left to Python."""
    return _lies_in(_LOGGING, item, places)


def within(item: Break, places: Places) -> tuple[str, ...]:
    """What to know of a break in PyTorch's or `logging`'s own code, where no line led there."""
    if is_of_pytorch(item, places):
        return _WITHIN_PYTORCH
    return _WITHIN_LOGGING if is_of_logging(item, places) else ()


def _lies_in(files: re.Pattern[str], item: Break, places: Places) -> bool:
    lines = [places.line_of(span) for span in (item.span, *_stack(item, places))]
    return all(
        places.is_library(line) and files.search(places.sources[line[0]].path) for line in lines
    )


def _stack(item: Break, places: Places) -> tuple[int, ...]:
    return (item.span,) if item.stack is None else places.stack_spans[item.stack]
