"""The recording as the user holds it: the facts, and the ways to look at them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from msgspec import structs

from dynamo_lab.errors import OutputError
from dynamo_lab.model.breaks import Break as BreakFact
from dynamo_lab.model.core import codec
from dynamo_lab.model.graphs import Graph as GraphFact
from dynamo_lab.model.recording import Recording as Facts
from dynamo_lab.record.replay import are_light
from dynamo_lab.render.tables import terminal_width

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dynamo_lab.api.bench import Benchmarked
    from dynamo_lab.api.why_not import WhyNot
    from dynamo_lab.live.budgets import Budgets
    from dynamo_lab.live.edits import Edited
    from dynamo_lab.live.fixes import Trial
    from dynamo_lab.live.kernel_checks import KernelChecks
    from dynamo_lab.model.assembly import Assembly
    from dynamo_lab.model.benchmarks import Benchmark
    from dynamo_lab.record.program import Program
    from dynamo_lab.render.widget import Looks, Runs
    from dynamo_lab.view.breaks.fixes import Fix
    from dynamo_lab.view.guards.would_pass import WouldPass
    from dynamo_lab.view.search import FoundNode


class Break(BreakFact, frozen=True, kw_only=True, dict=True):
    """A graph break that knows its recording, so that fixes can be tried."""

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """What can be tried, the likeliest first: each a name, a sentence, what to write."""
        from dynamo_lab.view.breaks.fixes import fixes_of

        return fixes_of(vars(self)["_recording"], self)

    def try_fix(self, fix: str | None = None) -> Trial:
        """Compile the program again with a fix (the likeliest by default), and compare."""
        return vars(self)["_recording"].try_fix(self.id, fix)


class Drawing(TypedDict, total=False):
    """What can be asked of a drawing; `Recording.to_dot` says what each does."""

    around: str | int | None
    up: int
    down: int
    collapse: Literal["modules", "none"]
    inputs: bool | None


class Graph(GraphFact, frozen=True, kw_only=True, dict=True):
    """A graph that knows its recording, so that it can be drawn and searched."""

    def to_dot(self, **options: Unpack[Drawing]) -> str:
        """The graph as DOT: see `Recording.to_dot`."""
        return vars(self)["_recording"].to_dot(self.id, **options)

    def to_svg(self, **options: Unpack[Drawing]) -> str:
        """The graph as SVG: see `Recording.to_svg`."""
        return vars(self)["_recording"].to_svg(self.id, **options)

    def find(self, query: str) -> tuple[FoundNode, ...]:
        """The nodes that a query finds in it: see `Recording.find`."""
        return vars(self)["_recording"].find(query, self.id)


class Recording(Facts, frozen=True, kw_only=True, dict=True):
    """Everything recorded of one run.

    Print it for a terminal, leave it as the last expression of a cell for the interactive view,
    or keep it with `save` and `to_html`. Its facts are tuples: `frames`, `breaks`, `guards`,
    `recompiles`, `graphs`, `partitions`, `pipelines`, `passes`, `patterns`, `lowerings`, `buffers`,
    `schedules`, `fusions`, `memory_plans`, `kernels`, `wrappers`, `packages`, `links`,
    `timings`, `notes`.
    """

    breaks: tuple[Break, ...] = ()
    graphs: tuple[Graph, ...] = ()

    def __post_init__(self) -> None:
        breaks = tuple(Break(**structs.asdict(item)) for item in self.breaks)
        graphs = tuple(Graph(**structs.asdict(item)) for item in self.graphs)
        for item in (*breaks, *graphs):
            vars(item)["_recording"] = self
        structs.force_setattr(self, "breaks", breaks)
        structs.force_setattr(self, "graphs", graphs)
        vars(self)["_made"] = time.perf_counter_ns()  # which of two came last, whatever their dates

    def can_run_again(self, program: Program) -> None:
        """Keep the program, so that it can be lowered again, and fixes can be tried on it.

        It keeps its model and copies of its arguments alive, so where nothing broke only if they
        are small.
        """
        if self.breaks or are_light(program.roots()):
            vars(self)["_program"] = program

    def program(self) -> Program | None:
        """The program that was recorded, or None where it is not at hand."""
        return vars(self).get("_program")

    def runs(self) -> Runs | None:
        """How a view runs the program again, or None where it is not at hand."""
        from dynamo_lab.live.runs import run

        return run if self.program() else None

    def try_fix(self, break_id: int, fix: str | None = None) -> Trial:
        """Compile the program again with a fix for this break, and compare.

        It runs twice, once eagerly, with the same seed: on copies of the arguments, and with the
        tensors that it reaches put back afterwards. Other effects happen again.

        Raises:
            FixError: there is no program to run again, no fix, or none of this name.
        """
        from dynamo_lab.live.fixes import try_fix

        return try_fix(self, break_id, fix)

    def relower(
        self,
        target: str | None = None,
        options: Mapping[str, Any] | None = None,
        **switches: bool | int | str | None,
    ) -> Recording:
        """Lower the recorded program again, with other switches or for another target.

        It captures the program anew and goes down to the code, without building or running that;
        switches chosen before stay. The program itself runs eagerly, with the same arguments. A
        lowering or decomposition that was registered since takes part.

        Args:
            target: As for `dynamo_lab.lower`; by default that of this recording.
            options: Any settings of `torch._inductor.config`, by name.
            **switches: The switches that matter most, such as `max_fusion_size=1`:
                `dynamo_lab.record.switches.SWITCHES` has a sentence for each.

        Raises:
            LoweringError: there is no program at hand.
            OptionError: there is no such switch, setting or target, or not this value.
        """
        from dynamo_lab.record.lower import relower

        return relower(self, target, options, **switches)

    def with_benchmark(self, benchmark: Benchmark) -> Recording:
        """The same recording with a benchmark; it answers what this one answers."""
        made = structs.replace(self, benchmark=benchmark)
        vars(made).update({**vars(self), **vars(made)})
        return made

    def bench(self, **wish: Any) -> Benchmarked:
        """The recorded program timed, eagerly and compiled: options as for `dynamo_lab.bench`.

        Raises:
            BenchError: there is no program at hand.
            OptionError: there is no such option or way.
        """
        from dynamo_lab.api.bench import bench_again

        return bench_again(self, **wish)

    def find(self, query: str, graph: int | None = None) -> tuple[FoundNode, ...]:
        """The nodes that a query finds, in all graphs or in the one of this id.

        A query joins conditions: `op:mm dtype:f32`, `shape:*x128 -module:head`, `line:12`,
        `bytes:>1MB`, `users:0`, `stage:backward`, or any text.

        Raises:
            QueryError: the query cannot be understood, or there is no such graph.
        """
        from dynamo_lab.view import build
        from dynamo_lab.view.search import found

        return tuple(found(self, build(self), query, graph))

    def why_not_fused(self, one: str, other: str, graph: int | None = None) -> WhyNot:
        """Why Inductor did not fuse two operations, and what would change it; print the answer.

        `one` and `other` name any two operations ("op3"), buffers ("buf3") or nodes ("add_2") of a
        post-grad graph: also two that were never considered as a pair. `graph` is that graph's id,
        by default the first that has both. `fusions` holds every verdict.

        Raises:
            FusionError: nothing was scheduled, or there is no such name or graph.
        """
        from dynamo_lab.api.why_not import ask

        return ask(self, one, other, graph)

    def to_dot(self, graph: int, **options: Unpack[Drawing]) -> str:
        """A graph as DOT: modules collapsed, or what is around a node.

        `graph` is its id, which is its place in `graphs`, from 0; views count graphs from 1, all
        stages of one together. `around` is a node's name, `up` and `down` how many steps to go from
        it; `collapse="none"` opens every module, and `inputs=True` shows parameters, which are left
        out where they are many.

        Raises:
            DrawingError: there is no such graph or node, or too much to collapse.
        """
        from dynamo_lab.render.export.dot import dot
        from dynamo_lab.view.graphs.graphs import build

        return dot(build(self), graph, **options)

    def to_svg(self, graph: int, **options: Unpack[Drawing]) -> str:
        """The same as SVG, laid out by Graphviz.

        Raises:
            DrawingError: as `to_dot`, there are too many boxes, or Graphviz is not installed.
        """
        from dynamo_lab.render.export.dot import svg
        from dynamo_lab.view.graphs.graphs import build

        return svg(build(self), graph, **options)

    def save(self, path: str | Path) -> None:
        """Write the recording as JSON, compressed if `path` ends in ".gz"."""
        codec.save(self, path)

    def to_html(self, path: str | Path) -> None:
        """Write one interactive page that works offline and loads nothing from anywhere."""
        from dynamo_lab.render.page import page
        from dynamo_lab.view import build

        write_page(path, page(build(self)))

    def export(self, path: str | Path, format: str) -> tuple[Path, ...]:
        """Write it for another tool, and return the files that were written.

        Args:
            path: The file to write; a name that ends in ".gz" makes it compressed.
            format: "perfetto", a trace of compile phases and of measured kernels; "model-explorer",
                the graphs, and beside them what is known of their nodes: sizes, and times where a
                benchmark was recorded; "tritonparse", Triton kernels with their assembly.

        Raises:
            OptionError: there is no such format.
            ExportError: it holds nothing of what the format is for.
            OutputError: a file cannot be written.
        """
        from dynamo_lab.render.export.formats import export

        return export(self, path, format)

    def would_pass(self, *args: Any, frame: int | None = None, **kwargs: Any) -> WouldPass:
        """What a call with these arguments would do: reuse compiled code, or compile again.

        It asks the guards that were compiled, so only in the process that recorded. `frame` is the
        id of the frame to ask, by default the first that was compiled.

        Raises:
            GuardsError: there are no live guards, or the arguments do not fit.
        """
        from dynamo_lab.live.guards import ask

        return ask(self, args, kwargs, frame)

    def repartition(self, *budgets: float, partition: int | None = None) -> Budgets:
        """What the forward of a graph would keep under other activation memory budgets.

        It asks PyTorch's partitioner, and compiles and runs nothing; so only in the process that
        recorded. A budget is the share of activation memory to keep, from 1 (what is fastest) to 0
        (inputs alone); some between are tried if none is given. To compile with one, set
        `torch._functorch.config.activation_memory_budget`. `partition` is an id, by default that
        of the first with a backward.

        Raises:
            BudgetError: there is no joint graph at hand, or no such budget or partition.
        """
        from dynamo_lab.live.budgets import ask

        return ask(self, budgets, partition)

    def assembly(self, kernel: int, target: str | None = None) -> Assembly:
        """A kernel, by its id, down to machine code, each line tied to a line of the kernel.

        A Triton kernel goes through TTIR, TTGIR, LLVM IR, PTX and SASS, or AMD's code, with no GPU
        and the block sizes that Inductor would try first; a C++ kernel through the compiler that
        Inductor uses. It compiles the kernel's text, so only in the process that recorded; of a
        file, it gives what was stored. `target` is by default the one that it was written for.

        Raises:
            AssemblyError: there is no such kernel, or nothing to assemble it with.
            OptionError: there is no such target.
        """
        from dynamo_lab.live.assembly import ask

        return ask(self, kernel, target)

    def check_kernels(self) -> KernelChecks:
        """Run the Triton kernels of a lowering on the CPU, against the operators they stand for.

        Triton's interpreter runs them, in a process of its own, on made-up inputs of the recorded
        shapes; the graph's operators say what each should give. Only in the process that lowered.

        Raises:
            LoweringError: there is no lowering at hand, or the interpreter gave no answer.
        """
        from dynamo_lab.live.kernel_checks import ask

        return ask(self)

    def edit_kernel(
        self, kernel: int | str, code: str | Callable[[str], str], *, seconds: float = 30.0
    ) -> Edited:
        """Change a generated kernel, check it against the original, and time one against the other.

        The edit is built as Inductor builds it, and called in a process of its own with the
        arguments that the program gives the original; then, if it computes the same, in the
        program, which is held against eager. Only what is right is timed. Print the answer for a
        diff, the compiler's messages at their lines, the verdict and the times. A Triton kernel
        that was lowered for a GPU is checked in Triton's interpreter, and not timed.

        Args:
            kernel: A kernel's id or name: `print(rec.kernels[0].code)` shows one.
            code: Its new text, C++ or Triton, or a function from the old text to the new. The
                parameters stay as they are.
            seconds: How long it may run, once built, until it is taken for endless.

        Raises:
            EditError: there is no such kernel, or no program at hand to run it in.
        """
        from dynamo_lab.live.edits import edit

        return edit(self, kernel, code, seconds=seconds)

    def __str__(self) -> str:
        from dynamo_lab.render.terminal import render
        from dynamo_lab.view import build

        return render(build(self), color=False, width=terminal_width())

    def __repr__(self) -> str:
        captured = len(self.captured_graphs())
        failed = f", failed with {self.failure.type}" if self.failure else ""
        return (
            f"<Recording of {self.title}: {captured} graphs, {len(self.breaks)} breaks, "
            f"{len(self.kernels)} kernels{failed}>"
        )

    def show(self, looks: Looks | None = None) -> None:
        """Show it where this code runs: interactively in a notebook, as text elsewhere."""
        from dynamo_lab.live.answers import answer
        from dynamo_lab.notebook.settings import settings
        from dynamo_lab.render.widget import display

        display(self, answer, self.runs(), looks or settings().looks_on_demand())

    def _ipython_display_(self) -> None:
        self.show()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        from dynamo_lab.render.fallback.page import fallback
        from dynamo_lab.view import build

        return {"text/plain": str(self), "text/html": fallback(build(self))}


def write_page(path: str | Path, text: str) -> None:
    """Write a page.

    Raises:
        OutputError: the file cannot be written.
    """
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"Cannot write {str(path)!r}: {error.strerror}.") from None


def load(path: str | Path) -> Recording:
    """Read a recording that `Recording.save` wrote.

    Raises:
        RecordingFileError: the file is missing, damaged, or not a recording of a known version.
    """
    return codec.load(path, type=Recording)
