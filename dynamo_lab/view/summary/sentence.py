"""The recording summarized in one or two sentences that a student understands."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.core.notes import STANCE
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.breaks.exceptions import failure_line
from dynamo_lab.view.breaks.libraries import library_of
from dynamo_lab.view.breaks.makers import is_of_logging, is_of_pytorch, rule_at
from dynamo_lab.view.breaks.skips import SUPPRESSED, explain_skip, is_suppressed
from dynamo_lab.view.breaks.stories import causes
from dynamo_lab.view.core.names import frame_names, names_code, single_root
from dynamo_lab.view.core.places import Line, Places
from dynamo_lab.view.core.regions import Regions
from dynamo_lab.view.core.words import (
    as_clause,
    gist,
    library_kernels,
    listed,
    plural,
    seconds,
    times,
)
from dynamo_lab.view.frames.frames import counts
from dynamo_lab.view.guards import refusals
from dynamo_lab.view.guards.compilations import at_the_limit, recompilations, without_code
from dynamo_lab.view.summary import exports
from dynamo_lab.view.summary.own_code import share
from dynamo_lab.view.timings import timings

_NOTHING_RAN = "Nothing was compiled: Dynamo saw no Python function during this run."
_WITHOUT_DYNAMO = (
    "Dynamo saw no Python function during this run: what was compiled came another way."
)


def sentence(recording: Recording, places: Places, regions: Regions) -> str:
    """What `torch.compile` made of the program, good or bad."""
    graphs = recording.captured_graphs()
    if exports.is_all(recording, places) and recording.state == "done":
        return " ".join(_exported(recording, places))
    own = share(recording, places, regions) if graphs and recording.state == "done" else ""
    parts = [_outcome(recording, places), own, _kernels(recording), _recompiles(recording)]
    parts += refusals.told(recording, places)
    parts += [_failed_later(recording), *exports.sentences(recording, places)]
    parts += exports.unpacked(recording, places)
    parts += [_failure(recording, places)]
    parts += [_compile_time(recording, places)]
    return " ".join(part for part in parts if part)


def _exported(recording: Recording, places: Places) -> Iterator[str]:
    """What was exported, and what became of it: Dynamo's own words would tell of its tracer."""
    if recording.packages:
        yield _outcome(recording, places)
    else:
        yield from exports.sentences(recording, places)
    yield from exports.unpacked(recording, places)
    yield from filter(None, (_kernels(recording), _failure(recording, places)))


def _compile_time(recording: Recording, places: Places) -> str:
    """Where the compile time of an imported log went: it is mostly what a log is read for."""
    if "log" not in dict(recording.environment.options):
        return ""
    timeline = timings.build(recording, places)
    most = [f"`{name}` {seconds(spent)}" for name, spent, share in timeline.totals[:3] if share]
    whole = seconds(timeline.seconds)
    return f"Of {whole} of compiling, most went into {listed(most)}." if most else ""


def _outcome(recording: Recording, places: Places) -> str:
    if recording.state == "recording":
        return _so_far(recording)
    failed = [frame for frame in recording.frames if frame.outcome == "failed"]
    graphs = len(recording.captured_graphs())
    if failed:
        return f"{_failed(failed[0], recording, places)}{_more_failed(failed, recording)}"
    if recording.packages and (not recording.frames or exports.is_all(recording, places)):
        if not graphs:
            return "A package that was compiled ahead of time, opened: nothing was compiled here."
        what = "the model as one graph" if graphs == 1 else f"{graphs} models, each as one graph"
        return f"`torch.export` captured {what}, compiled ahead of time."
    if recording.package_failures and not recording.frames:
        return "A graph that `torch.export` captured was to be compiled ahead of time."
    if not recording.frames and not graphs:
        nothing = _WITHOUT_DYNAMO if recording.graphs else _NOTHING_RAN
        stances = (note.message for note in recording.notes if note.about == STANCE)
        return " ".join((nothing, *stances))
    if not graphs:
        return _nothing(recording, places)
    return _captured(recording, places, graphs)


def _so_far(recording: Recording) -> str:
    graphs, breaks = len(recording.captured_graphs()), len(recording.breaks)
    if not graphs and not breaks:
        return "Compiling: no graph has been captured yet."
    broke = f" and {plural(breaks, 'break')}" if breaks else ""
    return f"Compiling: {plural(graphs, 'graph')}{broke} so far."


def _failed(frame: Frame, recording: Recording, places: Places) -> str:
    name = _name(frame, recording)
    breaks = [item for item in recording.breaks if item.frame == frame.id]
    fatal = [item for item in breaks if item.effect == "failed"] or breaks
    if fatal:
        at = _at(fatal[-1:], recording, places)
        return f"Dynamo could not capture {name} as one graph, as required: it broke at {at}."
    why = failure_line(recording.failure, places) or gist(frame.reason)
    told = f"Compiling {name} failed{': ' + why if why else ''}{'' if why.endswith('.') else '.'}"
    return f"{told} The setting {SUPPRESSED}." if is_suppressed(frame) else told


def _more_failed(failed: Sequence[Frame], recording: Recording) -> str:
    if len(failed) < 2:
        return ""
    known = frame_names(recording)
    names = [f"`{known[frame.id]}`" for frame in failed[1:]]
    return f" {plural(len(names), 'more frame')} failed: {listed(names, 4)}."


def _name(frame: Frame, recording: Recording) -> str:
    """What the user compiled, if that is known, else the frame's own name."""
    is_all = single_root(recording) is frame and names_code(recording.title)
    return f"`{recording.title if is_all else frame_names(recording)[frame.id]}`"


def _nothing(recording: Recording, places: Places) -> str:
    skipped = [frame for frame in recording.frames if frame.outcome == "skipped"]
    if not skipped and recording.breaks:
        return f"Dynamo captured no graph; {_broke(recording, places)}."
    if not skipped:
        names = listed([f"`{name}`" for name in _own_names(recording.frames, recording, places)])
        return (
            f"Dynamo traced {names} and found no tensor operation, so there was nothing to compile."
        )
    broken = {item.frame for item in recording.breaks}
    own = [f for f in skipped if not places.is_library(places.line_of(f.span))]
    own = own or [f for f in skipped if f.id in broken] or skipped
    if broken and not any(frame.id in broken for frame in own):  # those skipped only follow
        return f"Dynamo captured no graph; {_broke(recording, places)}.{_skips(recording, places)}"
    first = next((frame for frame in own if frame.id in broken), own[0])
    why = _why_skipped(first, recording, places)
    if len(own) == 1:
        end = "" if "nothing to compile" in why else ", so nothing was compiled"
        return f"Dynamo skipped {_name(first, recording)}{why}{end}."
    names = listed([f"`{name}`" for name in _own_names(own, recording, places)], 3)
    if first.id in broken:
        why = f": {_name(first, recording)}{why.removeprefix(', which')}"
    return f"Dynamo skipped {plural(len(own), 'frame')} ({names}), so nothing was compiled{why}."


def _why_skipped(frame: Frame, recording: Recording, places: Places) -> str:
    breaks = [item for item in recording.breaks if item.frame == frame.id]
    if breaks:
        return f", which broke at {_at(breaks[-1:], recording, places)} with no way to resume"
    why = as_clause(explain_skip(frame.reason) or gist(frame.reason))
    return f": {why}" if why else ""


def _own_names(frames: Iterable[Frame], recording: Recording, places: Places) -> list[str]:
    names = frame_names(recording)
    chosen = list(frames)
    own = [f for f in chosen if not places.is_library(places.line_of(f.span))] or chosen
    return list(dict.fromkeys(names[frame.id] for frame in own))


def _captured(recording: Recording, places: Places, graphs: int) -> str:
    compiled = _with_graphs(recording)
    if recording.breaks:
        made = f"{plural(graphs, 'graph')} from {_of_frames(compiled, recording)}"
        broke = _broke(recording, places)
        return f"Dynamo captured {made}; {broke}.{_skips(recording, places)}"
    if graphs == 1 and len(compiled) <= 1:
        name = _whole_name(compiled, recording, places)
        skips = _skips(recording, places)
        return f"Dynamo captured all of {name} as one graph, without a break.{skips}"
    made = f"{plural(graphs, 'graph')} from {_of_frames(compiled, recording)}"
    return f"Dynamo captured {made}, without a break.{_skips(recording, places)}"


def _of_frames(compiled: Sequence[Frame], recording: Recording) -> str:
    """'2 frames', or '2 of 6 frames' where Dynamo looked at more, as the count beside it says."""
    every = counts(recording).own
    some = len(compiled)
    return plural(some, "frame") if some >= every else f"{some:,} of {plural(every, 'frame')}"


def _broke(recording: Recording, places: Places) -> str:
    """'it broke twice, at line 2 (print call) and line 4 (.item() call)'."""
    caused = causes(recording, places)
    roots = [item for item in recording.breaks if caused[item.id] is None]
    follow = len(roots) < len(recording.breaks)
    of = f" from {plural(len(roots), 'cause')}" if follow else ""
    return f"it broke {times(len(recording.breaks))}{of}, {_places(roots, recording, places)}"


def _with_graphs(recording: Recording) -> list[Frame]:
    """The frames that graphs were captured from: one without tensors is compiled to none."""
    captured = {graph.compile_id for graph in recording.captured_graphs()}
    # of some imported logs it is not known how a frame ended that a graph was captured from
    compiled = [one for one in recording.frames if one.outcome in ("compiled", "compiling")]
    found = [one for one in compiled if captured & {a.compile_id for a in one.attempts}]
    return found or compiled  # nor from which frame one was


def _whole_name(compiled: Sequence[Frame], recording: Recording, places: Places) -> str:
    """What was captured: a library frame is a wrapper around what the user named."""
    if not compiled:
        return "the function"
    is_wrapper = places.is_library(places.line_of(compiled[0].span))
    is_wrapper = is_wrapper and names_code(recording.title)
    return f"`{recording.title}`" if is_wrapper else _name(compiled[0], recording)


def _skips(recording: Recording, places: Places) -> str:
    """The user's own frames that were skipped; library frames are not worth mentioning."""
    lines = [places.line_of(f.span) for f in recording.frames if f.outcome == "skipped"]
    own = sum(not places.is_library(line) for line in lines)
    return f" It skipped {plural(own, 'frame')}." if own else ""


def _places(breaks: Sequence[Break], recording: Recording, places: Places) -> str:
    """Where it broke; what PyTorch's own code does by itself is told apart from the reader's."""
    whose = [_whose(item, places) for item in breaks]
    own = [item for item, code in zip(breaks, whose, strict=True) if not code]
    parts = [f"at {_at(own, recording, places)}"] if own else []
    for code, many in Counter(filter(None, whose)).items():
        some = f"{many:,} of them " if many < len(breaks) else "each time " if many > 1 else ""
        parts.append(f"{some}within {code}")
    return ", ".join(parts)


def _whose(item: Break, places: Places) -> str:
    """The library that breaks by itself, called from no line of the reader's; else empty."""
    if is_of_pytorch(item, places):
        return "PyTorch's own code"
    return "Python's `logging`" if is_of_logging(item, places) else ""


def _at(breaks: Sequence[Break], recording: Recording, places: Places) -> str:
    """'line 4 (data-dependent branch) and line 6, in the library `einops` (print call)'."""
    lines = [_line(item, places) for item in breaks]
    own = {source for source, number in lines if not places.is_library((source, number))}
    where = places.where_named if len(own) > 1 else places.where
    texts = [
        f"{where(line)}{f', in {library}' if library else ''} ({rule_at(item, places).title})"
        for item, line in zip(breaks, lines, strict=True)
        for library in (library_of(item, places),)
    ]
    return listed(list(dict.fromkeys(texts)))


def _line(item: Break, places: Places) -> Line:
    """The frame's line, or the reader's line that broke in what was inlined there."""
    inner = places.own_line(item.stack) if len(places.lines_of(item.stack)) > 1 else None
    return places.line_of(item.span) if inner is None or places.is_library(inner) else inner


def _kernels(recording: Recording) -> str:
    kernels = len(recording.kernels)
    if not kernels or recording.state == "recording":
        return ""
    extern = sum(kernel.language == "extern" for kernel in recording.kernels)
    who = "The backend lab" if _is_of_lab(recording) else "Inductor"
    if extern == kernels:
        return f"{who} calls {library_kernels(kernels)} and wrote none of its own."
    also = f" and calls {library_kernels(extern)}" if extern else ""
    return f"{who} wrote {plural(kernels - extern, 'kernel')}{also}."


def _is_of_lab(recording: Recording) -> bool:
    """Were its kernels made by our own compiler?

    It prints C, which Inductor never does; where it only calls ATen, the option tells.
    """
    asked = recording.environment.options.get("backend") == "lab"
    return asked or any(kernel.language == "c" for kernel in recording.kernels)


def _recompiles(recording: Recording) -> str:
    if not recording.recompiles:
        return ""
    count = recompilations(recording)
    if not count:
        then = at_the_limit(recording.recompiles)
        return f"Guards failed and it hit the limit of recompilations: {then}."
    until = ", until it hit the limit" if count < len(recording.recompiles) else ""
    return f"Guards failed and it recompiled {times(count)}{until}{_in_vain(recording, count)}."


def _in_vain(recording: Recording, count: int) -> str:
    """How many of the recompilations failed or were given up."""
    none = without_code(recording)
    vain = sum(one.compile_id in none for one in recording.recompiles if not one.limit_hit)
    if not vain:
        return ""
    return "; no code came of it" if count == 1 else f"; no code came of {vain} of these"


def _failed_later(recording: Recording) -> str:
    """Compilations that failed of frames for which earlier code is still in use."""
    names = frame_names(recording)
    failed = [
        f"Compiling `{names[frame.id]}` again failed: {gist(attempt.reason).rstrip('.')}."
        f"{f' The setting {SUPPRESSED}.' if attempt.suppressed else ''}"
        for frame in recording.frames
        if frame.outcome == "compiled"
        for attempt in frame.attempts
        if attempt.outcome == "failed"
    ]
    return " ".join(dict.fromkeys(failed))


def _failure(recording: Recording, places: Places) -> str:
    failure = recording.failure
    if failure is None or any(
        exports.is_of(one, failure) for one in (*recording.exports, *recording.package_failures)
    ):
        return ""
    text = failure_line(failure, places)
    if failure.caught:
        return f"The program caught {text.rstrip('.')}, and went on."
    if any(f.outcome == "failed" for f in recording.frames):
        return ""
    return f"The program ended with {text}{'' if text.endswith('.') else '.'}"
