"""A quantized model as rows: the schemes side by side, each with its parts, stages and kernels."""

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from dynamo_lab.measure.statistics import ratio, spread
from dynamo_lab.model.quantization.trial import Part, Quantization, SchemeTrial
from dynamo_lab.view.core import words

TITLES = {
    "float": "float",
    "int8": "int8, calibrated (pt2e, X86)",
    "int8-dynamic": "int8, dynamic",
    "int8-weights": "int8, weights alone",
    "int4-weights": "int4, weights alone",
}


class PartView(Struct, frozen=True, kw_only=True):
    """A module or an operator: what it computes in, its error, why it stayed float."""

    name: str
    kind: str
    scheme: str
    error: str
    why: str


class StageView(Struct, frozen=True, kw_only=True):
    """A stage on the way to the kernels, its operators in order and equal neighbours counted."""

    name: str
    operators: str


class SchemeView(Struct, frozen=True, kw_only=True):
    """A scheme: its row in the table, and what is behind it."""

    scheme: str
    title: str
    problem: str = ""
    time: str = ""
    told: str = ""
    size: str = ""
    error: str = ""
    share: str = ""
    kernels: str = ""
    parts: tuple[PartView, ...] = ()
    stages: tuple[StageView, ...] = ()


class QuantizationView(Struct, frozen=True, kw_only=True):
    """All schemes, the float model first."""

    title: str
    where: str
    schemes: tuple[SchemeView, ...]


def build(facts: Quantization) -> QuantizationView:
    """The rows."""
    base = SchemeView(
        scheme="float",
        title=TITLES["float"],
        time=_time(facts.float_seconds),
        size=words.size(facts.float_bytes),
    )
    return QuantizationView(
        title=facts.title,
        where=f"{facts.machine}, torchao {facts.torchao}; each compiled, timed in turns",
        schemes=(base, *(_scheme(one, facts) for one in facts.schemes)),
    )


def _scheme(one: SchemeTrial, facts: Quantization) -> SchemeView:
    title = TITLES[one.scheme]
    if one.problem:
        return SchemeView(scheme=one.scheme, title=title, problem=one.problem)
    integer = sum(not part.is_float for part in one.parts)
    return SchemeView(
        scheme=one.scheme,
        title=title,
        time=_time(one.seconds),
        told=_told(one, facts),
        size=words.size(one.bytes),
        error=_error(one.error),
        share=f"{integer} of {len(one.parts)}",
        kernels=_counted(one.kernels),
        parts=tuple(map(_part, one.parts)),
        stages=tuple(
            StageView(name=stage.name, operators=_counted(stage.operators)) for stage in one.stages
        ),
    )


def _part(part: Part) -> PartView:
    return PartView(
        name=part.name, kind=part.kind, scheme=part.scheme, error=_error(part.error), why=part.why
    )


def _time(seconds: tuple[float, ...]) -> str:
    return words.seconds(spread(seconds).median) if seconds else "not timed"


def _told(one: SchemeTrial, facts: Quantization) -> str:
    if not one.seconds or len(one.seconds) != len(facts.float_seconds):
        return ""
    compared = ratio(facts.float_seconds, one.seconds)
    return f"{compared.sentence}{' than float' if compared.differs else ''}"


def _error(error: float | None) -> str:
    return "not known" if error is None else "none" if error == 0 else f"{error:.2g}"


def _counted(names: tuple[str, ...]) -> str:
    """'linear, relu, 3 x add'."""
    return ", ".join(_runs(names))


def _runs(names: tuple[str, ...]) -> Iterator[str]:
    for name, count in Counter(names).items():
        yield name if count == 1 else f"{count} x {name}"
