"""PyTorch's choice of an attention kernel on some targets, in words."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from dynamo_lab.model.attention.calls import Kernel, Operand, Problem
from dynamo_lab.model.attention.choice import Choice, State, Verdict, choose
from dynamo_lab.model.attention.platforms import NEWEST_KNOWN, Platform, platform_of
from dynamo_lab.model.targets import parse
from dynamo_lab.view.attention.remedies import REMEDIES
from dynamo_lab.view.core.words import listed

TARGETS = ("cpu", "cuda:sm_80", "cuda:sm_90")
"""Those shown where none is asked for."""

NAMES: dict[Kernel, str] = {
    "flash": "flash attention",
    "efficient": "memory-efficient attention",
    "cudnn": "cuDNN's attention",
    "math": "plain mathematics",
    "overrideable": "the device's own attention",
}
_OPERATORS: dict[Kernel, str] = {
    "flash": "aten._scaled_dot_product_flash_attention",
    "efficient": "aten._scaled_dot_product_efficient_attention",
    "cudnn": "aten._scaled_dot_product_cudnn_attention",
    "math": "aten._scaled_dot_product_attention_math",
}
_STATES: dict[State, str] = {
    "runs": "runs",
    "could": "could run, but comes later in the order",
    "refused": "refused",
    "unknown": "unknown",
}


class KernelChoiceView(Struct, frozen=True, kw_only=True):
    """What becomes of a kernel. `check` is PyTorch's name of the condition that decided it."""

    name: str
    kernel: str
    state: State
    told: str
    check: str = ""
    remedy: str = ""


class ChoiceView(Struct, frozen=True, kw_only=True):
    """The choice on a target: `kernel` is its name, empty if it is not known or there is none.

    `operator` is the one that it runs as.
    """

    target: str
    kernel: str
    sentence: str
    operator: str
    verdicts: tuple[KernelChoiceView, ...]


def choices_of(
    problem: Problem, targets: Iterable[str], release: tuple[int, int]
) -> tuple[ChoiceView, ...]:
    """What PyTorch chooses on each target that it has rules for."""
    parsed = [target for name in targets if (target := parse(name)) is not None]
    platforms = [platform_of(target, release) for target in parsed]
    return tuple(on_platform(problem, platform) for platform in platforms if platform is not None)


def on_platform(problem: Problem, platform: Platform) -> ChoiceView:
    """What PyTorch chooses on a platform."""
    choice = choose(problem, platform)
    return ChoiceView(
        target=platform.name,
        kernel=choice.kernel,
        operator=_operator(choice, platform),
        sentence=_sentence(choice),
        verdicts=tuple(_verdict(verdict, platform) for verdict in choice.verdicts),
    )


def _operator(choice: Choice, platform: Platform) -> str:
    if not choice.kernel:
        return ""
    name = _OPERATORS.get(choice.kernel, "")
    return f"{name}_for_cpu" if (platform.device, choice.kernel) == ("cpu", "flash") else name


def _sentence(choice: Choice) -> str:
    if choice.is_error:
        return "none: PyTorch raises an error, because no kernel may run"
    if choice.kernel:
        return NAMES[choice.kernel]
    open_ones = [NAMES[v.kernel] for v in choice.verdicts if v.state == "unknown"]
    later = next((NAMES[v.kernel] for v in choice.verdicts if v.state == "could"), "an error")
    return f"unknown: {listed(open_ones, last='or')} if it takes the call, else {later}"


def _verdict(verdict: Verdict, platform: Platform) -> KernelChoiceView:
    remedy = REMEDIES.get(verdict.check) if verdict.state == "refused" else None
    fits = remedy is not None and platform.device in remedy.devices
    return KernelChoiceView(
        name=NAMES[verdict.kernel],
        kernel=verdict.kernel,
        state=verdict.state,
        told=verdict.reason or _STATES[verdict.state],
        check=verdict.check,
        remedy=remedy.text if remedy is not None and fits else "",
    )


def facts_of(problem: Problem) -> Iterator[tuple[str, str]]:
    """What the choice depends on, as labels and values."""
    for label, operand in (
        ("query", problem.query),
        ("key", problem.key),
        ("value", problem.value),
        ("mask", problem.mask),
    ):
        if operand is not None:
            yield label, _operand(operand)
    if problem.is_causal:
        yield "is_causal", "True"
    if problem.dropout:
        yield "dropout_p", f"{problem.dropout:g}"
    if problem.enable_gqa:
        yield "enable_gqa", "True"
    if problem.scale is not None:
        yield "scale", f"{problem.scale:g}"
    forbidden: list[Kernel] = [kernel for kernel in NAMES if kernel not in problem.allowed]
    if forbidden:
        yield "forbidden", listed([NAMES[kernel] for kernel in forbidden])
    if problem.grad is not None:
        trained = problem.grad and any(t.requires_grad for t in problem.inputs)
        yield "gradient", "recorded" if trained else "none"


def _operand(operand: Operand) -> str:
    if operand.is_nested:
        return f"{operand.dtype} nested"
    sizes = operand.symbols or tuple(map(str, operand.shape))
    text = f"{operand.dtype}[{', '.join(sizes)}]"
    return text if _is_dense(operand) else f"{text}, stride ({_strides(operand)})"


def _strides(operand: Operand) -> str:
    return ", ".join("?" if size is None else str(size) for size in operand.stride)


def _is_dense(operand: Operand) -> bool:
    expected = 1
    for size, stride in zip(reversed(operand.shape), reversed(operand.stride), strict=False):
        if size is None or stride is None:
            return True  # it cannot be said
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True


def release_of(version: str) -> tuple[int, int]:
    """(2, 13) of "2.13.0+cpu"; the newest that is known of where it is not told."""
    parts = version.split(".")[:2]
    if len(parts) < 2 or not all(part.isdigit() for part in parts):
        return NEWEST_KNOWN
    return int(parts[0]), int(parts[1])
