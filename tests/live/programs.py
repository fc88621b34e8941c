"""Real programs with random weights, each a function of no arguments that compiles something."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional

Program = Callable[[], tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]]


def branch_and_print() -> Any:
    def act(z: torch.Tensor) -> torch.Tensor:
        return torch.tanh(z) * 3.14

    def f(x: torch.Tensor) -> torch.Tensor:
        y = act(x) + 1
        if y.sum() > 0:
            y = y * 2
        print("total", y.sum())
        return y.softmax(-1)

    return f, (torch.ones(8, 8),), {}


def training_step() -> Any:
    model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 4))

    def step(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return functional.cross_entropy(model(x), target)

    return step, (torch.randn(8, 16), torch.randint(4, (8,))), {"grad": True}


def lstm() -> Any:
    class Tagger(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rnn = nn.LSTM(8, 16, batch_first=True)
            self.head = nn.Linear(16, 4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            hidden, _ = self.rnn(x)
            return self.head(hidden)

    return Tagger(), (torch.randn(2, 5, 8),), {}


def attention() -> Any:
    def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    return attend, tuple(torch.randn(2, 4, 16, 32) for _ in range(3)), {}


def vmap_of_grad() -> Any:
    def loss(w: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return (w * x).sin().sum()

    def per_sample(w: torch.Tensor, xs: torch.Tensor) -> torch.Tensor:
        return torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(w, xs)

    return per_sample, (torch.randn(4), torch.randn(8, 4)), {}


def cond() -> Any:
    def f(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda t: t.sin() + 1, lambda t: t.cos() * 2, (x,))

    return f, (torch.randn(4, 4),), {}


def dynamic_shapes() -> Any:
    def f(x: torch.Tensor) -> torch.Tensor:
        return x.view(-1).relu().sum() * x.shape[0]

    return f, (torch.randn(6, 3),), {"dynamic": True}


def language_model(name: str, **config: Any) -> Program:
    def build() -> Any:
        import transformers

        torch.manual_seed(0)
        model = transformers.AutoModel.from_config(
            getattr(transformers, f"{name}Config")(**config)
        ).eval()
        ids = torch.randint(0, 100, (1, 64))
        inputs = {"decoder_input_ids": ids} if name == "T5" else {}
        return model, (ids,), {"grad": False, **inputs}

    return build


_SMALL = {"hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 4, "vocab_size": 128}

PROGRAMS: dict[str, Program] = {
    "branch_and_print": branch_and_print,
    "training_step": training_step,
    "lstm": lstm,
    "attention": attention,
    "vmap_of_grad": vmap_of_grad,
    "cond": cond,
    "dynamic_shapes": dynamic_shapes,
    "bert": language_model("Bert", **_SMALL, num_hidden_layers=2),
    "llama": language_model("Llama", **_SMALL, num_hidden_layers=2, num_key_value_heads=2),
    "t5": language_model(
        "T5", d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, vocab_size=128
    ),
    "mamba": language_model(
        "Mamba", hidden_size=32, state_size=8, num_hidden_layers=2, vocab_size=128
    ),
    "longformer": language_model(
        "Longformer",
        **_SMALL,
        num_hidden_layers=2,
        attention_window=[16, 16],
        max_position_embeddings=128,
    ),
    "reformer": language_model(
        "Reformer",
        attention_head_size=8,
        hidden_size=32,
        num_attention_heads=4,
        feed_forward_size=64,
        attn_layers=["local", "lsh"],
        axial_pos_shape=[8, 8],
        axial_pos_embds_dim=[16, 16],
        vocab_size=128,
        num_buckets=4,
        is_decoder=False,
    ),
    "gpt2": language_model("GPT2", n_layer=12),
}

LARGE = {"bert", "gpt2", "llama", "longformer", "mamba", "reformer", "t5"}
"""The programs that take ten seconds or more."""
