"""What ends the recompilations of the seeded faults, and programs that need no more code."""

from __future__ import annotations

from typing import NamedTuple


class Mended(NamedTuple):
    """What `follows` from the remedy: replaced texts, and the recompilations that are left."""

    follows: str
    changes: tuple[tuple[str, str], ...]
    left: int = 0


MENDED = {
    "never_dynamic": Mended("dynamic=True", (("dynamic=False", "dynamic=True"),)),
    "sizes_of_two_arguments": Mended(
        "dynamic=True", (('backend="aot_eager"', 'backend="aot_eager", dynamic=True'),)
    ),
    "loop_over_a_size": Mended(
        "whole tensors",
        (
            ("for row in range(x.shape[0]):  # fault", "found = found + x.sum(0)"),
            ("                found = found + x[row]\n", ""),
        ),
        1,
    ),
    "step_of_a_module": Mended(
        "allow_unspec_int_on_nn_module",
        (
            (
                "def record(lab):",
                """@torch._dynamo.config.patch(allow_unspec_int_on_nn_module=True)
        def record(lab):""",
            ),
        ),
        1,
    ),
    "learning_rate": Mended(
        'group["lr"] = torch.tensor(group["lr"])',
        (
            (
                "scheduler = ",
                "for group in optimizer.param_groups:\n"
                '            group["lr"] = torch.tensor(group["lr"])\n        scheduler = ',
            ),
        ),
    ),
    "betas_that_a_scheduler_cycles": Mended(
        "cycle_momentum=False",
        (("total_steps=100", "total_steps=100, cycle_momentum=False"),),
    ),
    "lambda_in_the_call": Mended(
        "Make it once",
        (
            (
                "for _ in range(10):",
                'act = made("lambda x: x * 2")\n                for _ in range(10):',
            ),
            ('compiled(torch.ones(4), made("lambda x: x * 2"))', "compiled(torch.ones(4), act)"),
        ),
    ),
    "a_global_counter": Mended(
        "as a tensor",
        (("calls = 2", "calls = torch.tensor(2)"),),
    ),
    "number_in_a_range": Mended(
        "Compute with tensors instead of looping",
        (
            ("for _ in range(times):  # fault\n                y = y * x", "y = y * x**times"),
            ("compiled(torch.ones(4), times)", "compiled(torch.ones(4), torch.tensor(times))"),
        ),
    ),
    "cache_that_grows": Mended(
        "a tensor of one dimension, `torch.tensor([n])`",
        (
            ("cache.keys.append(x)  # fault", "cache[:, position] = x"),
            ("def attend(x, cache)", "def attend(x, cache, position)"),
            ("torch.cat(cache.keys).sum()", "cache.sum()"),
            ("KeyCache()", "torch.zeros(1, 8, 4)"),
            ("for _ in range(4)", "for n in range(4)"),
            ("torch.ones(1, 4), cache", "torch.ones(1, 1, 4), cache, torch.tensor([n])"),
        ),
    ),
    "list_that_only_grows": Mended(
        "append it in the code that calls",
        (
            ("    norms.seen.append(x.shape[0])  # fault\n", ""),
            (
                "compiled(torch.ones(4), norms)",
                "norms.seen.append(len(compiled(torch.ones(4), norms)))",
            ),
        ),
    ),
    "a_name_for_each_call": Mended(
        "Choose it before the call",
        (
            ("scales[name]  # fault", "name"),
            ("torch.ones(4), name", "torch.ones(4), torch.tensor(scales[name])"),
        ),
    ),
    "dtypes": Mended(
        "x = x.to(torch.float32)",
        (("torch.ones(4, dtype=dtype)", "torch.ones(4, dtype=dtype).to(torch.float32)"),),
    ),
    "layouts": Mended("x.contiguous()", (("compiled(x)", "compiled(x.contiguous())"),)),
}

CLEAN = {
    "handled_by_automatic_dynamic": """
        import torch

        def fn(x):
            return x.relu().sum()

        def record(lab):
            with lab.record() as recorder:
                compiled = torch.compile(fn, backend="aot_eager")
                for rows in range(3, 9):
                    compiled(torch.ones(rows, 4))
            return recorder.recording
        """,
    "training_and_evaluation": """
        import torch

        def record(lab):
            model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout())
            with lab.record() as recorder:
                compiled = torch.compile(model, backend="aot_eager")
                for _ in range(3):
                    compiled.train()
                    compiled(torch.ones(2, 4))
                    compiled.eval()
                    compiled(torch.ones(2, 4))
            return recorder.recording
        """,
    "with_and_without_gradients": """
        import torch

        def fn(x):
            return x.sin() * 2

        def record(lab):
            with lab.record() as recorder:
                compiled = torch.compile(fn, backend="aot_eager")
                compiled(torch.ones(4))
                with torch.no_grad():
                    compiled(torch.ones(4))
                compiled(torch.ones(4))
            return recorder.recording
        """,
    "a_float_for_each_call": """
        import torch

        def fn(x, scale):
            return x * scale

        def record(lab):
            with lab.record() as recorder:
                compiled = torch.compile(fn, backend="aot_eager")
                for scale in (0.5, 0.25, 0.125, 2.5):
                    compiled(torch.ones(4), scale)
            return recorder.recording
        """,
    "layers_of_one_kind": """
        import torch

        class Layer(torch.nn.Linear):  # of PyTorch's own class, compile() compiles nothing
            def forward(self, x):
                return super().forward(x).relu()

        def record(lab):
            layers = [Layer(4, 4) for _ in range(4)]
            with lab.record() as recorder:
                for layer in layers:
                    layer.compile(backend="aot_eager")
                    layer(torch.ones(2, 4))
            return recorder.recording
        """,
    "a_last_batch_of_one": """
        import torch

        def fn(x):
            return x.relu().sum()

        def record(lab):
            with lab.record() as recorder:
                compiled = torch.compile(fn, backend="aot_eager")
                for rows in (8, 4, 1):
                    compiled(torch.ones(rows, 4))
            return recorder.recording
        """,
    "one_call": """
        import torch

        def fn(x):
            return torch.softmax(x * 2, -1)

        def record(lab):
            return lab.explore(fn, torch.ones(3, 4), backend="aot_eager")
        """,
    "a_step_of_training": """
        import torch

        model = torch.nn.Linear(4, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        def loss_of(x):
            return model(x).square().mean()

        def record(lab):
            with lab.record() as recorder:
                compiled = torch.compile(loss_of, backend="aot_eager")
                for _ in range(3):
                    compiled(torch.ones(3, 4)).backward()
                    optimizer.step()
                    optimizer.zero_grad()
            return recorder.recording
        """,
}
