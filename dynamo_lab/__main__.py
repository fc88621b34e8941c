"""The `dynamo-lab` command: record a script, and read what was recorded."""

import argparse
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec.structs import replace
from rich.console import Group, RenderableType

from dynamo_lab.api.diff import diff
from dynamo_lab.cli import doctor
from dynamo_lab.cli.parser import MIN_WIDTH, parse
from dynamo_lab.errors import DynamoLabError, OptionError
from dynamo_lab.live.assembly import with_assemblies
from dynamo_lab.model.core.codec import load, save
from dynamo_lab.model.recording import Recording
from dynamo_lab.record.script import Script
from dynamo_lab.render.tables import table, visible
from dynamo_lab.view.graphs.graphs import GraphView, stage_word
from dynamo_lab.view.view import View

T = TypeVar("T")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        options = parse(given)
        return _COMMANDS[options.command](options)
    except DynamoLabError as error:
        print(f"dynamo-lab: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader left, as in `dynamo-lab show run.json | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _explore(options: argparse.Namespace) -> int:
    script = Script(options.script, options.script_arguments)
    writers = _writers(options)
    _refuse_unknown_sections(options)
    detail = {"detail": options.detail, "max_steps": options.max_steps}
    recording = script.recorded(target=options.target, **detail)
    if options.assembly:
        recording = with_assemblies(recording)
    tried = [(path, _attempt(write, recording, path)) for write, path in writers]
    _print_view(_view(recording), options)
    for path, error in tried:
        if error:
            print(f"dynamo-lab: {error}", file=sys.stderr)
        else:
            print(f"Wrote {visible(path)}")
    return script.code or (2 if any(error for _, error in tried) else 0)


_Writer = Callable[[Recording, str], None]


def _writers(options: argparse.Namespace) -> list[tuple[_Writer, str]]:
    """How to write each file asked for, and where, also if the script changes its folder."""
    asked: list[tuple[_Writer, str | None]] = [(save, options.json), (_write_page, options.html)]
    writers = [(write, os.path.abspath(path)) for write, path in asked if path is not None]
    for _, path in writers:
        _refuse_unwritable(path)
    if len({path for _, path in writers}) < len(writers):
        raise OptionError("--json and --html name the same file: name two.")
    return writers


def _attempt(write: _Writer, recording: Recording, path: str) -> DynamoLabError | None:
    try:
        write(recording, path)
    except DynamoLabError as error:
        return error
    return None


def _refuse_unknown_sections(options: argparse.Namespace) -> None:
    """Say now what the renderer would say of a section once a long script has run."""
    from dynamo_lab.render import terminal

    terminal.renderable(_view(Recording(title="")), _sections(options))


def _show(options: argparse.Namespace) -> int:
    recording = load(options.recording)
    if options.why_not is not None:
        from dynamo_lab.api.why_not import ask

        print(ask(recording, *options.why_not))
        return 0
    view = _view(recording)
    if options.assembly is not None:
        _print(_level(view, options), options)
    elif options.find is not None or options.outline:
        _print(_of_nodes(view, options), options)
    elif options.json:
        asked = _graphs(view, options)
        if asked is not None:
            view = replace(view, graphs=asked)
        print(_json(_chosen(view, options), _sections(options)))
    else:
        _print_view(view, options)
    return 0


def _level(view: View, options: argparse.Namespace) -> RenderableType:
    """The level of the assembly that is asked for."""
    from dynamo_lab.render.terminal.kernels.kernels import level

    if options.kernel is None:
        raise OptionError("--assembly prints a level of one kernel: pass --kernel N as well.")
    _one("kernel", view.kernels.kernels, options.kernel)
    found = [one for one in view.kernels.assemblies if one.kernel == options.kernel]
    if not found:
        raise OptionError(
            f"The recording holds no assembly of kernel {options.kernel}: record it with "
            "`dynamo-lab explore SCRIPT --assembly`."
        )
    return Group(*level(found[0], options.assembly))


def _of_nodes(view: View, options: argparse.Namespace) -> RenderableType:
    """The nodes that are found, or the modules of the graphs asked for, the captured by default."""
    from dynamo_lab.render.terminal.core.parts import Page
    from dynamo_lab.render.terminal.graphs.outline import found, outlines

    asked = _graphs(view, options)
    if options.find is not None:
        ids = [graph.id for graph in asked or view.graphs]
        page = Page(width=_width(options), everything=True)
        return Group(*found(view, options.find, ids, page))
    return Group(*outlines(view, [graph.id for graph in asked or _captured(view)]))


def _captured(view: View) -> list[GraphView]:
    return [graph for graph in view.graphs if graph.stage == "dynamo" and graph.parent is None]


def _dot(options: argparse.Namespace) -> int:
    from dynamo_lab.render.export import dot

    view = _view(load(options.recording))
    asked = [graph for graph in _graphs(view, options) or () if graph.parent is None]
    drawing = {name: getattr(options, name) for name in ("around", "up", "down", "collapse")}
    if options.svg is None:
        print(dot.dot(view.graphs, asked[0].id, **drawing), end="")
    else:
        _refuse_unwritable(os.path.abspath(options.svg))
        text = dot.svg(view.graphs, asked[0].id, **drawing)
        Path(options.svg).write_text(text, encoding="utf-8")
    return 0


def _step(options: argparse.Namespace) -> int:
    from dynamo_lab.cli.step import play, playback_of

    view = _view(load(options.recording))
    playback_of(view)  # says so where there are no steps
    if options.list:
        _print_view(view, options)
    else:
        play(view, options.at)
    return 0


def _html(options: argparse.Namespace) -> int:
    _write_page(load(options.recording), options.page)
    return 0


def _export(options: argparse.Namespace) -> int:
    from dynamo_lab.render.export.formats import export, how_to_open

    how = how_to_open(options.format)  # says so where there is no such format
    for path in export(load(options.recording), options.out, options.format):
        print(f"wrote {path}")
    print(how)
    return 0


def _check(options: argparse.Namespace) -> int:
    from dynamo_lab.cli import check as check_run

    return check_run.run(options)


def _atlas(options: argparse.Namespace) -> int:
    from dynamo_lab.api.atlas import atlas

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Failed to initialize NumPy")  # none is needed
        found = atlas()
        print(found[options.operator] if options.operator else found)
    if options.html:
        found.to_html(options.html)
    return 0


def _limits(options: argparse.Namespace) -> int:
    from dynamo_lab.bench.limits import limits

    print(limits(options.device, again=options.again))
    return 0


def _package(options: argparse.Namespace) -> int:
    from dynamo_lab.api.packages import open_package

    recording = open_package(options.package)
    for write, path in _writers(options):
        write(recording, path)
    _print_view(_view(recording), options)
    return 0


def _import(options: argparse.Namespace) -> int:
    from dynamo_lab.api.traces import Ranks, open_trace

    writers = _writers(options)
    opened = open_trace(options.trace, rank=options.rank, sources=options.sources)
    if not isinstance(opened, Ranks):
        for write, path in writers:
            write(opened, path)
        _print_view(_view(opened), options)
        return 0
    if options.html:
        opened.to_html(options.html)
    if options.json:
        opened.save(options.json)
    if options.section is None:
        from dynamo_lab.render.terminal.compare.ranks import ranks

        _print(ranks(opened.ranks(), opened.title), options)
        print("\nOne of them: pass --rank N. All of them in a browser: pass --html PAGE.")
        return 0
    for label, recording in opened.items():
        print(f"== {label} ==")
        _print_view(_view(recording), options)
    return 0


def _bench(options: argparse.Namespace) -> int:
    from dynamo_lab.api.bench_cases import bench_case, summary
    from dynamo_lab.measure.cases import all_cases, find_case
    from dynamo_lab.measure.checks import is_wrong
    from dynamo_lab.measure.rounds import Plan

    if not options.cases:
        print("\n".join(table([(case.name, case.title) for case in all_cases()])))
        return 0
    cases = [find_case(name) for name in options.cases]
    writers = _writers(options)
    if writers and len(cases) > 1:
        raise OptionError("--json and --html keep one case: name one.")
    if options.rounds < 1:
        raise OptionError(f"--rounds {options.rounds} would measure nothing: pass 1 or more.")
    plan = Plan(rounds=options.rounds, fewest=min(options.rounds, Plan().fewest))
    code = 0
    for case in cases:
        made = bench_case(
            case,
            device=options.device,
            size=options.size,
            dtype=options.dtype,
            ways=("compiled", *options.ways),
            training=options.training,
            kernels=bool(writers),  # which the table does not show
            plan=plan,
        )
        for write, path in writers:
            write(made.recording, path)
        print("\n".join(summary(made.facts)), flush=True)
        code = 1 if is_wrong(made.facts.comparisons) else code
        if options.code:
            from dynamo_lab.render.terminal.benchmarks.by_hand import by_hand

            _print(by_hand(_view(made.recording), _width(options)), options)
    return code


def _suite(options: argparse.Namespace) -> int:
    from dynamo_lab.suite import command

    return command.run(options, _width(options))


def _course(options: argparse.Namespace) -> int:
    from dynamo_lab.course import command

    return command.run(options)


def _diff(options: argparse.Namespace) -> int:
    print(diff(load(options.a), load(options.b)))
    return 0


def _write_page(recording: Recording, path: str) -> None:
    from dynamo_lab.render.page import page

    try:
        Path(path).write_text(page(_view(recording)), encoding="utf-8")
    except OSError as error:
        raise OptionError(_unwritable(path, error.strerror or str(error))) from error


def _refuse_unwritable(path: str) -> None:
    """Say now what would be an error once a long script has run."""
    folder = os.path.dirname(path)
    if os.path.isdir(path):
        raise OptionError(_unwritable(path, "it is a folder"))
    if not os.path.isdir(folder):
        raise OptionError(_unwritable(path, "there is no such folder"))
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise OptionError(_unwritable(path, "permission denied"))


def _unwritable(path: str, why: str) -> str:
    advice = "name a file in a folder that exists and that you may write to"
    return f"{path!r} cannot be written ({why}): {advice}."


def _view(recording: Recording) -> View:
    from dynamo_lab.view import build

    return build(recording)


def _print_view(view: View, options: argparse.Namespace) -> None:
    from dynamo_lab.render import terminal

    asked = _graphs(view, options)
    ids = None if asked is None else [graph.id for graph in asked]
    explain = getattr(options, "explain", False)
    shown = _chosen(view, options), _sections(options), ids, options.to, explain
    _print(terminal.renderable(*shown), options)


def _print(body: RenderableType, options: argparse.Namespace) -> None:
    from dynamo_lab.render import terminal

    color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    text = terminal.as_text(body, width=_width(options), color=color)
    if reconfigure := getattr(sys.stdout, "reconfigure", None):
        reconfigure(errors="backslashreplace")  # for a terminal without UTF-8
    print(text)


def _width(options: argparse.Namespace) -> int:
    return options.width or max(MIN_WIDTH, shutil.get_terminal_size((100, 0)).columns)


def _json(view: View, sections: Sequence[str] | None) -> str:
    fields = view.__struct_fields__
    for name in sections or ():
        if name not in fields:
            raise OptionError(f"There is no section {name!r} in JSON: pass {', '.join(fields)}.")
    part = {name: getattr(view, name) for name in sections or fields}
    return msgspec.json.format(msgspec.json.encode(part), indent=2).decode()


def _chosen(view: View, options: argparse.Namespace) -> View:
    """The view with no kernel but the one asked for by number."""
    if options.kernel is not None:
        kernels = _one("kernel", view.kernels.kernels, options.kernel)
        view = replace(view, kernels=replace(view.kernels, kernels=kernels))
    return view


def _sections(options: argparse.Namespace) -> tuple[str, ...] | None:
    """The sections asked for; a graph or a kernel asked for by number is its own section."""
    asked = [name.strip() for name in (options.section or "").split(",") if name.strip()]
    asked += ["graphs"] * (options.graph is not None) + ["kernels"] * (options.kernel is not None)
    return tuple(dict.fromkeys(asked)) or None


def _graphs(view: View, options: argparse.Namespace) -> tuple[GraphView, ...] | None:
    """The graph asked for by its number and stage, with the bodies in it; None for no choice."""
    if options.graph is None:
        if options.stage is not None:
            raise OptionError("--stage chooses a stage of one graph: pass --graph N as well.")
        return None
    of_number = [graph for graph in view.graphs if graph.number == options.graph]
    if not of_number:
        known = max((graph.number for graph in view.graphs), default=0)
        there = f"pass 1 to {known}" if known > 1 else "pass 1" if known else "there are none"
        raise OptionError(f"There is no graph {options.graph}: {there}.")
    stages = tuple(dict.fromkeys(stage_word(graph) for graph in of_number))
    stage = options.stage or ("dynamo" if "dynamo" in stages else stages[0])
    if stage not in stages:
        known = ", ".join(stages)
        raise OptionError(f"Graph {options.graph} has no stage {stage!r}: pass {known}.")
    return tuple(graph for graph in of_number if stage_word(graph) == stage)


def _one(word: str, rows: tuple[T, ...], number: int) -> tuple[T, ...]:
    if 0 <= number < len(rows):
        return (rows[number],)
    if not rows:
        raise OptionError(f"There is no {word} {number}: the recording has no {word}s.")
    raise OptionError(f"There is no {word} {number}: pass 0 to {len(rows) - 1}.")


_COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "explore": _explore,
    "show": _show,
    "step": _step,
    "dot": _dot,
    "html": _html,
    "export": _export,
    "bench": _bench,
    "check": _check,
    "atlas": _atlas,
    "limits": _limits,
    "package": _package,
    "import": _import,
    "suite": _suite,
    "course": _course,
    "diff": _diff,
    "doctor": doctor.run,
}


if __name__ == "__main__":
    sys.exit(main())
