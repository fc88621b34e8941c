"""Programs that compute more slowly than they need, with the line at fault, as source text."""

from tests.findings.faults import Fault

FAULTS = {
    "numpy_table_is_float64": Fault(
        "float64",
        """
        import numpy as np
        import torch

        TABLE = np.linspace(0.0, 1.0, 256)

        def fn(x):
            window = torch.as_tensor(TABLE)
            y = x.relu()
            y = y * window  # fault
            return y.sin() + 1

        def record(lab):
            return lab.lower(fn, torch.randn(64, 256))
        """,
        "NumPy makes float64 of Python floats",
    ),
    "module_with_a_buffer_of_float64": Fault(
        "float64",
        """
        import numpy as np
        import torch

        class Positions(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("table", torch.from_numpy(np.sin(np.arange(128 * 64.0))))
                self.out = torch.nn.Linear(64, 64)

            def forward(self, x):
                x = self.out(x)
                x = x + self.table.view(128, 64)  # fault
                return torch.tanh(x).mean(-1)

        def record(lab):
            with torch.no_grad():
                return lab.lower(Positions(), torch.randn(8, 128, 64), target="cuda")
        """,
        "a table of positions made with NumPy",
    ),
    "loss_in_float64": Fault(
        "float64",
        """
        import torch

        def loss(predicted, wanted):
            error = predicted - wanted  # fault
            return (error * error).mean()

        def record(lab):
            wanted = torch.tensor([[0.5] * 32] * 64, dtype=torch.float64)
            return lab.lower(loss, torch.randn(64, 32, requires_grad=True), wanted, grad=True)
        """,
        "targets that a data set delivers in float64, in training",
    ),
    "rotary_embedding_in_complex_numbers": Fault(
        "complex-numbers",
        """
        import torch

        def rotate(q, freqs):
            z = torch.view_as_complex(q.reshape(*q.shape[:-1], -1, 2))
            z = z * torch.polar(torch.ones_like(freqs), freqs)  # fault
            return torch.view_as_real(z).flatten(-2) * 2

        def record(lab):
            return lab.lower(rotate, torch.randn(4, 128, 64), torch.randn(128, 32))
        """,
        "a rotary embedding as in Llama's reference code",
    ),
    "spectrum_in_complex_numbers": Fault(
        "complex-numbers",
        """
        import torch

        def power(x):
            spectrum = torch.fft.rfft(x)
            shifted = spectrum * spectrum.conj()  # fault
            return shifted.real.log1p()

        def record(lab):
            return lab.lower(power, torch.randn(32, 1024))
        """,
        "a power spectrum",
    ),
    "experts_one_by_one": Fault(
        "many-small-calls",
        """
        import torch

        def experts(x, weights):
            out = []
            for number in range(len(weights)):
                out.append(x[number] @ weights[number])  # fault
            return torch.stack(out).relu()

        def record(lab):
            return lab.lower(experts, torch.randn(40, 8, 16), torch.randn(40, 16, 16))
        """,
        "a loop over experts",
    ),
    "recurrent_input_in_the_loop": Fault(
        "many-small-calls",
        """
        import torch

        class Cell(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.read = torch.nn.Linear(16, 32)
                self.keep = torch.nn.Linear(32, 32)

            def forward(self, x):
                state = torch.zeros(x.shape[0], 32)
                for step in range(x.shape[1]):
                    seen = self.read(x[:, step])  # fault
                    state = torch.tanh(seen + self.keep(state))
                return state

        def record(lab):
            return lab.lower(Cell(), torch.randn(8, 32, 16), grad=False)
        """,
        "the part of a recurrent cell that does not depend on its state",
    ),
    "signal_with_time_first": Fault(
        "layout-copy",
        """
        import torch
        from torch.nn import functional as F

        def filtered(signal, weight):
            channels = signal.permute(2, 1, 0)
            return F.conv1d(channels, weight).relu()  # fault

        def record(lab):
            return lab.lower(filtered, torch.randn(512, 32, 16), torch.randn(8, 32, 3))
        """,
        "a convolution over a transposed signal",
    ),
    "images_with_columns_first": Fault(
        "layout-copy",
        """
        import torch
        from torch.nn import functional as F

        def edges(pictures, weight):
            images = pictures.permute(2, 1, 3, 0)
            return F.conv2d(images, weight).abs()  # fault

        def record(lab):
            return lab.lower(edges, torch.randn(48, 8, 4, 40), torch.randn(4, 8, 3, 3))
        """,
    ),
    "cuda_graph_and_a_cache_that_is_written": Fault(
        "cuda-graph-not-used",
        """
        import torch

        def step(cache, new, at):
            scores = cache @ new
            cache.index_copy_(0, at, new.T)  # fault
            return scores.softmax(0)

        def record(lab):
            cache, new, at = torch.zeros(64, 32), torch.randn(32, 4), torch.arange(4)
            return lab.lower(step, cache, new, at, mode="reduce-overhead", target="cuda:sm_90")
        """,
        "a cache passed as an argument may be another tensor in the next call",
    ),
    "cuda_graph_and_a_branch": Fault(
        "cuda-graph-not-used",
        """
        import torch

        class Gate(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.mix = torch.nn.Linear(16, 16)

            def forward(self, x):
                y = self.mix(x).sin()
                return torch.cond(x.sum() > 0, lambda a: a * 2, lambda a: a - 1, (y,))  # fault

        def record(lab):
            return lab.lower(Gate(), torch.randn(4, 16), mode="reduce-overhead",
                             target="cuda:sm_90", grad=False)
        """,
    ),
    "cuda_graph_and_a_size_from_data": Fault(
        "cuda-graph-not-used",
        """
        import torch

        def kept(x):
            y = torch.relu(x) @ x
            found = y.nonzero()  # fault
            return (found * 2).sum() + (y @ y).sum()

        def record(lab):
            with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
                return lab.lower(kept, torch.randn(8, 8), mode="reduce-overhead",
                                 target="cuda:sm_90")
        """,
    ),
}

CLEAN = {
    "copy_that_an_operator_writes_to": """
        import torch

        @torch.library.custom_op("copied::halve_", mutates_args=("y",))
        def halve_(y: torch.Tensor) -> None:
            y.mul_(0.5)

        @halve_.register_fake
        def _(y):
            return None

        def halved(x):
            y = x.clone()
            halve_(y)
            return y

        def record(lab):
            return lab.lower(halved, torch.randn(64, 64))
        """,
    "cuda_graph_of_a_module_that_writes_to_its_buffers": """
        import torch

        def record(lab):
            model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))
            return lab.lower(model, torch.randn(8, 4), mode="reduce-overhead",
                             target="cuda:sm_90", grad=True)
        """,
    "written_input_without_cuda_graphs": """
        import torch

        def step(x, y):
            x.add_(y)
            return x.sin()

        def record(lab):
            return lab.lower(step, torch.randn(8), torch.randn(8), target="cuda:sm_90")
        """,
    "float64_as_asked": """
        import torch

        def fn(x, y):
            total = x.double() * y.to(torch.float64)
            return total.sum() + (x * y.double()).sum()

        def record(lab):
            return lab.lower(fn, torch.randn(64, 64), torch.randn(64, 64))
        """,
    "sum_kept_in_float64": """
        import torch

        def fn(total, squares, x):
            total += x.sin()
            squares.add_(x * x)
            return x * 2

        def record(lab):
            total, squares = (torch.zeros(64, 64, dtype=torch.float64) for _ in range(2))
            return lab.lower(fn, total, squares, torch.randn(64, 64))
        """,
    "float64_throughout": """
        import torch

        def fn(x, y):
            return torch.tanh(x * y).sum()

        def record(lab):
            return lab.lower(fn, torch.randn(64).double(), torch.randn(64).double())
        """,
    "a_scalar_of_float64_promotes_nothing": """
        import torch

        def fn(x, scale):
            return (x * scale).sin()

        def record(lab):
            return lab.lower(fn, torch.randn(64), torch.tensor(2.0, dtype=torch.float64))
        """,
    "state_carried_through_a_loop": """
        import torch

        def fn(x, w):
            for _ in range(40):
                x = torch.tanh(x @ w)
            return x

        def record(lab):
            return lab.lower(fn, torch.randn(8, 16), torch.randn(16, 16))
        """,
    "few_layers": """
        import torch

        def record(lab):
            layers = [torch.nn.Linear(32, 32) for _ in range(6)]
            model = torch.nn.Sequential(*layers)
            return lab.lower(model, torch.randn(8, 32), grad=True)
        """,
    "real_numbers_in_pairs": """
        import torch

        def rotate(q, freqs):
            re, im = q.unflatten(-1, (-1, 2)).unbind(-1)
            cos, sin = freqs.cos(), freqs.sin()
            return torch.stack((re * cos - im * sin, re * sin + im * cos), -1).flatten(-2)

        def record(lab):
            return lab.lower(rotate, torch.randn(4, 128, 64), torch.randn(128, 32))
        """,
    "convolution_of_contiguous_input": """
        import torch

        def record(lab):
            model = torch.nn.Sequential(torch.nn.Conv1d(32, 32, 3), torch.nn.ReLU())
            return lab.lower(model, torch.randn(4, 32, 64), grad=False)
        """,
}
