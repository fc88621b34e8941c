"""Programs that take more memory than they need, with the line at fault, as source text."""

from tests.findings.faults import Fault
from tests.findings.memory.alike import ALIKE

FAULTS = {
    "attention_by_hand": Fault(
        "attention-matrix",
        """
        import torch

        def attention(q, k, v):
            weights = (q @ k.transpose(-1, -2)).softmax(-1)  # fault
            return weights @ v

        def record(lab):
            return lab.lower(attention, *(torch.randn(2, 4, 256, 32) for _ in range(3)))
        """,
    ),
    "attention_of_a_trained_module": Fault(
        "attention-matrix",
        """
        import torch

        class Heads(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.qkv = torch.nn.Linear(64, 192)
                self.heat = torch.nn.Parameter(torch.ones(4, 1, 1))

            def forward(self, x):
                q, k, v = (
                    part.unflatten(-1, (4, 16)).transpose(1, 2)
                    for part in self.qkv(x).chunk(3, -1)
                )
                scores = torch.matmul(q, k.transpose(-2, -1)) * self.heat
                weights = torch.nn.functional.softmax(scores, dim=-1)  # fault
                return torch.matmul(weights, v).transpose(1, 2).flatten(-2)

        def record(lab):
            return lab.lower(Heads(), torch.randn(2, 512, 64), grad=True)
        """,
    ),
    "masked_attention_in_a_library_of_ones_own": Fault(
        "attention-matrix",
        """
        import torch

        def scores(q, k, mask):
            return (torch.einsum("bid,bjd->bij", q, k) * 0.2).masked_fill(mask, -1e9)

        def mixed(q, k, v, mask):
            weights = torch.softmax(scores(q, k, mask), dim=-1)  # fault
            return torch.einsum("bij,bjd->bid", weights, v)

        def record(lab):
            q, k, v = (torch.randn(4, 512, 16) for _ in range(3))
            return lab.lower(mixed, q, k, v, torch.zeros(512, 512, dtype=torch.bool))
        """,
    ),
    "every_pair_of_points": Fault(
        "blown-up-tensor",
        """
        import torch

        def kernel(a, b, weight):
            apart = (a[:, None] - b[None]).pow(2)  # fault
            return (apart @ weight).sum()

        def record(lab):
            return lab.lower(kernel, torch.randn(256, 32), torch.randn(200, 32), torch.randn(32, 1))
        """,
    ),
    "product_with_a_one_hot_matrix": Fault(
        "blown-up-tensor",
        """
        import torch
        from torch.nn import functional as F

        def embedded(tokens, table):
            chosen = F.one_hot(tokens, 5000).float()  # fault
            return torch.relu(chosen @ table)

        def record(lab):
            return lab.lower(embedded, torch.randint(0, 5000, (512,)), torch.randn(5000, 8))
        """,
    ),
    "linear_of_a_one_hot_matrix": Fault(
        "blown-up-tensor",
        """
        import torch
        from torch.nn import functional as F

        def embedded(tokens, weight, bias):
            chosen = F.one_hot(tokens, 5000).float()  # fault
            return torch.relu(F.linear(chosen, weight, bias))

        def record(lab):
            tokens = torch.randint(0, 5000, (512,))
            return lab.lower(embedded, tokens, torch.randn(8, 5000), torch.randn(8))
        """,
    ),
    "rows_interleaved": Fault(
        "blown-up-tensor",
        """
        import torch

        class Decoder(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.mix = torch.nn.Linear(64, 4)

            def forward(self, context):
                repeated = context.repeat_interleave(1024, 0)  # fault
                return self.mix(repeated).amax(0)

        def record(lab):
            return lab.lower(Decoder(), torch.randn(16, 64), grad=False)
        """,
    ),
    "rows_repeated": Fault(
        "blown-up-tensor",
        """
        import torch

        class Decoder(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.mix = torch.nn.Linear(64, 4)

            def forward(self, context):
                repeated = context.repeat(1024, 1)  # fault
                return self.mix(repeated).amax(0)

        def record(lab):
            return lab.lower(Decoder(), torch.randn(16, 64), grad=False)
        """,
    ),
    "evaluation_with_a_gradient": Fault(
        "saved-in-vain",
        """
        import torch

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = torch.nn.Linear(64, 256), torch.nn.Linear(256, 8)
                self.drop = torch.nn.Dropout(0.1)

            def forward(self, x):
                x = self.first(x)
                return self.second(self.drop(x.relu()))  # fault

        def record(lab):
            return lab.explore(Model().eval(), torch.randn(128, 64))
        """,
    ),
    "validation_loop": Fault(
        "saved-in-vain",
        """
        import torch

        norm = torch.nn.BatchNorm1d(64).eval()
        weight = torch.randn(64, 64, requires_grad=True)

        @torch.compile
        def validated(x, y):
            out = norm(x @ weight)  # fault
            return torch.nn.functional.mse_loss(out.exp(), y)

        def record(lab):
            with lab.record() as recorder:
                total = sum(validated(torch.randn(512, 64), torch.zeros(512, 64)).item()
                            for _ in range(2))
            return recorder.recording
        """,
    ),
    "first_columns_of_a_projection": Fault(
        "saved-view",
        """
        import torch
        from torch.nn import functional as F

        def fn(x, wide, narrow):
            part = F.linear(x, wide)[:, :8]  # fault
            return (part @ narrow).sin()

        def record(lab):
            x, wide, narrow = (
                torch.randn(*shape, requires_grad=True) for shape in ((64, 128), (512, 128), (8, 8))
            )
            return lab.lower(fn, x, wide, narrow, grad=True)
        """,
    ),
    "last_token_of_a_sequence": Fault(
        "saved-view",
        """
        import torch

        class Head(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.body, self.head = torch.nn.Linear(32, 64), torch.nn.Linear(64, 10)

            def forward(self, x):
                hidden = self.body(x)
                last = hidden[:, -1]  # fault
                return self.head(last)

        def record(lab):
            return lab.lower(Head(), torch.randn(16, 64, 32), grad=True)
        """,
    ),
    "convolutions_in_another_layout": Fault(
        "more-than-eager",
        """
        import torch
        from tests.findings.times import timed

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.first = torch.nn.Conv2d(3, 64, 3, padding=1)
                self.second = torch.nn.Conv2d(64, 64, 3, padding=1)

            def forward(self, x):
                x = self.first(x).relu()
                return self.second(x)  # fault

        def record(lab):
            facts = lab.lower(Net(), torch.randn(2, 3, 8, 8), grad=True)
            return timed(facts, eager=90, overhead=1, kernels=[], peaks=(1_000_000, 1_300_000))
        """,
        "copies of parameters in channels-last, saved for the backward",
    ),
}

CLEAN = {
    **ALIKE,
    "as_much_as_eager": """
        import torch
        from tests.findings.times import timed

        def record(lab):
            facts = lab.lower(torch.nn.Linear(64, 64), torch.randn(64, 64), grad=False)
            return timed(facts, eager=90, overhead=9, kernels=[9], peaks=(3_000_000, 3_000_000))
        """,
    "attention_that_inductor_replaces": """
        import torch

        def attention(q, k, v):
            return (q @ k.transpose(-2, -1)).div(4.0).softmax(-1).matmul(v)

        def record(lab):
            operands = (torch.randn(2, 4, 512, 16) for _ in range(3))
            return lab.lower(attention, *operands, grad=True)
        """,
    "attention_of_pytorch": """
        import torch
        from torch.nn import functional as F

        def record(lab):
            q, k, v = (torch.randn(2, 4, 256, 32) for _ in range(3))
            return lab.lower(F.scaled_dot_product_attention, q, k, v)
        """,
    "attention_of_a_few_tokens": """
        import torch

        def attention(q, k, v):
            return (q @ k.transpose(-1, -2)).softmax(-1) @ v

        def record(lab):
            return lab.lower(attention, *(torch.randn(2, 4, 16, 64) for _ in range(3)))
        """,
    "classifier": """
        import torch

        def record(lab):
            model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(),
                                        torch.nn.Linear(256, 10), torch.nn.Softmax(-1))
            return lab.lower(model, torch.randn(512, 64), grad=True)
        """,
    "pairs_that_fusion_never_stores": """
        import torch

        def apart(a, b):
            return (a[:, None] - b[None]).pow(2).sum(-1)

        def record(lab):
            return lab.lower(apart, torch.randn(256, 32), torch.randn(200, 32))
        """,
    "training_in_training_mode": """
        import torch

        def record(lab):
            model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.1))
            return lab.explore(model, torch.randn(4, 8), backend="aot_eager")
        """,
    "evaluation_without_a_gradient": """
        import torch

        def record(lab):
            model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.1)).eval()
            with torch.no_grad():
                return lab.explore(model, torch.randn(4, 8), backend="aot_eager")
        """,
    "step_of_an_evaluating_model": """
        import torch

        model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.1)).eval()

        @torch.compile
        def loss(x):
            return model(x).square().sum()

        def record(lab):
            with lab.record() as recorder:
                loss(torch.randn(4, 8)).backward()
            return recorder.recording
        """,
    "thirds_of_a_projection": """
        import torch

        def fn(x, w):
            q, k, v = (x @ w).chunk(3, -1)
            return (q * k).tanh() @ v.T

        def record(lab):
            return lab.lower(fn, torch.randn(64, 64, requires_grad=True),
                             torch.randn(64, 192, requires_grad=True), grad=True)
        """,
}
