"""The program read a result whose memory a later run of its CUDA graphs had taken."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from dynamo_lab.model.cuda_graphs.trees import CudaOverwritten
from dynamo_lab.model.recording import Failure
from dynamo_lab.view.core.places import entity_if_known
from dynamo_lab.view.core.words import first_up
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found

_READ = re.compile(
    r"accessing (gradient )?tensor output of CUDAGraphs that has been overwritten\s+by a subsequent"
)
"""PyTorch's words, torch/_inductor/cudagraph_trees.py, `format_dealloc_msg`."""

_LINE = re.compile(r'File "([^"]+)", line (\d+),')

_CLONING = "cudagraph_trees_generation_cloning"
_MARK = "torch.compiler.cudagraph_mark_step_begin()"


class _Remedy(NamedTuple):
    """What to do, and what to write."""

    text: str
    code: str


_KEEP = "Clone what has to outlive a step, outside of the compiled function"
_CLONE = _Remedy(f"{_KEEP}.", "kept = compiled(x).clone()")
_STEP = _Remedy(
    f"Where several calls belong together, mark once where each iteration begins: what they return "
    f"then lives until the next mark. Else: {_KEEP[0].lower()}{_KEEP[1:]}.",
    _MARK,
)
_GRADIENT = _Remedy(
    "Set gradients to None before each backward, so that none outlives a step. To accumulate them, "
    "have them made outside of CUDA graphs: by an eager step, or as zeros before the first one.",
    "optimizer.zero_grad(set_to_none=True)",
)


def find(facts: Facts) -> Iterator[Found]:
    """The reading that ended the program: to hold a result that nobody reads again is no fault."""
    failure = facts.recording.failure
    read = _READ.search(failure.message) if failure else None
    if failure is None or read is None:
        return
    is_gradient = read[1] is not None
    held = _held(facts, failure)
    line = None if failure.span is None else facts.places.line_of(failure.span)
    where = "" if line is None else facts.places.where(line)
    made = held and held.span is not None and facts.places.where_span(held.span)
    what = f"a {'gradient' if is_gradient else 'result'} of a CUDA graph"
    remedy = _remedy(facts, failure, is_gradient=is_gradient)
    told = f"{what}, made at {made}," if made else what
    sentence = f"{where or 'the program'} reads {told} after a later call took its memory."
    yield Found(
        Finding(
            rule="cuda-graph-overwritten",
            question="numbers",
            sentence=first_up(sentence),
            where=where,
            entity=entity_if_known(line),
            evidence=(Evidence(text=failure.message.partition(". ")[0], tab="lowering"),),
            grade="fill in",
            remedy=remedy.text,
            code=remedy.code,
            cost=1.0,
        ),
        line=line,
    )


def _held(facts: Facts, failure: Failure) -> CudaOverwritten | None:
    """The output that was read: the one whose line is in PyTorch's message, if it is one alone."""
    recording = facts.recording
    told = [(file, int(line)) for file, line in _LINE.findall(failure.message)]
    found = dict[int, CudaOverwritten]()
    for trees in recording.cuda_trees:
        for one in trees.overwritten:
            if one.span is None:
                continue
            span = recording.spans[one.span]
            path = recording.sources[span.source].path
            if any(line == span.line and file.endswith(path) for file, line in told):
                found[one.span] = one
    return next(iter(found.values())) if len(found) == 1 else None


def _remedy(facts: Facts, failure: Failure, *, is_gradient: bool) -> _Remedy:
    """Marks help where there are none yet; newer releases can clone what outlives a step."""
    if is_gradient:
        return _GRADIENT
    is_marked = any(trees.marked for trees in facts.recording.cuda_trees)
    remedy = _CLONE if is_marked else _STEP
    if _CLONING not in failure.message:
        return remedy
    setting = f"`torch._inductor.config.triton.{_CLONING} = 'user_visible'`"
    return remedy._replace(text=f"{remedy.text} Or let PyTorch clone it: {setting}.")
