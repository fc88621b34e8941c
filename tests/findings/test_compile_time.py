"""Why does it take so long to compile? Seeded faults, and programs without any."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.findings.faults import Fault, assert_found_first, findings_of, recorded

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.live

FAULTS = {
    "for_over_steps": Fault(
        "unrolled-loop",
        """
        import torch

        def fn(x):
            for i in range(40):  # fault
                x = torch.sin(x) + i
            return x

        def record(lab):
            return lab.explore(fn, torch.ones(4), backend="aot_eager")
        """,
    ),
    "while_with_a_counter": Fault(
        "unrolled-loop",
        """
        import torch

        def fn(x, w):
            left = 30
            while left > 0:
                x = torch.tanh(x @ w)  # fault
                left -= 1
            return x.sum()

        def record(lab):
            w = torch.eye(4, requires_grad=True)
            return lab.explore(fn, torch.ones(4, 4), w, backend="aot_eager")
        """,
        "Python 3.11 jumps back to the body of a while loop, whose test stands twice.",
    ),
    "comprehension_over_rows": Fault(
        "unrolled-loop",
        """
        import torch

        def normal(row):
            return (row - row.mean()) / row.std()

        def fn(x):
            rows = [normal(row) for row in x]  # fault
            return torch.stack(rows)

        def record(lab):
            return lab.explore(fn, torch.randn(24, 8), backend="aot_eager")
        """,
    ),
    "cell_over_time": Fault(
        "unrolled-loop",
        """
        import torch

        class Reader(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.cell = torch.nn.GRUCell(4, 4)

            def forward(self, x):
                h = x.new_zeros(x.shape[1], 4)
                for step in x:  # fault
                    h = self.cell(step, h)
                    h = torch.where(h > 0, h, 0.1 * h)
                return h

        def record(lab):
            return lab.explore(Reader(), torch.randn(32, 2, 4), backend="aot_eager", grad=True)
        """,
    ),
    "loop_in_a_generator": Fault(
        "unrolled-loop",
        """
        import torch

        def terms(x):
            for n in range(1, 41):  # fault
                yield x ** n / n

        def fn(x):
            return sum(terms(x))

        def record(lab):
            return lab.explore(fn, torch.ones(4), backend="aot_eager")
        """,
    ),
    "nested_loops": Fault(
        "unrolled-loop",
        """
        import torch

        def fn(x):
            for a in range(20):  # fault
                x = x + 1
                for b in range(4):
                    x = x * 1.5
            return x

        def record(lab):
            return lab.explore(fn, torch.ones(4), backend="aot_eager")
        """,
        "The outer loop has all that the inner one has, and more.",
    ),
    "layers_in_a_list": Fault(
        "repeated-block",
        """
        import torch

        class Block(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.norm = torch.nn.LayerNorm(8)
                self.up = torch.nn.Linear(8, 16)
                self.down = torch.nn.Linear(16, 8)

            def forward(self, x):
                return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.blocks = torch.nn.ModuleList(Block() for _ in range(16))

            def forward(self, x):
                for block in self.blocks:
                    x = block(x)  # fault
                return x

        def record(lab):
            return lab.explore(Model(), torch.ones(2, 8), backend="aot_eager")
        """,
    ),
    "layers_in_a_sequential": Fault(
        "repeated-block",
        """
        import torch

        class Mix(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = torch.nn.Parameter(torch.ones(8))

            def forward(self, x):
                return torch.relu(x * self.scale + 1).clamp(max=6)

        def record(lab):
            layers = torch.nn.Sequential(*(Mix() for _ in range(12)))

            def step(x):
                return layers(x).mean()  # fault

            return lab.explore(step, torch.ones(2, 8), backend="aot_eager", grad=True)
        """,
        "The loop is the library's, the line that calls it the reader's.",
    ),
    "a_function_that_no_cache_knows": Fault(
        "cache-bypassed",
        """
        import torch

        @torch._dynamo.allow_in_graph
        def mine(x):
            return torch.sin(x) * 2

        def fn(x):
            y = x + 1
            return mine(y).sum()  # fault

        def record(lab):
            return lab.explore(fn, torch.ones(4))
        """,
    ),
}
"""The line at fault is a loop's header, the line that calls a block, or the line of an operator."""

CLEAN = {
    "few_steps": """
        import torch

        def fn(x):
            for i in range(4):
                x = torch.sin(x) + i
            return x

        def record(lab):
            return lab.explore(fn, torch.ones(4), backend="aot_eager")
        """,
    "a_long_loop_without_tensors": """
        import torch

        def fn(x):
            total = 0
            for i in range(200):
                total += i * i
            return x * total

        def record(lab):
            return lab.explore(fn, torch.ones(4), backend="aot_eager")
        """,
    "a_small_part_of_a_graph": """
        import torch

        def fn(x):
            for w in range(20):
                x = x + w
            x = (x.sin().cos().tan().exp().log().sqrt().abs().neg().relu().sigmoid().tanh()
                 .square().floor().ceil().round().trunc().frac().sign().erf().log1p().expm1()
                 .sinh().cosh().atan().asinh().rsqrt().reciprocal().relu().sin().cos().tan())
            return x

        def record(lab):
            return lab.explore(fn, torch.ones(4), backend="aot_eager")
        """,
    "blocks_of_different_sizes": """
        import torch

        def record(lab):
            sizes = list(range(8, 22))
            pairs = zip(sizes, sizes[1:])
            net = torch.nn.Sequential(*(
                torch.nn.Sequential(torch.nn.Linear(a, b), torch.nn.Tanh(), torch.nn.Softplus())
                for a, b in pairs
            ))
            return lab.explore(net, torch.ones(2, 8), backend="aot_eager")
        """,
    "a_scan_instead_of_a_loop": """
        import torch
        from torch._higher_order_ops import scan

        def step(carry, x):
            carry = torch.sin(carry) + x
            return carry, carry.clone()

        def fn(x, steps):
            return scan(step, x, steps)[0]

        def record(lab):
            return lab.explore(fn, torch.ones(4), torch.ones(40, 4), backend="aot_eager")
        """,
    "autocast_which_only_pytorch_could_let_in": """
        import torch

        def fn(x, w):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                return (x @ w).sum()

        def record(lab):
            return lab.explore(fn, torch.ones(8, 8), torch.ones(8, 8))
        """,
    "an_operator_that_the_caches_know": """
        import torch

        @torch.library.custom_op("dynamo_lab_test::twice", mutates_args=())
        def twice(x: torch.Tensor) -> torch.Tensor:
            return torch.sin(x) * 2

        @twice.register_fake
        def _(x):
            return torch.empty_like(x)

        def fn(x):
            return twice(x + 1).sum()

        def record(lab):
            return lab.explore(fn, torch.ones(4))
        """,
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_first_finding_names_cause_and_line(name: str, tmp_path: Path) -> None:
    found = assert_found_first(FAULTS[name], tmp_path, name)
    assert found.question == "compile_time"
    assert found.grade != "safe"
    if found.gain is not None:
        assert found.gain.after < found.gain.before


@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_program_has_at_most_a_note(name: str, tmp_path: Path) -> None:
    found = findings_of(recorded(CLEAN[name], tmp_path, name))
    assert [one.sentence for one in found if one.level != "note"] == []


def test_the_sentence_counts_times_and_nodes(tmp_path: Path) -> None:
    found = assert_found_first(FAULTS["for_over_steps"], tmp_path, "counted")
    assert "unrolled 40 times: 80 nodes, 100 % of its graph" in found.sentence
    found = assert_found_first(FAULTS["while_with_a_counter"], tmp_path, "at_least")
    assert "at least 29 times" in found.sentence
