"""Most of the compile time is spent on timing kernels against each other."""

from collections.abc import Iterator

from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.places import Line, Places, entity_if_known
from dynamo_lab.view.core.words import percent, plural
from dynamo_lab.view.core.words import seconds as duration
from dynamo_lab.view.findings.changes import Options
from dynamo_lab.view.findings.compile_time.seconds import phase_seconds
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain
from dynamo_lab.view.timings.timings import compile_seconds

_LEAST_SHARE, _LEAST_SECONDS = 0.5, 1.0
_BY_MODE = 'torch.compile(fn, mode="default")'
_BY_SETTING = "torch._inductor.config.max_autotune = False"
_TUNING = ("_template_autotuning", "_template_precompiling", "CachingAutotuner.benchmark")


def find(facts: Facts) -> Iterator[Found]:
    """Autotuning, where it takes more than everything else."""
    recording = facts.recording
    names = {timing.name for timing in recording.timings}
    tuned = tuple(name for name in names if any(mark in name for mark in _TUNING))
    whole = compile_seconds(recording)
    spent = phase_seconds(recording, tuned) if tuned else 0.0
    if whole <= 0 or spent < _LEAST_SECONDS or spent / whole < _LEAST_SHARE:
        return
    by_mode = recording.environment.options.get("mode", "").startswith("max-autotune")
    line, operators = _operators(recording, facts.places)
    finding = Finding(
        rule="autotuning",
        question="compile_time",
        sentence=(
            f"{percent(spent / whole)} of compiling, {duration(spent)}, went into timing "
            f"candidates for {plural(operators, 'operator')} against each other."
        ),
        where=facts.places.where(line) if line else "",
        entity=entity_if_known(line),
        evidence=(Evidence(text=", ".join(sorted(tuned)[:3]), tab="timeline"),),
        grade="may change meaning",
        remedy=(
            "Develop without max-autotune, and use it for what you deploy: its results are kept "
            "in a cache. Another kernel may round differently."
        ),
        code=_BY_MODE if by_mode else _BY_SETTING,
        gain=Gain(metric="seconds of compiling", before=whole, after=whole - spent, how="measured"),
        cost=spent / whole,
    )
    yield Found(finding, change=Options({"mode": "default"}) if by_mode else None, line=line)


def _operators(recording: Recording, places: Places) -> tuple[Line | None, int]:
    """The first operator that candidates are tried for, and how many there are."""
    tried = [b for b in recording.buffers if b.kind in ("template", "extern")]
    lines = (
        places.own_line(stack if stack >= 0 else None)
        for buffer in tried
        for node in buffer.nodes
        for stack in (recording.graphs[buffer.graph].nodes.stack[node],)
    )
    return next((line for line in lines if line), None), len(tried)
