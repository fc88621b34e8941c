"""Programs with no fault: nothing above a note is to be found in them.

Each is a source that defines `record(lab)`, as a fault's is.
"""

HEAD = """
import torch
from torch import nn
import torch.nn.functional as F

"""


def _called(body: str, call: str) -> str:
    return (
        f'{HEAD}{body}\n\ndef record(lab):\n    return lab.explore({call}, backend="aot_eager")\n'
    )


def _module(body: str, shape: str, *, grad: bool = False) -> str:
    made = f"Model(), torch.randn({shape}), grad={grad or None}"
    return _called(f"class Model(nn.Module):\n{body}", made)


CLEAN: dict[str, str] = {
    "pointwise": _called("def fn(x):\n    return (x.sin() + 1).relu()", "fn, torch.randn(64, 64)"),
    "reduction": _called("def fn(x):\n    return x.softmax(-1).sum(0)", "fn, torch.randn(64, 64)"),
    "matmul": _called("def fn(a, b):\n    return F.gelu(a @ b)", "fn, *torch.randn(2, 32, 32)"),
    "helper_function": _called(
        "def scaled(x):\n    return x * 2\n\ndef fn(x):\n    return scaled(x.cos()).mean()",
        "fn, torch.randn(64)",
    ),
    "where_instead_of_if": _called(
        "def fn(x):\n    return torch.where(x.sum() > 0, x * 2, x - 1)", "fn, torch.randn(16)"
    ),
    "loop_over_a_few": _called(
        "def fn(x):\n    for scale in (1, 2, 3):\n        x = x * scale\n    return x",
        "fn, torch.randn(16)",
    ),
    "options_as_a_dict": _called(
        "def fn(x, options):\n    return x * options['scale'] + options['shift']",
        "fn, torch.randn(16), {'scale': 2, 'shift': torch.ones(16)}",
    ),
    "in_place_on_its_own": _called(
        "def fn(x):\n    y = torch.zeros_like(x)\n    y.add_(x).mul_(2)\n    return y",
        "fn, torch.randn(16)",
    ),
    "no_grad": _called(
        "@torch.no_grad()\ndef fn(x):\n    return x.exp().log()", "fn, torch.randn(16)"
    ),
    "dynamic_sizes": HEAD
    + """
def fn(x):
    return x.sum(-1) * x.shape[0]

def record(lab):
    with lab.record() as recorder:
        compiled = torch.compile(fn, backend="aot_eager", dynamic=True)
        for size in (4, 5, 6):
            compiled(torch.randn(size, 8))
    return recorder.recording
""",
    "marked_dynamic": HEAD
    + """
def fn(x):
    return x.relu() + 1

def record(lab):
    x = torch.randn(8, 4)
    torch._dynamo.mark_dynamic(x, 0)
    with lab.record() as recorder:
        compiled = torch.compile(fn, backend="aot_eager")
        compiled(x)
        compiled(torch.randn(16, 4))
    return recorder.recording
""",
    "linear_module": _module(
        "    def __init__(self):\n        super().__init__()\n        self.a = nn.Linear(16, 16)\n"
        "    def forward(self, x):\n        return self.a(x).relu()",
        "4, 16",
    ),
    "norm_and_residual": _module(
        "    def __init__(self):\n        super().__init__()\n"
        "        self.norm = nn.LayerNorm(16)\n"
        "        self.a = nn.Linear(16, 16)\n"
        "    def forward(self, x):\n        return x + self.a(self.norm(x))",
        "4, 16",
    ),
    "mobile_convolutions": _module(
        "    def __init__(self):\n        super().__init__()\n"
        "        self.layers = nn.Sequential(\n"
        "            nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.BatchNorm2d(8), nn.ReLU6(),\n"
        "            nn.Conv2d(8, 16, 1), nn.BatchNorm2d(16), nn.Hardswish())\n"
        "    def forward(self, x):\n        return self.layers(x).mean((2, 3))",
        "2, 8, 12, 12",
    ),
    "attention": _module(
        "    def __init__(self):\n        super().__init__()\n"
        "        self.qkv = nn.Linear(32, 96)\n"
        "    def forward(self, x):\n        q, k, v = self.qkv(x).chunk(3, -1)\n"
        "        return F.scaled_dot_product_attention(q, k, v, is_causal=True)",
        "2, 8, 32",
    ),
    "encoder_layer": _called(
        "layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, dropout=0.0)",
        "layer, torch.randn(2, 8, 32)",
    ),
    "embedding_and_loss": _module(
        "    def __init__(self):\n        super().__init__()\n"
        "        self.table = nn.Embedding(10, 16)\n        self.head = nn.Linear(16, 10)\n"
        "    def forward(self, x):\n        ids = x.long().abs() % 10\n"
        "        return F.cross_entropy(self.head(self.table(ids)), ids)",
        "12",
        grad=True,
    ),
    "trained_module": _module(
        "    def __init__(self):\n        super().__init__()\n        self.a = nn.Linear(16, 4)\n"
        "    def forward(self, x):\n        return self.a(x).tanh().sum()",
        "4, 16",
        grad=True,
    ),
    "training_step": HEAD
    + """
model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def loss_of(x):
    return model(x).square().mean()

def record(lab):
    with lab.record() as recorder:
        compiled = torch.compile(loss_of, backend="aot_eager")
        for _ in range(3):
            optimizer.zero_grad()
            compiled(torch.randn(8, 16)).backward()
            optimizer.step()
    return recorder.recording
""",
    "cell": HEAD
    + """
from IPython.core.interactiveshell import InteractiveShell

CELL = "y = x.sin()\\nz = (y + 1).mean()"

def record(lab):
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "dynamo_lab")
    shell.user_ns["x"] = torch.randn(16)
    shell.run_cell_magic("compile", "--backend aot_eager --into made", CELL)
    return shell.user_ns["made"]
""",
}
