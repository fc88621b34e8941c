"""Models made of torch.nn alone: the shapes of networks that are in no library."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from dynamo_lab.suite.models.model import Model, Program

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.suite.results import Size


def _mlp(size: Size) -> Program:
    batch, width, depth = (32, 256, 4) if size == "small" else (4096, 2048, 8)
    layers = [nn.Sequential(nn.Linear(width, width), nn.GELU()) for _ in range(depth)]
    module = nn.Sequential(*layers, nn.LayerNorm(width), nn.Linear(width, 10))
    return _program(module, torch.randn(batch, width))


class _Recurrent(nn.Module):
    """Words to the next word, by a recurrent layer."""

    def __init__(self, kind: Callable[..., nn.Module], words: int, width: int, layers: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.layers = kind(width, width, layers, batch_first=True)
        self.head = nn.Linear(width, words)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        states, _ = self.layers(self.embed(x))
        return self.head(states)


def _recurrent(kind: Callable[..., nn.Module]) -> Callable[[Size], Program]:
    def build(size: Size) -> Program:
        batch, steps, width = (4, 16, 64) if size == "small" else (64, 128, 1024)
        module = _Recurrent(kind, 1000, width, 2)
        return _program(module, torch.randint(1000, (batch, steps)))

    return build


def _encoder(size: Size) -> Program:
    batch, steps, width, heads, layers = (
        (2, 32, 64, 4, 2) if size == "small" else (32, 256, 768, 12, 6)
    )
    layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, batch_first=True)
    module = nn.Sequential(
        nn.TransformerEncoder(layer, layers, enable_nested_tensor=False), nn.Linear(width, 100)
    )
    return _program(module, torch.randn(batch, steps, width))


class _Translator(nn.Module):
    """An encoder and a decoder."""

    def __init__(self, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.both = nn.Transformer(
            width, heads, layers, layers, 4 * width, dropout=0.0, batch_first=True
        )
        self.head = nn.Linear(width, 100)

    def forward(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return self.head(self.both(source, target))


def _translator(size: Size) -> Program:
    batch, steps, width, heads, layers = (
        (2, 16, 64, 4, 1) if size == "small" else (32, 128, 512, 8, 6)
    )
    inputs = {name: torch.randn(batch, steps, width) for name in ("source", "target")}
    return Program(_Translator(width, heads, layers), inputs)


def _double(before: int, after: int) -> nn.Sequential:
    """Two convolutions, each normalised."""
    steps = [
        nn.Sequential(
            nn.Conv2d(a, after, 3, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU()
        )
        for a in (before, after)
    ]
    return nn.Sequential(*steps)


class _UNet(nn.Module):
    """Down and up again, what was on the way down added on the way up (Ronneberger 2015)."""

    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        widths = [width * 2**at for at in range(depth + 1)]
        self.down = nn.ModuleList(
            _double(a, b) for a, b in zip([3, *widths[:-2]], widths[:-1], strict=True)
        )
        self.middle = _double(widths[-2], widths[-1])
        self.wider = nn.ModuleList(
            nn.ConvTranspose2d(2 * w, w, 2, stride=2) for w in reversed(widths[:-1])
        )
        self.up = nn.ModuleList(_double(2 * w, w) for w in reversed(widths[:-1]))
        self.head = nn.Conv2d(width, 3, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        kept: list[torch.Tensor] = []
        for block in self.down:
            x = block(x)
            kept.append(x)
            x = nn.functional.max_pool2d(x, 2)
        x = self.middle(x)
        for wider, block in zip(self.wider, self.up, strict=True):
            x = block(torch.cat([kept.pop(), wider(x)], dim=1))
        return self.head(x)


def _unet(size: Size) -> Program:
    batch, side, width, depth = (1, 32, 8, 2) if size == "small" else (8, 256, 64, 4)
    return _program(_UNet(width, depth), torch.randn(batch, 3, side, side), "values")


def _generator(size: Size) -> Program:
    """The generator of DCGAN (Radford 2016)."""
    batch, width = (4, 8) if size == "small" else (64, 64)
    widths = [100, 8 * width, 4 * width, 2 * width, width]
    steps: list[nn.Module] = []
    for at, (a, b) in enumerate(pairwise(widths)):
        up = nn.ConvTranspose2d(a, b, 4, 1 if at == 0 else 2, 0 if at == 0 else 1, bias=False)
        steps += [up, nn.BatchNorm2d(b), nn.ReLU(True)]
    module = nn.Sequential(*steps, nn.ConvTranspose2d(width, 3, 4, 2, 1), nn.Tanh())
    return _program(module, torch.randn(batch, 100, 1, 1), "values")


def _discriminator(size: Size) -> Program:
    """The discriminator of DCGAN."""
    batch, width = (4, 8) if size == "small" else (64, 64)
    widths = [3, width, 2 * width, 4 * width, 8 * width]
    steps: list[nn.Module] = []
    for a, b in pairwise(widths):
        steps += [nn.Conv2d(a, b, 4, 2, 1, bias=False), nn.BatchNorm2d(b), nn.LeakyReLU(0.2, True)]
    module = nn.Sequential(*steps, nn.Conv2d(8 * width, 1, 4), nn.Flatten(), nn.Sigmoid())
    return _program(module, torch.randn(batch, 3, 64, 64), "values")


def _autoencoder(size: Size) -> Program:
    batch, widths = (32, (784, 128, 16)) if size == "small" else (4096, (784, 1024, 512, 64))
    pairs = [*pairwise(widths)]
    pairs += [(b, a) for a, b in reversed(pairs)]
    steps = [nn.Sequential(nn.Linear(a, b), nn.SiLU()) for a, b in pairs]
    return _program(nn.Sequential(*steps), torch.randn(batch, widths[0]), "values")


class _Block(nn.Module):
    """A basic residual block (He 2016)."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(after) for _ in range(2))
        self.short = (
            nn.Identity()
            if before == after
            else nn.Sequential(
                nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after)
            )
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norms[0](self.first(x)).relu()
        return (self.norms[1](self.second(y)) + self.short(x)).relu()


def _resnet(size: Size) -> Program:
    batch, side, width = (2, 32, 16) if size == "small" else (64, 224, 64)
    widths = [width, width, 2 * width, 4 * width, 8 * width]
    blocks = [
        nn.Sequential(_Block(a, b, 1 if a == b else 2), _Block(b, b, 1))
        for a, b in pairwise(widths)
    ]
    stem = (nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            nn.MaxPool2d(3, 2, 1))  # fmt: skip
    end = (nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8 * width, 100))
    return _program(nn.Sequential(*stem, *blocks, *end), torch.randn(batch, 3, side, side))


class _Recommender(nn.Module):
    """Bags of embeddings and numbers, and how each pair of them meets, as in DLRM (Naumov 2019)."""

    def __init__(self, tables: int, rows: int, width: int) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.EmbeddingBag(rows, width, mode="sum") for _ in range(tables))
        self.bottom = nn.Sequential(
            nn.Linear(13, 4 * width), nn.ReLU(), nn.Linear(4 * width, width), nn.ReLU()
        )
        pairs = (tables + 1) * tables // 2
        first, second = torch.tril_indices(tables + 1, tables + 1, -1)
        self.first, self.second = nn.Buffer(first), nn.Buffer(second)
        self.top = nn.Sequential(
            nn.Linear(pairs + width, 4 * width), nn.ReLU(), nn.Linear(4 * width, 1), nn.Sigmoid()
        )

    def forward(self, numbers: torch.Tensor, bags: torch.Tensor) -> torch.Tensor:
        dense = self.bottom(numbers)
        each = [dense, *(table(bags[:, at]) for at, table in enumerate(self.tables))]
        stacked = torch.stack(each, 1)
        met = (stacked @ stacked.transpose(1, 2))[:, self.first, self.second]
        return self.top(torch.cat([dense, met], 1))


def _recommender(size: Size) -> Program:
    batch, tables, rows, width = (64, 4, 1000, 16) if size == "small" else (8192, 26, 100_000, 64)
    inputs = {
        "numbers": torch.randn(batch, 13),
        "bags": torch.randint(rows, (batch, tables, 4)),
    }
    return Program(_Recommender(tables, rows, width), inputs, "values")


class _Convolved(nn.Module):
    """Dilated convolutions over time with gates, as in WaveNet (van den Oord 2016)."""

    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        self.start = nn.Conv1d(1, width, 1)
        self.layers = nn.ModuleList(
            nn.Conv1d(width, 2 * width, 2, dilation=2**at) for at in range(depth)
        )
        self.mixes = nn.ModuleList(nn.Conv1d(width, width, 1) for _ in range(depth))
        self.head = nn.Conv1d(width, 1, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.start(x)
        skipped = torch.zeros_like(x)
        for at, (layer, mix) in enumerate(zip(self.layers, self.mixes, strict=True)):
            value, gate = layer(nn.functional.pad(x, (2**at, 0))).chunk(2, 1)
            step = mix(value.tanh() * gate.sigmoid())
            x, skipped = x + step, skipped + step
        return self.head(torch.relu(skipped))


def _wavenet(size: Size) -> Program:
    batch, steps, width, depth = (1, 256, 16, 4) if size == "small" else (16, 8192, 64, 10)
    return _program(_Convolved(width, depth), torch.randn(batch, 1, steps), "values")


class _Graph(nn.Module):
    """Neighbours summed into each node, as in a graph convolution (Kipf 2017)."""

    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.head = nn.Linear(width, 16)

    def forward(self, nodes: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
        for layer, norm in zip(self.layers, self.norms, strict=True):
            gathered = torch.zeros_like(nodes).index_add(0, ends[1], nodes[ends[0]])
            nodes = nodes + norm(layer(gathered)).relu()
        return self.head(nodes)


def _graph(size: Size) -> Program:
    nodes, edges, width = (200, 1000, 32) if size == "small" else (50_000, 500_000, 128)
    inputs = {"nodes": torch.randn(nodes, width), "ends": torch.randint(nodes, (2, edges))}
    return Program(_Graph(width, 3), inputs)


class _Renamed(nn.Module):
    """A module called by the name of its argument, as all on the list are."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, x: torch.Tensor) -> Any:
        return self.module(x)


def _program(module: nn.Module, x: torch.Tensor, target: Any = "classes") -> Program:
    return Program(_Renamed(module), {"x": x}, target)


MODELS = tuple(
    Model(name, "torch", build)
    for name, build in {
        "mlp": _mlp,
        "lstm": _recurrent(nn.LSTM),
        "gru": _recurrent(nn.GRU),
        "transformer_encoder": _encoder,
        "transformer": _translator,
        "unet": _unet,
        "dcgan_generator": _generator,
        "dcgan_discriminator": _discriminator,
        "autoencoder": _autoencoder,
        "resnet18_plain": _resnet,
        "dlrm": _recommender,
        "wavenet": _wavenet,
        "graph_convolution": _graph,
    }.items()
)
