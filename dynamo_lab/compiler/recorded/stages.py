"""What only this compiler tells: the source of each rule, and the kernels in each form."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from dynamo_lab.compiler.live.rule_text import text_of
from dynamo_lab.compiler.lower import rule_of
from dynamo_lab.compiler.printers.tuning import Tuning
from dynamo_lab.compiler.recorded.lowering import code_of, shown_file
from dynamo_lab.compiler.targets.c import C
from dynamo_lab.compiler.targets.metal import Metal
from dynamo_lab.compiler.targets.triton import Triton
from dynamo_lab.compiler.work import Extern, Unsupported
from dynamo_lab.model import compiler as facts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dynamo_lab.capture.kernels.announced import Place
    from dynamo_lab.compiler.kernel import Kernel
    from dynamo_lab.compiler.program import Program
    from dynamo_lab.compiler.targets.target import Target


def lab_graph(program: Program, place: Place) -> facts.LabGraph:
    """The stages of a program that lowering and schedule do not have."""
    rules: dict[facts.LabRule, int] = {}
    uses = tuple(_uses(program, place, rules))
    texts = zip(program.kernels, program.sources, program.origins, strict=True)
    kernels = [
        facts.LabKernel(
            kernel=place.kernels + at,
            name=kernel.name,
            buffers=kernel.joins,
            turns=tuple(_turns(kernel)) if program.target.language == "c" else (),
            is_tuned=kernel.tuning is not None,
            loop_ir=tuple(_loops(kernel, place)),
            texts=(
                _text(program.target, source, origins, place),
                *_others(kernel, program.target, place),
            ),
        )
        for at, (kernel, source, origins) in enumerate(texts)
    ]
    return facts.LabGraph(graph=place.graph, rules=tuple(rules), uses=uses, kernels=tuple(kernels))


def _uses(
    program: Program, place: Place, rules: dict[facts.LabRule, int]
) -> Iterator[facts.LabUse]:
    called = {work.node for work in program.graph.work if isinstance(work, Extern)}
    known: dict[int, int] = {}
    for step in program.graph.lowered:
        rule = rule_of(step.node.target)
        if rule is None or step.node.op != "call_function" or step.node.name in called:
            continue
        if id(rule) not in known:
            known[id(rule)] = rules.setdefault(_rule(rule), len(rules))
        yield facts.LabUse(place.nodes[step.node.name], known[id(rule)])


def _rule(rule: Any) -> facts.LabRule:
    code = getattr(inspect.unwrap(rule), "__code__", None)
    if code is None:
        return facts.LabRule(name=type(rule).__name__)
    return facts.LabRule(
        name=code.co_name,
        file=shown_file(code.co_filename),
        line=code.co_firstlineno,
        text=text_of(rule),
    )


def _loops(kernel: Kernel, place: Place) -> Iterator[facts.LabLine]:
    for text, origin in kernel.lines(code_of):
        yield facts.LabLine(text, _nodes([origin], place))


def _turns(kernel: Kernel) -> Iterator[facts.LabTurns]:
    """The loops that turn more than once, in the order in which they are written."""
    tuning = kernel.tuning or Tuning()
    for loops, sizes, reduces in (
        (kernel.outer, kernel.space.outer, False),
        (kernel.inner, kernel.space.inner, True),
    ):
        named = zip(loops, sizes, strict=True)
        known = {alone.name: str(size) for loop, size in named if (alone := loop.alone())}
        for name in [one for one in tuning.order if one in known] or known:
            yield facts.LabTurns(
                name=name,
                size=known[name],
                reduces=reduces,
                tile=tuning.tile.get(name, 0),
                unroll=tuning.unroll.get(name, 0),
            )


def _others(kernel: Kernel, own: Target, place: Place) -> Iterator[facts.LabText]:
    """The same kernel in the languages that do not run here."""
    for target in (C(), Triton(), Metal()):
        if target.language == own.language:
            continue
        try:
            text, origins = target.printed(kernel)
        except Unsupported as refusal:
            yield facts.LabText(language=target.language, refused=str(refusal))
            continue
        yield _text(target, text, origins, place)


def _text(target: Target, text: str, origins: dict[int, str], place: Place) -> facts.LabText:
    lines = [
        facts.LabLine(line, _nodes([origins.get(at, "")], place))
        for at, line in enumerate(text.rstrip("\n").split("\n"), 1)
    ]
    return facts.LabText(language=target.language, printed=tuple(lines))


def _nodes(names: Iterable[str], place: Place) -> tuple[int, ...]:
    found: Sequence[int] = [place.nodes[name] for name in names if name in place.nodes]
    return tuple(found)
