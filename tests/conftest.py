"""What every test may ask for: a sample recording, goldens, and the machine's abilities."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dynamo_lab.model.autograd import Differentiated, Partition, Recomputed, SavedValue
from dynamo_lab.model.breaks import Break
from dynamo_lab.model.core.environment import Environment
from dynamo_lab.model.core.links import LinkTable
from dynamo_lab.model.core.notes import Note
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Attempt, Frame, Instruction
from dynamo_lab.model.graphs import Graph, NodeTable, Value
from dynamo_lab.model.guards import FailedGuard, Guard, Recompile
from dynamo_lab.model.kernels import Kernel, Wrapper
from dynamo_lab.model.lowering import (
    Buffer,
    LoopLine,
    Lowered,
    Lowering,
    LoweringRule,
    Range,
    Why,
)
from dynamo_lab.model.passes import (
    GraphChange,
    Match,
    NodeText,
    Pass,
    Pattern,
    Pipeline,
    Placed,
)
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.symbols import ShapeFact, Symbol
from dynamo_lab.model.timings import Timing
from tests.benchmarks._chromium import find_chromium
from tests.view import samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser

SAMPLE_CODE = """\
def step(x):
    y = torch.relu(x) + 1
    if y.sum() > 0:
        y = y * 2
    return y
"""


@pytest.fixture
def sample() -> Recording:
    """A small recording with a row in every table: `step` breaks at line 3 of cell 3."""
    vector = Value(
        text="f32[8]", dtype="float32", shape=("8",), stride=("1",), device="cpu", bytes=32
    )
    dynamo = NodeTable(
        strings=("placeholder", "call_function", "output", "x", "torch.relu", "operator.add", ""),
        values=(vector, Value()),
        name=("x", "relu", "add", "output"),
        op=(0, 1, 1, 2),
        target=(3, 4, 5, 6),
        arguments=("", "(x,)", "(relu, 1)", "((add,),)"),
        inputs=((), (0,), (1,), (2,)),
        value=(0, 0, 0, 1),
        stack=(-1, 0, 0, -1),
        module=(6, 6, 6, 6),
    )
    post_grad = NodeTable(
        strings=(
            "placeholder", "call_function", "output", "arg0_1",
            "aten.relu.default", "aten.add.Tensor", "",
        ),
        values=(vector, Value()),
        name=("arg0_1", "relu", "add", "output"),
        op=(0, 1, 1, 2),
        target=(3, 4, 5, 6),
        arguments=("", "(arg0_1,)", "(relu, 1)", "((add,),)"),
        inputs=((), (0,), (1,), (2,)),
        value=(0, 0, 0, 1),
        stack=(-1, 0, 0, -1),
        module=(6, 6, 6, 6),
        subgraphs={2: ()},
    )  # fmt: skip
    return Recording(
        title="cell 3",
        sources=(Source("cell 3", "cell", (Excerpt(1, SAMPLE_CODE),)),),
        spans=(
            Span(0, 1, "step"),
            Span(0, 2, "step", 8, 2, 25),
            Span(0, 3, "step", 7, 3, 18),
        ),
        stacks=((1,), (2,)),
        frames=(
            Frame(
                id=0,
                name="step",
                span=0,
                outcome="compiled",
                attempts=(
                    Attempt(compile_id="0/0", restart=0, outcome="restarted", reason="a break"),
                    Attempt(
                        compile_id="0/0",
                        restart=1,
                        outcome="compiled",
                        graph=0,
                        seconds=0.5,
                        bytecode=(Instruction(0, "RESUME", "0", 1, 0, 1, 0),),
                    ),
                ),
                bytecode=(Instruction(0, "RESUME", "0", 1, 0, 1, 0),),
            ),
            Frame(
                id=1, name="torch_dynamo_resume_in_step_at_3", span=2, outcome="skipped",
                reason="no tensors", resumes=0, resumed_line=3,
            ),
        ),
        breaks=(
            Break(
                id=0,
                frame=0,
                compile_id="0/0",
                span=2,
                effect="resumed",
                gb_type="Data-dependent branching",
                reason="Detected data-dependent branching",
                registry_id="GB0170",
                hints=("Use `torch.cond`.",),
                stack=1,
                graph_before=0,
                resume_frames=(1,),
            ),
        ),
        guards=(
            Guard(
                frame=0, compile_id="0/0", kind="TENSOR_MATCH", source="L['x']",
                expressions=("check_tensor(L['x'])",), stack=0,
            ),
        ),
        recompiles=(
            Recompile(
                frame=0, compile_id="0/1",
                failures=(("0/0", "tensor 'x' size mismatch at index 0. expected 8, actual 9"),),
                failed=(
                    FailedGuard(
                        compile_id="0/0",
                        text="tensor 'L['x']' size mismatch at index 0. expected 8, actual 9",
                        source="L['x']", was="8", now="9", stack=0,
                    ),
                ),
            ),
        ),
        symbols=(
            Symbol(frame=0, compile_id="0/1", name="s0", hint="9", lower="2",
                   sources=("L['x'].size()[0]",), stack=0),
        ),
        shape_facts=(
            ShapeFact(frame=0, compile_id="0/1", event="guard", expression="s0 < 100",
                      symbols=("s0",), stack=0),
        ),
        graphs=(
            Graph(id=0, stage="dynamo", name="__compiled_fn_1", compile_id="0/0", frame=0,
                  nodes=dynamo),
            Graph(id=1, stage="post_grad", name="post_grad", compile_id="0/0", frame=0,
                  nodes=post_grad),
        ),
        partitions=(
            Partition(
                id=0, compile_id="0/0", frame=0, method="min-cut", joint=0, forward=1, backward=1,
                saved=(
                    SavedValue(name="relu", forward_node=1, backward_node=1, role="activation",
                               bytes=32, storage=0),
                ),
                recomputed=(Recomputed(name="add", forward_node=2, backward_node=2, bytes=32),),
                differentiated=(Differentiated(operator="add", forward=(1,), backward=(2,)),),
            ),
        ),
        kernels=(
            Kernel(id=0, name="cpp_fused_add_relu_0", language="cpp", graph=1, wrapper=0,
                   nodes=(1, 2), code="void kernel() {}", line=7),
        ),
        wrappers=(Wrapper(id=0, graph=1, compile_id="0/0", is_backward=False, code="call()"),),
        lowerings=(
            Lowering(graph=1, rules=(LoweringRule(name="relu"),),
                     nodes=(Lowered(node=1, outcome="realised", rule=0, buffers=(0,)),)),
        ),
        buffers=(
            Buffer(id=0, name="buf0", graph=1, kind="pointwise", form="Pointwise", during=1,
                   nodes=(1,), why=Why(cause="output"), ranges=(Range("i0", "8"),),
                   body=(LoopLine("tmp0 = ops.load('arg0_1', i0)", "load", 1),)),
        ),
        links=(LinkTable(upstream=0, downstream=1, reason="aot", pairs=((1, 1), (2, 2))),),
        timings=(
            Timing("compile", 0.0, 1.5, compile_id="0/0"),
            Timing("codegen", 0.5, 0.5, parent=0, compile_id="0/0"),
        ),
        pipelines=(
            Pipeline(id=0, phase="post_grad", compile_id="0/0", frame=0, graphs={"": 0},
                     became={"": 1}, end=1),
        ),
        passes=(
            Pass(
                id=0, pipeline=0, name="remove_noop_ops", subsystem="post_grad_passes", span=0,
                timed=True, left_alone={0: 2}, matches=(Match(pattern=0),),
                changes=(
                    GraphChange(
                        removed=("x",), moved=((1, "relu"),),
                        added=(Placed(0, NodeText("b", "placeholder", "b", "", "f32[8]")),),
                    ),
                ),
            ),
        ),
        patterns=(Pattern(name="pointless_view", kind="graph", span=0),),
        notes=(Note(level="info", about="cache", message="The cache was bypassed.", graph=1,
                    node=1),),
        environment=Environment(python="3.11", torch="2.13.0", options={"mode": "default"}),
        seconds=2.0,
    )  # fmt: skip


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="accept what the tests got as their goldens"
    )


class Golden(str):
    """The expected text of a test, from a file beside it; `assert got == golden`."""

    path: Path
    update: bool

    def __eq__(self, got: object) -> bool:
        if self.update:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(str(got), encoding="utf-8", newline="")
            return True
        assert self.path.exists(), f"{self.path} is missing: run pytest --update-golden, review it"
        return str.__eq__(self, str(got))

    __hash__ = str.__hash__


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """The golden of this test: `golden/<module>/<test>.txt` beside its module."""
    module = request.path
    name = "".join(c if c.isalnum() or c in "-_." else "_" for c in request.node.name)
    path = module.parent / "golden" / module.stem.removeprefix("test_") / f"{name}.txt"
    text = Golden(path.read_bytes().decode() if path.exists() else "")
    text.path, text.update = path, bool(request.config.getoption("--update-golden"))
    return text


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium. Without one the test skips; in CI it fails."""
    path = find_chromium() if importlib.util.find_spec("playwright") else None
    if path is None:
        reason = "no Chromium: install chromium, or run `playwright install chromium`"
        required = os.environ.get("DYNAMO_LAB_REQUIRE_BROWSER") or os.environ.get("CI")
        (pytest.fail if required else pytest.skip)(reason)
    return path


@pytest.fixture
def make() -> Callable[[str], Recording]:
    """Make a recording of tests/view/samples by name, as `make("branch_and_print")`."""
    return lambda name: getattr(samples, name)()


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """One browser for all tests: Playwright runs once a process."""
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=flags)
        yield launched
        launched.close()


@pytest.fixture(autouse=True)
def _browser_where_marked(request: pytest.FixtureRequest) -> None:  # pyright: ignore[reportUnusedFunction]
    if request.node.get_closest_marker("browser"):
        request.getfixturevalue("chromium")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What stands in tests/live is live, what stands in tests/browser needs a browser."""
    for item in items:
        room = item.path.relative_to(Path(__file__).parent).parts[0]
        if room in ("live", "browser"):
            item.add_marker(room)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker, needs in (("gpu", "CUDA"), ("mps", "Metal")):
        if item.get_closest_marker(marker) and not _has(marker):
            pytest.skip(f"needs {needs}, which this machine lacks")


def _has(marker: str) -> bool:
    import torch

    return torch.cuda.is_available() if marker == "gpu" else torch.backends.mps.is_available()
