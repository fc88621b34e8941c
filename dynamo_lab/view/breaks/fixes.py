"""Fixes to try for a break: each with a name, a sentence, and what the user would write."""

import re
from collections.abc import Callable, Iterator, Set
from typing import NamedTuple

from msgspec import Struct

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.core.sources import Span
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.breaks.backwards import SYMBOL_SETTINGS, loses_symbols
from dynamo_lab.view.breaks.crossing import begins_before
from dynamo_lab.view.breaks.math_calls import innermost, is_moved
from dynamo_lab.view.breaks.printing import PUT_OFF, can_be_put_off
from dynamo_lab.view.breaks.rewrites import Refusal, with_cond, with_where, without_call
from dynamo_lab.view.findings.changes import Helper, Rewrite, Setting


class Fix(Struct, frozen=True, kw_only=True):
    """A fix to try: `rec.try_fix(break_id, name)` does. `code` is a setting, or a diff."""

    name: str
    sentence: str
    code: str

    def __str__(self) -> str:
        return f"{self.name}: {self.sentence}\n\n{self.code}"


class Remedy(NamedTuple):
    """A fix, and how it is applied."""

    fix: Fix
    change: Setting | Rewrite | Helper
    span: Span


class Remedies(NamedTuple):
    """The fixes to try for one break, the most promising first, and why there are no more."""

    found: tuple[Remedy, ...]
    refusal: str


class _Known(NamedTuple):
    kind: str
    context: str
    setting: Setting
    sentence: str


_GRADIENT = "trace_autograd_ops"
_PRINT = "runs it after the graph. Keyword arguments of the call are dropped or rejected."
_SETTINGS = (
    _Known(
        r"Tensor\.item\(\)|^Data dependent operator",
        r"item|_local_scalar_dense",
        Setting("capture_scalar_outputs"),
        "Dynamo captures the number as a symbol instead of stopping for it.",
    ),
    _Known(
        r"(?i)^Dynamic shape operator|data-dependent output shape",
        r"^(?!aten\._ctc_loss)",  # which breaks then for want of a rule for its shapes
        Setting("capture_dynamic_output_shape_ops"),
        "Dynamo captures the operator and gives the size a symbol. Where Python decides by that "
        "size, the program breaks there instead, or fails.",
    ),
    _Known(
        r"builtin operator|marked as skipped|Unsupported function call",
        r"\bbuiltin print\b|\bqualname: print\b|\bbuiltins\.print\b",
        Setting("reorderable_logging_functions", "print"),
        f"Dynamo keeps the call, and {_PRINT}",
    ),
    _Known(
        r"marked as skipped",
        r"\bmodule: _?warnings, qualname: warn\b",
        Setting("reorderable_logging_functions", "warnings.warn"),
        f"Dynamo keeps the warning, and {_PRINT}",
    ),
    _Known(
        r"RNN, GRU, or LSTM|\(delayed\)",
        r"LSTM|GRU|RNN",
        Setting("allow_rnn"),
        "Dynamo captures the recurrent module step by step.",
    ),
    _Known(
        r"autograd\.grad`|Tensor\.backward\(\)",
        "",
        Setting(_GRADIENT),
        "Dynamo captures the gradient computation with the forward.",
    ),
)
_RESUMED = re.compile(r"^torch_dynamo_resume_in_(.+?)_at_\d+$")
_LOGGER = re.compile(
    r"method: <\w*Logger .*?>\.(debug|info|warning|warn|error|exception|critical|fatal|log)\b"
)
"""The calls that log; of what logging itself calls, as `findCaller`, it needs the results."""

_Rewriter = Callable[[str, int], Rewrite]
_BRANCH: tuple[tuple[str, _Rewriter, str], ...] = (
    ("torch.where", with_where, "Choose with tensors: both sides are computed, one is taken."),
    ("torch.cond", with_cond, "Capture both sides as subgraphs: only one runs."),
)
_REMOVED = "Remove the call from the compiled code."


def fixes_of(recording: Recording, item: Break, called: Set[int]) -> tuple[Fix, ...]:
    """The fixes to try for a break, the most promising first."""
    return tuple(remedy.fix for remedy in remedies(recording, item, called).found)


def remedies(recording: Recording, item: Break, called: Set[int]) -> Remedies:
    """The fixes to try for a break, and how to apply them; `called` as of `called_frames`."""
    span = innermost(recording, item)
    known = () if is_moved(item, recording) else _settings(item)
    if not can_be_put_off(item, recording, called):
        known = [one for one in known if one.setting.option != PUT_OFF]
    if begins_before(item, recording):
        known = [one for one in known if one.setting.option != _GRADIENT]
    if loses_symbols(item, recording):
        known = [one for one in known if one.setting.option not in SYMBOL_SETTINGS]
    found = [_with_setting(one.setting, one.sentence, span) for one in known]
    rewritten, refusal = _rewrites(recording, item, span)
    removal = re.search(r"graph_break\(\)|skip_frame\(\)", item.gb_type)
    found = [*found, *rewritten] if not removal else [*rewritten, *found]
    found += _disabled(recording, item, span)
    return Remedies(tuple(found), refusal)


def _settings(item: Break) -> Iterator[_Known]:
    about = f"{item.context}\n{item.reason}"
    for known in _SETTINGS:
        if re.search(known.kind, item.gb_type) and re.search(known.context, about):
            yield known
    if logger := _LOGGER.match(item.context):
        ignored = Setting("ignore_logging_functions", f"logging.Logger.{logger[1]}")
        yield _Known(
            "", "", ignored, "Dynamo drops the call from compiled code: nothing is logged."
        )


def _with_setting(setting: Setting, sentence: str, span: Span) -> Remedy:
    fix = Fix(name=setting.option, sentence=sentence, code=setting.code)
    return Remedy(fix, setting, span)


def _rewrites(recording: Recording, item: Break, span: Span) -> tuple[list[Remedy], str]:
    source = recording.sources[span.source]
    rewriters = _rewriters_for(item)
    if not rewriters:
        return [], ""
    if source.kind == "library" or len(source.excerpts) != 1:
        return [], "The line is in a library, whose source is not edited."
    found: list[Remedy] = []
    refusal = ""
    for name, rewriter, sentence in rewriters:
        try:
            change = rewriter(source.excerpts[0].text, span.line)
        except Refusal as reason:
            refusal = str(reason)
            continue
        found.append(Remedy(Fix(name=name, sentence=sentence, code=change.diff), change, span))
    return found, refusal


def _rewriters_for(item: Break) -> tuple[tuple[str, _Rewriter, str], ...]:
    if item.gb_type.startswith("Data-dependent branching"):
        return _BRANCH
    if re.search(r"graph_break\(\)|skip_frame\(\)", item.gb_type):
        return (("remove the call", without_call, _REMOVED),)
    logs = any(known.setting.add for known in _settings(item))
    return (("remove the call", without_call, _REMOVED),) if logs else ()


def _disabled(recording: Recording, item: Break, span: Span) -> Iterator[Remedy]:
    """Leave the called function that contains the break out of the graph.

    Where Dynamo cannot resume after the call, a break at the call gives the frame up as well.
    """
    if item.effect == "skipped":
        return
    is_called = item.stack is not None and len(recording.stacks[item.stack]) > 1
    is_own = recording.sources[span.source].kind != "library"
    name = _RESUMED.sub(r"\1", span.function)
    if not (is_called and is_own and name.isidentifier()):
        return
    fix = Fix(
        name="torch.compiler.disable",
        sentence=f"Run `{name}` eagerly as a whole. This moves the break to its call, and "
        "does not remove it; it helps where the function breaks several times.",
        code=f"@torch.compiler.disable\ndef {name}(...):",
    )
    yield Remedy(fix, Helper(name), span)
