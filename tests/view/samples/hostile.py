"""Text that wants to be more than text."""

from dynamo_lab.model.assembly import Assembly, Level, Resources
from dynamo_lab.model.autograd import Differentiated, OutputAlias, Partition, SavedValue
from dynamo_lab.model.benchmarks import (
    Benchmark,
    Comparison,
    EagerCall,
    KernelTime,
    Machine,
    Overhead,
    Series,
)
from dynamo_lab.model.benchmarks import Group as BenchGroup
from dynamo_lab.model.benchmarks import Way as BenchWay
from dynamo_lab.model.bisections import Bisection, BisectionTrial, Culprit
from dynamo_lab.model.breaks import Break
from dynamo_lab.model.core.environment import Environment
from dynamo_lab.model.core.notes import Note
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.decompositions import Call, Decompositions, Row, Rule, Step, Traced, Way
from dynamo_lab.model.frames import Frame, Loop
from dynamo_lab.model.guards.costs import GuardBranch, GuardFilter, GuardTime
from dynamo_lab.model.guards.guards import FailedGuard, Guard, Recompile
from dynamo_lab.model.guards.symbols import ShapeFact, Symbol
from dynamo_lab.model.kernels import Kernel, Statement, Wrapper
from dynamo_lab.model.lowering import (
    Buffer,
    LoopLine,
    Lowered,
    Lowering,
    LoweringRule,
    Range,
    Why,
)
from dynamo_lab.model.packages import Constant, Inlined, Package, PackageFile
from dynamo_lab.model.passes import (
    GraphChange,
    Match,
    NodeText,
    Pass,
    Pattern,
    Pipeline,
    Placed,
)
from dynamo_lab.model.recording import Failure, Recording
from dynamo_lab.model.timings import CacheCheck, CompileMemory, LayerUse, Timing, WarmRun, WarmStart

from .table import Table, graph

HOSTILE = (
    's = "</script><b>bold</b>&amp;" + "[red]markup[/red]"  # \x1b[31mred\x1b[0m',
    "t = 'right\u202eleft' + 'para\u2028graph' + '\u200f'  # \x07 bell, \u0085 next, \x9b31m csi",
)


def hostile() -> Recording:
    """Text that would be markup, a control sequence or a reordering, wherever text can be."""
    evil = " ".join(HOSTILE)
    table = Table()
    x = table.input("l_x_</script>")
    table.output(table.node("[red]n", f"op.{evil}", x, stack=0, module=f"L['{evil}']"))
    return Recording(
        title=evil,
        sources=(Source(f"/tmp/{evil}.py", "user", (Excerpt(1, "\n".join(HOSTILE)),)),),
        spans=(Span(0, 1, evil, 4, 1, 29), Span(0, 2, evil)),
        stacks=((0,),),
        frames=(Frame(id=0, name=evil, span=0, outcome="skipped", reason=evil),),
        breaks=(
            Break(
                id=0,
                frame=0,
                compile_id=evil,
                span=0,
                effect="skipped",
                gb_type=evil,
                reason=evil,
                context=evil,
                explanation=evil,
                hints=(evil,),
                link=f"javascript:{evil}",
                stack=0,
            ),
        ),
        guards=(Guard(frame=0, compile_id="", kind=evil, source=evil, expressions=(evil,)),),
        guard_times=(
            GuardTime(
                compile_id=evil,
                seconds=1e-6,
                branches=(GuardBranch(evil, 1e-6, 1),),
                filters=(GuardFilter(evil, 0, 1e-6),),
            ),
        ),
        recompiles=(
            Recompile(frame=0, compile_id=evil, failures=((evil, evil),)),
            Recompile(
                frame=0,
                compile_id=evil,
                failures=((evil, evil),),
                failed=(
                    FailedGuard(
                        compile_id=evil, text=evil, source=evil, was=evil, now=evil, stack=0
                    ),
                    FailedGuard(compile_id=evil, text=f"size mismatch at index 0{evil}"),
                    FailedGuard(compile_id=evil, text=f"dtype mismatch {evil}", was=evil),
                ),
            ),
        ),
        symbols=(
            Symbol(
                frame=0, compile_id=evil, name=evil, sources=(evil,), hint=evil, value=evil, stack=0
            ),
        ),
        shape_facts=tuple(
            ShapeFact(
                frame=0,
                compile_id=evil,
                event=event,
                expression=evil,
                symbols=(evil,) if event != "violation" else (),
                source=evil,
                stack=0,
            )
            for event in ("constant", "equal", "guard", "violation")
        ),
        graphs=(graph(0, table),),
        partitions=(
            Partition(
                id=0,
                compile_id=evil,
                method="min-cut",
                joint=0,
                forward=0,
                backward=0,
                saved=(
                    SavedValue(
                        name=evil,
                        forward_node=1,
                        backward_node=1,
                        role="activation",
                        bytes=8,
                        storage=0,
                        reason=f"cannot recompute: {evil}",
                    ),
                ),
                differentiated=(Differentiated(operator=evil, forward=(1,), backward=(1,)),),
                aliases=(OutputAlias(output=0, kind=evil),),
            ),
        ),
        kernels=(
            Kernel(
                id=0,
                name=evil,
                language="cpp",
                graph=0,
                wrapper=0,
                nodes=(1,),
                code=evil,
                statements=(Statement(1, (1,), "emitted"),),
            ),
        ),
        assemblies=(
            Assembly(
                kernel=0,
                target=evil,
                levels=(Level(evil, evil, ((1, 1),)),),
                resources=Resources(registers=1, occupancy=0.5, limit=evil),
                chosen=evil,
            ),
        ),
        lowerings=(
            Lowering(
                graph=0,
                rules=(LoweringRule(name=evil, file=evil, line=1),),
                nodes=(Lowered(node=1, outcome="failed", rule=0, buffers=(0,), error=evil),),
            ),
        ),
        buffers=(
            Buffer(
                id=0,
                name=evil,
                graph=0,
                kind="fallback",
                form=evil,
                kernel=evil,
                nodes=(1,),
                why=Why(cause="rule", by=evil),
                dtype=evil,
                shape=(evil,),
                stride=(evil,),
                layout="NonOwningLayout",
                of=evil,
                ranges=(Range(evil, evil),),
                reduction=evil,
                reads=(evil,),
                body=(LoopLine(f"ops.{evil}", evil, 1),),
            ),
        ),
        wrappers=(Wrapper(id=0, graph=0, compile_id=evil, is_backward=False, code=evil),),
        packages=(
            Package(
                file=evil,
                model=evil,
                files=(PackageFile(path=evil, kind="other", bytes=1),),
                constants=(Constant(name=evil, source=evil, role=evil, dtype=evil),),
                inlined=(Inlined(evil, evil),),
                facts={evil: evil},
                flags=(evil,),
                wrapper=0,
            ),
        ),
        decompositions=Decompositions(
            traced=(Traced(call=0, rule=0, graph=0, nodes=(1,)), Traced(call=1)),
            calls=(
                Call(operator=evil, arguments=evil, value=evil, ways=(Way(step=0),) * 3),
                Call(
                    operator=evil,
                    arguments=f"1 {evil}",
                    value=evil,
                    ways=(Way(end="raised", reason=evil),) * 3,
                    problem=evil,
                ),
            ),
            steps=(
                Step(
                    call=0,
                    rule=0,
                    inputs=(evil,),
                    rows=(Row(call=1, name=evil, arguments=evil),),
                    returns=evil,
                ),
            ),
            rules=(Rule(kind="registered", name=evil, file=evil, line=1, text=evil),),
        ),
        timings=(Timing(evil, 0.0, 1.0),),
        unrolled=(Loop(span=0, graph=0, times=40),),
        compile_memory=CompileMemory(before=1, peak=9 << 30, grew=((0, 8 << 30),)),
        warm_start=WarmStart(
            cold=WarmRun(seconds=1.0),
            warm=WarmRun(seconds=0.5, layers=(LayerUse(layer=evil, misses=1),)),
            bundle=WarmRun(seconds=0.9, built=2),
            kept=((evil, 1),),
            differing=((evil, 1, (evil, f"{evil}[{evil}]")),),
        ),
        caches=(CacheCheck(layer=evil, outcome="bypassed", graph=0, node=0, reason=evil),),
        pipelines=(
            Pipeline(id=0, phase="joint", compile_id=evil, graphs={"": 0}, end=2, error=evil),
        ),
        passes=(
            Pass(
                id=0,
                pipeline=0,
                name=evil,
                function=evil,
                description=evil,
                place=evil,
                body=evil,
                span=0,
                changes=(
                    GraphChange(
                        removed=(evil,),
                        added=(Placed(99, NodeText(evil, evil, evil, evil, evil)),),
                        moved=((7, evil),),
                    ),
                    GraphChange(body=evil, added=(Placed(0, NodeText(evil, "x", evil, evil)),)),
                ),
                matches=(Match(pattern=0, before=(NodeText(evil, evil, evil, evil),), body=evil),),
                left_alone={0: 3},
            ),
            Pass(id=1, pipeline=0, name=evil, error=evil),
        ),
        patterns=(
            Pattern(
                name=evil,
                kind="graph",
                description=evil,
                place=evil,
                source=evil,
                replacement=evil,
                expression=evil,
            ),
        ),
        notes=(Note(level="failure", about=evil, message=evil, traceback=evil),),
        failure=Failure(type=evil, message=evil, traceback=evil, span=1),
        environment=Environment(platform=evil, options={evil: evil}),
        benchmark=_benchmark(evil),
        bisection=_bisection(evil),
    )


def _bisection(evil: str) -> Bisection:
    return Bisection(
        verdict="bug",
        sentence=evil,
        culprits=(Culprit(kind="lowering", name=evil, rule=evil, place=evil, text=evil),),
        trials=(BisectionTrial(what=evil, backend=evil, outcome="wrong", fault=evil),),
        error=evil,
        first_bad=evil,
        remarks=(evil,),
        unfinished=evil,
        versions={evil: evil},
    )


def _benchmark(evil: str) -> Benchmark:
    times = (1e-6, 0.0, 1e30)
    return Benchmark(
        title=evil,
        machine=Machine(device=evil, settings={evil: evil}),
        ways=(
            BenchWay(name=evil, kind="eager", problem=evil, options={evil: evil}),
            BenchWay(name=evil, kind="compiled"),
        ),
        series=tuple(
            Series(way=way, phase="forward", cache="warm", loops=1, seconds=times, warmup=times)
            for way in (0, 1)
        ),
        comparisons=(
            Comparison(way=0, phase="forward", value=evil, verdict="wrong", tolerance=evil,
                       reason=evil),
        ),
        kernels=(
            KernelTime(kernel=0, way=1, phase="forward", cold=times, warm=times, problem=evil),
        ),
        eager_calls=(
            EagerCall(operator=evil, graph=0, node=1, arguments=evil, cold=times, problem=evil),
        ),
        groups=(BenchGroup(kernels=(0,), eager=(0,)), BenchGroup(kernels=(), eager=(0,))),
        overheads=(Overhead(way=1, phase="forward", whole=times, problem=evil),),
        created=evil,
    )  # fmt: skip
