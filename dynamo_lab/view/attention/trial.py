"""A call that was tried here, as rows: what the rules say, what PyTorch chose, what it costs."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from dynamo_lab.measure.statistics import ratio, spread
from dynamo_lab.model.attention.calls import Kernel
from dynamo_lab.model.attention.platforms import Platform
from dynamo_lab.model.attention.trial import KernelTimes, Trial
from dynamo_lab.view.attention.choices import NAMES, ChoiceView, choices_of, facts_of, on_platform
from dynamo_lab.view.core import words

_SILENT = "Refused. PyTorch gives no reason, or gave it before: some it gives once in a process."


class TimeView(Struct, frozen=True, kw_only=True):
    """The time of a kernel here, and how it compares with the one that is chosen."""

    name: str
    time: str
    told: str


class TrialView(Struct, frozen=True, kw_only=True):
    """What is shown of a call that was tried. `differs` is set where PyTorch chose otherwise."""

    device: str
    facts: tuple[tuple[str, str], ...]
    choices: tuple[ChoiceView, ...]
    chosen: str
    differs: bool
    reasons: tuple[tuple[str, str], ...]
    times: tuple[TimeView, ...]


def trial_view(
    trial: Trial, platform: Platform | None, targets: Iterable[str], release: tuple[int, int]
) -> TrialView:
    """The call on the device that it is on, and on these targets."""
    here = () if platform is None else (on_platform(trial.problem, platform),)
    names = {choice.target for choice in here}
    elsewhere = choices_of(trial.problem, [t for t in targets if t not in names], release)
    return TrialView(
        device=trial.device,
        facts=tuple(facts_of(trial.problem)),
        choices=(*here, *elsewhere),
        chosen=_chosen(trial, here),
        differs=bool(here and here[0].kernel and here[0].kernel != trial.chosen),
        reasons=tuple((NAMES[kernel], told or _SILENT) for kernel, told in trial.refusals.items()),
        times=tuple(_times(trial)),
    )


def _chosen(trial: Trial, here: tuple[ChoiceView, ...]) -> str:
    if not trial.chosen:
        return "PyTorch finds no kernel here that may run: the call raises an error."
    told = f"Here, on {trial.device}, PyTorch chooses {NAMES[trial.chosen]}"
    if not here or not here[0].kernel:
        return f"{told}."
    if here[0].kernel == trial.chosen:
        return f"{told}, as its rules say."
    return f"{told}. Its rules say {here[0].sentence}: why it differs is not known."


def _times(trial: Trial) -> Iterator[TimeView]:
    by_kernel: dict[Kernel, KernelTimes] = {times.kernel: times for times in trial.measured}
    base = None if not trial.chosen else by_kernel.get(trial.chosen)
    for kernel, times in by_kernel.items():
        yield TimeView(
            name=NAMES[kernel], time=_time(times), told=_told(kernel, times, trial, base)
        )


def _time(times: KernelTimes) -> str:
    return words.seconds(spread(times.seconds).median) if times.seconds else "not timed"


def _told(kernel: Kernel, times: KernelTimes, trial: Trial, base: KernelTimes | None) -> str:
    if times.error:
        return f"it raised an error: {times.error}"
    if kernel == trial.chosen:
        return "chosen"
    if base is None or not base.seconds or not times.seconds:
        return ""
    compared = ratio(base.seconds, times.seconds)
    return f"{compared.sentence}{' than the chosen one' if compared.differs else ''}"
