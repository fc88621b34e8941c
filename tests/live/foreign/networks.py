"""Networks of convolutions, norms, pools and recurrences."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.live.programs import Program


def _image(*sizes: int) -> Tensor:
    return torch.randn(sizes or (2, 8, 16, 16))


def _conv(*layers: nn.Module) -> nn.Module:
    return nn.Sequential(nn.Conv2d(8, 16, 3, padding=1), *layers)


class Residual(nn.Module):
    """Two normalized convolutions and what came in."""

    def __init__(self, norm: Any) -> None:
        super().__init__()
        self.first, self.second = (nn.Conv2d(8, 8, 3, padding=1) for _ in range(2))
        self.norms = nn.ModuleList(norm() for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        y = functional.silu(self.norms[0](self.first(x)))
        return functional.silu(self.norms[1](self.second(y)) + x)


class Cells(nn.Module):
    """A recurrent cell over three steps."""

    def __init__(self, cell: nn.Module) -> None:
        super().__init__()
        self.cell = cell

    def forward(self, x: Tensor) -> Any:
        state = None
        for step in x.unbind(1):
            state = self.cell(step, state)
        return state


class Separable(nn.Module):
    """A depthwise and a pointwise convolution, squeezed and excited."""

    def __init__(self) -> None:
        super().__init__()
        self.deep, self.point = nn.Conv2d(8, 8, 3, groups=8, padding=1), nn.Conv2d(8, 16, 1)
        self.gate = nn.Conv2d(16, 16, 1)

    def forward(self, x: Tensor) -> Tensor:
        y = functional.hardswish(self.point(self.deep(x)))
        return y * torch.sigmoid(self.gate(functional.adaptive_avg_pool2d(y, 1)))


def _plain(make: Any, *sizes: int, **options: Any) -> Program:
    def build() -> Any:
        torch.manual_seed(0)
        return make().eval(), (_image(*sizes),), {"grad": False, **options}

    return build


def _trained(make: Any, *sizes: int) -> Program:
    def build() -> Any:
        torch.manual_seed(0)
        return make().train(), (_image(*sizes),), {"grad": True}

    return build


def _last(make: Any) -> Program:
    def build() -> Any:
        model = make().eval().to(memory_format=torch.channels_last)
        image = _image().to(memory_format=torch.channels_last)
        return model, (image,), {"grad": False}

    return build


def _groups() -> nn.Module:
    return nn.GroupNorm(4, 8)


def _batches() -> nn.Module:
    return nn.BatchNorm2d(8)


def _instances() -> nn.Module:
    return nn.InstanceNorm2d(8, affine=True)


def _up() -> nn.Module:
    return _conv(nn.Upsample(scale_factor=2, mode="bilinear"), nn.ReLU())


def _mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(16, 31), nn.GELU(), nn.RMSNorm(31), nn.Linear(31, 7))


PROGRAMS: dict[str, Program] = {
    "group_norm": _plain(lambda: Residual(_groups)),
    "group_norm_trained": _trained(lambda: Residual(_groups)),
    "group_norm_last": _last(lambda: Residual(_groups)),
    "batch_norm": _plain(lambda: Residual(_batches)),
    "batch_norm_trained": _trained(lambda: Residual(_batches)),
    "instance_norm": _plain(lambda: Residual(_instances)),
    "layer_norm_last": _last(lambda: _conv(nn.GroupNorm(1, 16), nn.GELU())),
    "rms_norm": _plain(_mlp, 32, 16),
    "rms_norm_trained": _trained(_mlp, 32, 16),
    "pool_max": _plain(lambda: _conv(nn.ReLU(), nn.MaxPool2d(2))),
    "pool_max_trained": _trained(lambda: _conv(nn.ReLU(), nn.MaxPool2d(3, 2, 1))),
    "pool_average": _plain(lambda: _conv(nn.AvgPool2d(2), nn.Flatten(), nn.Linear(1024, 10))),
    "pool_adaptive": _plain(lambda: _conv(nn.AdaptiveAvgPool2d(3), nn.AdaptiveMaxPool2d(1))),
    "pool_behind_product": _plain(
        lambda: nn.Sequential(nn.Linear(16, 32), nn.MaxPool1d(4), nn.AvgPool1d(2)), 4, 8, 16
    ),
    "convolution_one": _plain(lambda: nn.Sequential(nn.Conv1d(8, 16, 3), nn.GELU()), 2, 8, 33),
    "convolution_three": _plain(lambda: nn.Conv3d(4, 8, 3), 1, 4, 8, 8, 8),
    "convolution_transposed": _plain(lambda: nn.ConvTranspose2d(8, 4, 2, 2)),
    "convolution_separable": _plain(Separable),
    "convolution_dynamic": _plain(lambda: _conv(nn.ReLU()), dynamic=True),
    "upsampled": _plain(_up),
    "cell_lstm": _plain(lambda: Cells(nn.LSTMCell(8, 16)), 4, 3, 8),
    "cell_lstm_trained": _trained(lambda: Cells(nn.LSTMCell(8, 16)), 4, 3, 8),
    "cell_gru": _plain(lambda: Cells(nn.GRUCell(8, 16)), 4, 3, 8),
    "cell_plain": _plain(lambda: Cells(nn.RNNCell(8, 16)), 4, 3, 8),
    "odd_product": _plain(lambda: nn.Linear(515, 257), 1030, 515),
    "odd_product_trained": _trained(lambda: nn.Linear(515, 257), 1030, 515),
}
