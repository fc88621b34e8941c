"""Programs that make the host wait for a GPU, foretold without one, with the line at fault."""

from tests.findings.faults import Fault

FAULTS = {
    "statistics_on_the_host": Fault(
        "host-copy",
        """
        import torch

        def scaled(x):
            energy = (x * x).cpu()  # fault
            scale = energy.mean(-1, keepdim=True).rsqrt()
            return x * scale.to("cuda")

        def record(lab):
            return lab.lower(scaled, torch.randn(64, 256), target="cuda:sm_90")
        """,
        "a part that was once written for NumPy",
    ),
    "module_that_moves_to_the_host_and_back": Fault(
        "host-copy",
        """
        import torch

        class Quantile(torch.nn.Module):
            def forward(self, x):
                on_host = x.to(device="cpu", dtype=torch.float64)  # fault
                limit = on_host.abs().amax()
                return x / limit.float().cuda()

        def record(lab):
            return lab.lower(Quantile(), torch.randn(64, 64), target="cuda:sm_90", grad=False)
        """,
    ),
    "number_as_a_size": Fault(
        "host-waits",
        """
        import torch

        def padded(x, lengths):
            longest = lengths.max().item()  # fault
            torch._check(longest >= 0)
            torch._check(longest <= 16)
            return x.relu() + torch.ones(longest).sum()

        def record(lab):
            with torch._dynamo.config.patch(capture_scalar_outputs=True):
                lengths = torch.tensor([3, 5, 4])
                return lab.lower(padded, torch.randn(8, 8), lengths, target="cuda:sm_90")
        """,
    ),
    "rows_chosen_by_a_mask": Fault(
        "host-waits",
        """
        import torch

        def loss(x, valid):
            kept = x.exp()[valid]  # fault
            return kept.log().sum()

        def record(lab):
            with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
                valid = torch.tensor([True, False] * 32)
                return lab.lower(loss, torch.randn(64, 64), valid, target="cuda:sm_90")
        """,
        "a loss over the tokens that count",
    ),
}

CLEAN = {
    "the_same_mask_on_the_host": """
        import torch

        def loss(x, valid):
            return x.exp()[valid].log().sum()

        def record(lab):
            with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
                return lab.lower(loss, torch.randn(64, 64), torch.tensor([True, False] * 32))
        """,
    "a_number_that_stays_a_tensor": """
        import torch

        def scaled(x):
            return x * x.sum().item()

        def record(lab):
            with torch._dynamo.config.patch(capture_scalar_outputs=True):
                return lab.lower(scaled, torch.randn(64, 64), target="cuda:sm_90")
        """,
    "a_mask_with_where": """
        import torch

        def loss(x, valid):
            return torch.where(valid[:, None], x, 0).sum()

        def record(lab):
            valid = torch.tensor([True, False] * 32)
            return lab.lower(loss, torch.randn(64, 64), valid, target="cuda:sm_90")
        """,
    "a_result_for_the_host": """
        import torch

        def looked_at(x):
            return x.softmax(-1).cpu()

        def record(lab):
            return lab.lower(looked_at, torch.randn(64, 64), target="cuda:sm_90")
        """,
    "named_where_it_is": """
        import torch

        def named(x):
            there = x.to("cuda:0").to(torch.device("cuda"), torch.float16).cuda(non_blocking=True)
            return there.sin() + x.to(x.device)

        def record(lab):
            return lab.lower(named, torch.randn(64, 64), target="cuda:sm_90")
        """,
}
