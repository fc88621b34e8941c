"""Programs that break, each for one cause, and programs that do not."""

from __future__ import annotations

from tests.findings.faults import Fault

FAULTS = {
    "branch_on_a_tensor": Fault(
        "graph-break",
        """
        import torch

        def fn(x):
            y = x.relu()
            if y.sum() > 0:  # fault
                y = y * 2
            return y.sin()

        def record(lab):
            return lab.explore(fn, torch.ones(4), backend="aot_eager")
        """,
    ),
    "print_in_a_module": Fault(
        "graph-break",
        """
        import torch

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = torch.nn.Linear(4, 4)

            def forward(self, x):
                y = self.linear(x)
                print("mean", y.mean())  # fault
                return y.relu()

        def record(lab):
            return lab.explore(Model(), torch.ones(2, 4), backend="aot_eager")
        """,
    ),
    "a_number_read": Fault(
        "graph-break",
        """
        import torch

        def fn(x):
            scale = x.abs().max().item()  # fault
            return x / scale

        def record(lab):
            return lab.explore(fn, torch.ones(4), backend="aot_eager")
        """,
    ),
    "a_number_read_and_decided_by": Fault(
        "graph-break",
        """
        import torch

        def fn(x):
            total = x.sum().item()  # fault
            if total > 3:
                return x * 2
            return x - 1

        def record(lab):
            return lab.explore(fn, torch.ones(4), backend="aot_eager")
        """,
    ),
    "asked_for": Fault(
        "graph-break",
        """
        import torch

        def fn(x):
            y = x.sin()
            torch._dynamo.graph_break()  # fault
            return y + 1

        def record(lab):
            return lab.explore(fn, torch.ones(4), backend="aot_eager")
        """,
    ),
    "mask": Fault(
        "graph-break",
        """
        import torch

        def fn(x):
            kept = x[x > 0]  # fault
            return kept.sum() * 2

        def record(lab):
            return lab.explore(fn, torch.ones(4), backend="aot_eager")
        """,
    ),
    "clock_in_a_helper_called_twice": Fault(
        "graph-break",
        """
        import time

        import torch

        def layer(x):
            y = x * 2
            time.perf_counter()  # fault
            return y + 1

        def fn(x):
            y = layer(x)
            return layer(y) * 3

        def record(lab):
            return lab.explore(fn, torch.ones(4), backend="aot_eager")
        """,
    ),
    "in_a_loop": Fault(
        "graph-break",
        """
        import torch

        def fn(x):
            for _ in range(3):
                x = x * 2
                if x.sum() > 8:  # fault
                    x = x - 1
            return x

        def record(lab):
            return lab.explore(fn, torch.ones(4), backend="aot_eager")
        """,
    ),
    "in_a_try": Fault(
        "graph-break",
        """
        import torch

        def fn(x):
            try:
                y = x.sin()
                print("computed")  # fault
                return y + 1
            except ValueError:
                return x

        def record(lab):
            return lab.explore(fn, torch.ones(4), backend="aot_eager")
        """,
    ),
    "with_a_full_graph_wanted": Fault(
        "graph-break",
        """
        import torch

        def fn(x):
            y = x.sin()
            print("computed")  # fault
            return y + 1

        def record(lab):
            with lab.record() as recorder:
                try:
                    torch.compile(fn, backend="aot_eager", fullgraph=True)(torch.ones(4))
                except Exception:
                    pass
            return recorder.recording
        """,
    ),
    "in_a_step_of_training": Fault(
        "graph-break",
        """
        import logging

        import torch

        log = logging.getLogger("training")
        model = torch.nn.Linear(4, 1)

        def loss_of(x, y):
            loss = (model(x) - y).square().mean()
            log.info("a step")  # fault
            return loss * 2

        def record(lab):
            with lab.record() as recorder:
                compiled = torch.compile(loss_of, backend="aot_eager")
                compiled(torch.ones(3, 4), torch.ones(3, 1)).backward()
            return recorder.recording
        """,
    ),
    "recurrent": Fault(
        "graph-break",
        """
        import torch

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.cell = torch.nn.LSTM(4, 4)

            def forward(self, x):
                return self.cell(x)[0] * 2  # fault

        def record(lab):
            return lab.explore(Model(), torch.ones(3, 2, 4), backend="aot_eager")
        """,
    ),
    "within_a_library": Fault(
        "graph-break",
        """
        import torch
        import torch.utils._pytree as library

        def fn(x):
            y = x * 2
            found = library.tree_map(shown, [y, y + 1])  # fault
            return found[0] + found[1]

        shown = torch.compiler.disable(lambda leaf: leaf.detach())

        def record(lab):
            return lab.explore(fn, torch.ones(4), backend="aot_eager")
        """,
    ),
}

CLEAN = {
    "branch_on_a_size": """
        import torch

        def fn(x):
            return x * 2 if x.shape[0] > 2 else x

        def record(lab):
            return lab.explore(fn, torch.ones(4), backend="aot_eager")
        """,
    "where": """
        import torch

        def fn(x):
            return torch.where(x > 0, x * 2, x - 1).sum()

        def record(lab):
            return lab.explore(fn, torch.ones(4), backend="aot_eager")
        """,
    "loop_that_is_unrolled": """
        import torch

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = torch.nn.ModuleList(torch.nn.Linear(4, 4) for _ in range(2))

            def forward(self, x):
                for layer in self.layers:
                    x = layer(x).relu()
                return x

        def record(lab):
            return lab.explore(Model(), torch.ones(2, 4), backend="aot_eager")
        """,
    "printed_after_the_call": """
        import torch

        def fn(x):
            return x.sin() + 1

        def record(lab):
            with lab.record() as recorder:
                print(torch.compile(fn, backend="aot_eager")(torch.ones(4)))
            return recorder.recording
        """,
}
