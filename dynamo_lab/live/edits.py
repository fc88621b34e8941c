"""Edits of generated kernels: built, checked against the original, and timed against it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar

from msgspec import structs

from dynamo_lab.errors import AssemblyError, DynamoLabError, EditError, LoweringError
from dynamo_lab.live.compiler import edits as of_lab
from dynamo_lab.measure.rounds import Plan, Watch
from dynamo_lab.model.benchmarks import Benchmark, Series, Way
from dynamo_lab.model.kernels import Edit, EditTiming
from dynamo_lab.model.lowering import LAB
from dynamo_lab.view.compare.alignment import compiler_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dynamo_lab.capture.kernels.recorded_calls import Call
    from dynamo_lab.live.compiled_program import CompiledProgram
    from dynamo_lab.live.session import Session
    from dynamo_lab.model.benchmarks import Cache
    from dynamo_lab.model.kernels import Kernel, Statement
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.kernels.edits import EditView

    R = TypeVar("R", bound=Recording)

_UNLIKE_EAGER = (
    "the program gives the same as with the original kernel; eager gives other values than both, "
    "as when a program draws random numbers"
)
_INTERPRETING = 120.0
"""Seconds that Triton's slow interpreter may take for the module of an edited kernel."""

_MEASURING = 6.0
"""The approximate seconds of all timings of one edit."""


def edit(
    recording: Recording,
    session: Session,
    kernel: int | str,
    code: str | Callable[[str], str],
    *,
    seconds: float = 30.0,
    watch: Watch | None = None,
) -> Edit:
    """Build, check and time an edit: see `dynamo_lab.Recording.edit_kernel`."""
    fact = find_kernel(recording, kernel)
    text: Any = code(fact.code) if callable(code) else code
    if not isinstance(text, str) or not text.strip():
        raise EditError(
            "There is no code to run: pass the kernel's new text, or a function that makes it from "
            "the old one."
        )
    start = Edit(
        kernel=fact.id,
        name=fact.name,
        language=fact.language,
        before=fact.code,
        after=str(text).strip("\n"),
        verdict="right",
    )
    if compiler_of(recording) == LAB:
        return of_lab.edit(recording, session, fact, start, seconds, watch)
    if recording.target and fact.language == "triton":
        return _interpreted(recording, session, fact, start)
    return _ran(recording, session, fact, start, seconds, watch)


def ask(
    recording: Recording, session: Session, kernel: int, code: str, watch: Watch | None = None
) -> EditView:
    """An edit's result for a view; who holds the `watch` can stop it.

    Raises:
        EditError: there is no program to run it in, or that program failed.
    """
    from dynamo_lab.view.kernels.edits import build

    try:
        return build(edit(recording, session, kernel, code, watch=watch))
    except DynamoLabError:
        raise
    except Exception as error:  # the program's own error in its second run
        raise EditError(f"The run ended with {type(error).__name__}: {error}") from error


def find_kernel(recording: Recording, kernel: int | str) -> Kernel:
    """The kernel of this id or name, which must have generated code.

    Raises:
        EditError: there is none, or a library computes it.
    """
    for fact in recording.kernels:
        if kernel in (fact.id, fact.name):
            if not fact.code:
                raise EditError(
                    f"{fact.name} is a library kernel: only the call of it was generated, so there "
                    "is no code to edit."
                )
            return fact
    names = ", ".join(f"{one.id} ({one.name})" for one in recording.kernels if one.code)
    raise EditError(
        f"There is no kernel {kernel!r}: {f'pass {names}' if names else 'there is none'}."
    )


def _ran(
    recording: Recording,
    session: Session,
    fact: Kernel,
    start: Edit,
    seconds: float,
    watch: Watch | None,
) -> Edit:
    """The edit on the real arguments of the program: first alone, then in the program."""
    from dynamo_lab.capture.kernels.edited import build, definition, in_place, settings_of_builds
    from dynamo_lab.live.edit_trial import STOPPED, try_apart
    from dynamo_lab.measure.devices import device_of
    from dynamo_lab.measure.machine import describe_machine

    wrapper = "" if fact.wrapper is None else recording.wrappers[fact.wrapper].code
    original = definition(fact.name, wrapper)
    program = session.compiled_program()
    modules = program.modules(original)
    calls = program.calls_of(original, modules)
    changed = original.edited(start.after)
    watch = watch or Watch()
    answer = try_apart(changed, calls, seconds, lambda: watch.stopped)
    tried = structs.replace(
        start,
        verdict=answer.verdict,
        reason=answer.reason,
        diagnostics=answer.diagnostics,
        comparisons=answer.comparisons,
        worst=answer.worst,
        calls=len(calls),
    )
    if tried.verdict != "right":
        return tried
    kernels: dict[str, Any] = {
        "original": vars(modules[0])[fact.name],
        "edited": build(changed, settings_of_builds()),
    }
    if watch.stopped:
        raise EditError(STOPPED)
    with in_place(modules, fact.name) as put:
        checked = _checked(tried, program, kernels, put)
        if checked.verdict != "right":
            return checked
        timings = _timed(kernels, calls[0], put, program, watch)
    device = device_of(calls[0].before.laid_out()[0])
    with device.current():
        machine = describe_machine(device.name)
    return structs.replace(checked, timings=timings, machine=machine)


def _checked(
    tried: Edit, program: CompiledProgram, kernels: Mapping[str, Any], put: Callable[[Any], None]
) -> Edit:
    """The edit after the program ran with it, compared with eager.

    One that draws random numbers differs from eager with either kernel: then the edit is
    compared with the original.
    """
    from dynamo_lab.measure.checks import compare, is_wrong

    put(kernels["edited"])
    edited = program.results()
    found, reason = compare(program.results(eager=True), edited, way=1, phase="forward"), ""
    if is_wrong(found):
        put(kernels["original"])
        original = program.results()
        with_original = compare(original, edited, way=1, phase="forward")
        reason = "with it, the program gives other values than eager"
        if not is_wrong(with_original):
            found, reason = with_original, _UNLIKE_EAGER
    verdict = "wrong" if is_wrong(found) else "right"
    comparisons = (*tried.comparisons, *found)
    return structs.replace(tried, verdict=verdict, reason=reason, comparisons=comparisons)


def _timed(
    kernels: Mapping[str, Any],
    call: Call,
    put: Callable[[Any], None],
    program: CompiledProgram,
    watch: Watch | None,
) -> tuple[EditTiming, ...]:
    """The kernel alone, warm and cold, and the program; each time in turns with the original."""
    from dynamo_lab.capture.kernels.recorded_calls import launcher, options_here
    from dynamo_lab.measure.devices import device_of
    from dynamo_lab.measure.machine import Watched
    from dynamo_lab.measure.rounds import take_turns
    from dynamo_lab.measure.statistics import rounds_needed
    from dynamo_lab.record.replay import without_trace

    args, _ = call.before.laid_out()
    options, device = options_here(call.options, args), device_of(args)
    watch = watch or Watch()
    plan = Plan(seconds=_MEASURING / 3, fewest=rounds_needed())

    def alone(kernel: Any) -> Callable[[], object]:
        launch = launcher(kernel)
        return lambda: launch(*args, **options)

    def within(kernel: Any) -> Callable[[], object]:
        def run() -> None:
            put(kernel)
            whole()

        return run

    found: list[EditTiming] = []
    whole = program.runner()
    with program.untouched(), without_trace([whole, args]) as state:
        measured: tuple[tuple[Literal["kernel", "program"], Cache, Any], ...] = (
            ("kernel", "warm", alone),
            ("kernel", "cold", alone),
            ("program", "warm", within),
        )
        for what, cache, made in measured:
            ways = {name: made(kernel) for name, kernel in kernels.items()}
            for way in ways.values():
                way()
                state.put_back()  # which learns what to restore before each round
            asked: Any = {"cold": cache == "cold", "watch": watch}
            cores = Watched()
            times = take_turns(ways, device, plan, before=lambda _: state.rewind(), **asked)
            original, edited = times["original"], times["edited"]
            if original.seconds:
                timing = EditTiming(
                    what=what,
                    cache=cache,
                    original=original.seconds,
                    edited=edited.seconds,
                    original_loops=original.loops,
                    edited_loops=edited.loops,
                    is_busy=cores.was_busy(),
                )
                found.append(timing)
    return tuple(found)


def _interpreted(recording: Recording, session: Session, fact: Kernel, start: Edit) -> Edit:
    """An edit of a Triton kernel for a GPU that may not be here: compiled, and interpreted."""
    from dynamo_lab.capture.assembly.assembly import assemble
    from dynamo_lab.capture.kernels import diagnostics
    from dynamo_lab.capture.kernels.edited import with_text
    from dynamo_lab.live import kernel_checks
    from dynamo_lab.record.lower import find_target

    wrapper = fact.wrapper if fact.wrapper is not None else -1
    written = session.written.get(wrapper)
    if written is None:
        raise EditError(
            "The graphs are not available: only the process that lowered a program with "
            "dynamo_lab.lower(..., target=...) can check an edit of its kernels."
        )
    try:
        assemble(structs.replace(fact, code=start.after), find_target(recording.target))
    except AssemblyError as error:
        said = diagnostics.of_python(error.__cause__ or error, start.after)
        return structs.replace(start, verdict="not built", reason=said[0].message, diagnostics=said)
    module = with_text(written.code, fact.name, start.after)
    try:
        row = kernel_checks.check_edit(written, module, fact.name, _INTERPRETING)
    except LoweringError as error:
        return structs.replace(start, verdict="failed", reason=str(error))
    if row.verdict == "agrees":
        reason = f"checked in Triton's interpreter, not timed: no {recording.target} runs it here"
        return structs.replace(start, reason=reason, calls=row.calls)
    if row.verdict == "not compared":
        return structs.replace(
            start, verdict="unknown", reason=f"it was not compared: {row.message}"
        )
    verdict = "failed" if row.verdict == "not run" else "wrong"
    return structs.replace(start, verdict=verdict, reason=row.message, calls=row.calls)


def recording_with(recording: R, edit: Edit) -> R:
    """The recording with the kernel's new text, and a benchmark of the program with it."""
    fact = recording.kernels[edit.kernel]
    changed = structs.replace(
        fact, code=edit.after, statements=tuple(_statements(fact, edit.after))
    )
    kernels = (*recording.kernels[: fact.id], changed, *recording.kernels[fact.id + 1 :])
    problem = "" if edit.verdict == "right" else edit.reason or edit.verdict
    ways = (
        Way(name="original", kind="compiled"),
        Way(name=f"edited {edit.name}", kind="edited", problem=problem),
    )
    series = [
        Series(way=way, phase="forward", cache=timing.cache, loops=loops, seconds=seconds)
        for timing in edit.timings
        if timing.what == "program"
        for way, loops, seconds in (
            (0, timing.original_loops, timing.original),
            (1, timing.edited_loops, timing.edited),
        )
    ]
    benchmark = Benchmark(
        title=f"{recording.title}, {edit.name} edited",
        machine=edit.machine,
        ways=ways,
        series=tuple(series),
        comparisons=edit.comparisons,
    )
    return structs.replace(recording, kernels=kernels, benchmark=benchmark)


def _statements(fact: Kernel, text: str) -> Iterator[Statement]:
    """The statements whose lines the edit left unchanged, at their new positions."""
    from dynamo_lab.view.kernels.code_diff import edits

    runs = edits(fact.code.split("\n"), text.split("\n"))
    moved = {
        run.a + i + 1: run.b + i + 1
        for run in runs
        if run.sign == "="
        for i in range(run.a_end - run.a)
    }
    for statement in fact.statements:
        if statement.line in moved:
            yield structs.replace(statement, line=moved[statement.line])
