"""Programs with times that say why they are no faster than eager, as source text."""

from tests.findings.faults import Fault

FAULTS = {
    "guards_of_many_modules": Fault(
        "guard-checks",
        """
        import torch
        from msgspec.structs import replace
        from tests.findings.times import timed

        class Block(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = torch.nn.Linear(4, 4)

            def forward(self, x):
                return torch.relu(self.inner(x))

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.blocks = torch.nn.ModuleList(Block() for _ in range(4))

            def forward(self, x):  # fault
                for block in self.blocks:
                    x = block(x)
                return x

        def record(lab):
            recording = lab.explore(Net(), torch.ones(2, 4), backend="eager", grad=False)
            [known] = recording.time_guards().guard_times
            shares = [replace(f, seconds=(2 + 29 * f.kept / known.guards) * 1e-6)
                      for f in known.filters]
            slow = replace(known, seconds=31e-6, filters=tuple(shares))
            facts = timed(recording, eager=70, overhead=50, kernels=[], whole=90)
            return replace(facts, guard_times=(slow,))
        """,
        "what is measured depends on the machine, so times are given",
    ),
    "tiny_function": Fault(
        "call-overhead",
        """
        import torch
        from tests.findings.times import timed

        def fn(x):  # fault
            return x.relu() + 1

        def record(lab):
            facts = lab.lower(fn, torch.randn(8))
            return timed(facts, eager=6, overhead=18, kernels=[1])
        """,
    ),
    "method_called_for_each_sample": Fault(
        "call-overhead",
        """
        import torch
        from tests.findings.times import timed

        class Policy(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.act = torch.nn.Linear(4, 2)

            def forward(self, state):  # fault
                return self.act(state).softmax(-1)

        def record(lab):
            facts = lab.lower(Policy(), torch.randn(1, 4), grad=False)
            return timed(facts, eager=14, overhead=30, kernels=[2] * len(facts.kernels))
        """,
    ),
    "gpu_that_waits_for_python": Fault(
        "call-overhead",
        """
        import torch
        from tests.findings.times import timed

        def steps(x):  # fault
            for _ in range(4):
                x = torch.softmax(x, -1) * 2
            return x

        def record(lab):
            facts = lab.lower(steps, torch.randn(8, 8), target="cuda")
            kernels = [2] * len(facts.kernels)
            return timed(facts, eager=60, overhead=60, kernels=kernels, whole=60,
                         device="cuda: NVIDIA H100")
        """,
    ),
    "sum_that_runs_slower": Fault(
        "slow-kernel",
        """
        import torch
        from tests.findings.times import timed

        def fn(x):
            return x.sum(0).exp()  # fault

        def record(lab):
            facts = lab.lower(fn, torch.randn(512, 64))
            return timed(facts, eager=40, overhead=5, kernels=[90], operators=[35])
        """,
    ),
    "one_of_two_kernels": Fault(
        "slow-kernel",
        """
        import torch
        from tests.findings.times import timed

        def fn(x, w):
            y = x @ w
            return y.cumsum(0) * 2  # fault

        def record(lab):
            facts = lab.lower(fn, torch.randn(64, 64), torch.randn(64, 64))
            kernels = [20, *[50] * (len(facts.kernels) - 1)]
            operators = [20, *[10] * (len(facts.kernels) - 1)]
            return timed(facts, eager=35, overhead=5, kernels=kernels, operators=operators)
        """,
    ),
    "products_in_full_float32": Fault(
        "full-float32",
        """
        import torch
        from tests.findings.times import timed

        def fn(x, w):
            return (x @ w).relu()  # fault

        def record(lab):
            facts = lab.lower(fn, torch.randn(256, 256), torch.randn(256, 256), target="cuda")
            kernels = [400 if kernel.language == "extern" else 9 for kernel in facts.kernels]
            return timed(facts, eager=470, overhead=9, kernels=kernels, whole=sum(kernels),
                         device="cuda: NVIDIA H100")
        """,
    ),
}

CLEAN = {
    "faster": """
        import torch
        from tests.findings.times import timed

        def fn(x):
            return x.relu().sin() + 1

        def record(lab):
            facts = lab.lower(fn, torch.randn(512, 64))
            return timed(facts, eager=100, overhead=9, kernels=[40], operators=[90])
        """,
    "overhead_of_a_call_that_is_faster": """
        import torch
        from tests.findings.times import timed

        def fn(x):
            return x.relu().sin() + 1

        def record(lab):
            facts = lab.lower(fn, torch.randn(8))
            return timed(facts, eager=30, overhead=9, kernels=[1])
        """,
    "parts_that_do_not_add_up": """
        import torch
        from tests.findings.times import timed

        def fn(x):
            return x.relu().sin() + 1

        def record(lab):
            facts = lab.lower(fn, torch.randn(8))
            return timed(facts, eager=10, overhead=60, kernels=[1], whole=40)
        """,
    "not_distinguishable": """
        import torch
        from tests.findings.times import timed

        def fn(x, w):
            return x @ w

        def record(lab):
            facts = lab.lower(fn, torch.randn(64, 64), torch.randn(64, 64))
            return timed(facts, eager=105, overhead=5, kernels=[100], operators=[100])
        """,
    "products_that_may_round": """
        import torch
        from tests.findings.times import timed

        def fn(x, w):
            return (x @ w).relu()

        def record(lab):
            facts = lab.lower(fn, torch.randn(256, 256), torch.randn(256, 256), target="cuda")
            kernels = [400 if kernel.language == "extern" else 9 for kernel in facts.kernels]
            return timed(facts, eager=470, overhead=9, kernels=kernels, whole=sum(kernels),
                         device="cuda: NVIDIA H100", precision="high")
        """,
}
