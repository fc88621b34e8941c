"""Programs that are compiled again and again, each for one cause."""

from __future__ import annotations

from tests.findings.faults import Fault

FAULTS = {
    "never_dynamic": Fault(
        "size-changes",
        """
        import torch

        def fn(x):
            return x.relu().sum()  # fault

        def record(lab):
            with lab.record() as recorder:
                compiled = torch.compile(fn, backend="aot_eager", dynamic=False)
                for rows in (3, 5, 8):
                    compiled(torch.ones(rows, 4))
            return recorder.recording
        """,
    ),
    "sizes_of_two_arguments": Fault(
        "size-changes",
        """
        import torch

        def fn(x, y):
            return (x.sum()  # fault
                    + y.sum())

        def record(lab):
            with lab.record() as recorder:
                compiled = torch.compile(fn, backend="aot_eager")
                compiled(torch.ones(4), torch.ones(7))
                compiled(torch.ones(5), torch.ones(7))
                compiled(torch.ones(5), torch.ones(8))
            return recorder.recording
        """,
    ),
    "loop_over_a_size": Fault(
        "size-needed",
        """
        import torch

        def total(x):
            found = x[0] * 0
            for row in range(x.shape[0]):  # fault
                found = found + x[row]
            return found

        def record(lab):
            with lab.record() as recorder:
                compiled = torch.compile(total, backend="aot_eager")
                for rows in (2, 3, 4):
                    compiled(torch.ones(rows, 4))
            return recorder.recording
        """,
    ),
    "number_in_a_range": Fault(
        "number-needed",
        """
        import torch

        def power(x, times):
            y = x.sin()
            for _ in range(times):  # fault
                y = y * x
            return y

        def record(lab):
            with lab.record() as recorder:
                compiled = torch.compile(power, backend="aot_eager")
                for times in (2, 3, 4):
                    compiled(torch.ones(4), times)
            return recorder.recording
        """,
    ),
    "step_of_a_module": Fault(
        "attribute-changes",
        """
        import torch

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = torch.nn.Linear(4, 4)
                self.step = 0

            def forward(self, x):
                y = self.linear(x)
                self.step += 1  # fault
                return y / self.step

        def record(lab):
            with lab.record() as recorder:
                compiled = torch.compile(Model(), backend="aot_eager")
                for _ in range(5):
                    compiled(torch.ones(2, 4))
            return recorder.recording
        """,
    ),
    "a_number_for_each_layer": Fault(
        "attribute-changes",
        """
        import torch

        class Layer(torch.nn.Module):
            def __init__(self, index):
                super().__init__()
                self.index = index
                self.linear = torch.nn.Linear(4, 4)

            def forward(self, x):
                y = self.linear(x)
                return y * self.index  # fault

        def record(lab):
            layers = [Layer(index) for index in range(2, 6)]
            with lab.record() as recorder:
                for layer in layers:
                    layer.compile(backend="aot_eager")
                    layer(torch.ones(2, 4))
            return recorder.recording
        """,
    ),
    "a_global_counter": Fault(
        "number-changes",
        """
        import torch

        calls = 2

        def fn(x):
            global calls
            y = x * calls
            calls += 1  # fault
            return y

        def record(lab):
            with lab.record() as recorder:
                compiled = torch.compile(fn, backend="aot_eager")
                for _ in range(4):
                    compiled(torch.ones(4))
            return recorder.recording
        """,
    ),
    "learning_rate": Fault(
        "learning-rate",
        """
        import torch

        weight = torch.nn.Parameter(torch.ones(4))
        optimizer = torch.optim.SGD([weight], lr=0.1)
        scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)

        def step():
            optimizer.step()  # fault

        def record(lab):
            with lab.record() as recorder:
                compiled = torch.compile(step, backend="aot_eager")
                for _ in range(10):
                    weight.grad = torch.ones(4)
                    compiled()
                    scheduler.step()
            return recorder.recording
        """,
    ),
    "betas_that_a_scheduler_cycles": Fault(  # pytorch/pytorch issue 133898
        "optimizer-option",
        """
        import torch

        weight = torch.nn.Parameter(torch.ones(4))
        weight.grad = torch.ones(4)
        rate = torch.tensor(0.001)
        optimizer = torch.optim.AdamW([weight], lr=rate)
        scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=rate, total_steps=100)

        def step():
            optimizer.step()  # fault
            scheduler.step()

        def record(lab):
            with lab.record() as recorder:
                compiled = torch.compile(step, backend="aot_eager")
                for _ in range(6):
                    compiled()
            return recorder.recording
        """,
    ),
    "cache_that_grows": Fault(
        "growing-container",
        """
        import torch

        class KeyCache:
            def __init__(self):
                self.keys = []

        def attend(x, cache):
            cache.keys.append(x)  # fault
            return torch.cat(cache.keys).sum()

        def record(lab):
            cache = KeyCache()
            with lab.record() as recorder:
                compiled = torch.compile(attend, backend="aot_eager")
                for _ in range(4):
                    compiled(torch.ones(1, 4), cache)
            return recorder.recording
        """,
    ),
    "list_that_only_grows": Fault(
        "growing-container",
        """
        import torch

        class Norms:
            def __init__(self):
                self.seen = []

        def scaled(x, norms):
            norms.seen.append(x.shape[0])  # fault
            return x * 2

        def record(lab):
            norms = Norms()
            with lab.record() as recorder:
                compiled = torch.compile(scaled, backend="aot_eager")
                for _ in range(4):
                    compiled(torch.ones(4), norms)
            return recorder.recording
        """,
    ),
    "lambda_in_the_call": Fault(
        "function-made-anew",
        """
        import torch

        def apply(x, act):
            return act(x) + 1  # fault

        def made(text):
            return eval(text)

        def record(lab):
            with lab.record() as recorder:
                compiled = torch.compile(apply, backend="aot_eager")
                for _ in range(10):
                    compiled(torch.ones(4), made("lambda x: x * 2"))
            return recorder.recording
        """,
    ),
    "a_name_for_each_call": Fault(
        "constant-changes",
        """
        import torch

        scales = {name: index for index, name in enumerate("abcd")}

        def fn(x, name):
            return x * scales[name]  # fault

        def record(lab):
            with lab.record() as recorder:
                compiled = torch.compile(fn, backend="aot_eager")
                for name in scales:
                    compiled(torch.ones(4), name)
            return recorder.recording
        """,
    ),
    "layouts": Fault(
        "layout-changes",
        """
        import torch

        def fn(x):
            return x.relu() + 1  # fault

        def record(lab):
            with lab.record() as recorder:
                compiled = torch.compile(fn, backend="aot_eager", dynamic=False)
                for x in (torch.ones(4, 4), torch.ones(4, 4).t(), torch.ones(4, 8)[:, :4]):
                    compiled(x)
            return recorder.recording
        """,
    ),
    "calls_counted_beside_an_argument": Fault(
        "attribute-changes",
        """
        import torch

        class Counting(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.calls = 0

            def forward(self, x, labels=None):
                self.calls += 1  # fault
                return x.sin() if labels is None else x.sin() + labels

        def record(lab):
            with lab.record() as recorder:
                compiled = torch.compile(Counting(), backend="eager")
                for labels in (None, torch.ones(4), None, None):
                    compiled(torch.ones(4), labels)
            return recorder.recording
        """,
    ),
    "dtypes": Fault(
        "dtype-changes",
        """
        import torch

        def scaled(x):
            return x / 3  # fault

        def fn(x):
            return scaled(x)

        def record(lab):
            with lab.record() as recorder:
                compiled = torch.compile(fn, backend="aot_eager")
                for dtype in (torch.float32, torch.float64, torch.bfloat16):
                    compiled(torch.ones(4, dtype=dtype))
            return recorder.recording
        """,
    ),
}
