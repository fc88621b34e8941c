"""Programs in which one line, which ends in `# wrong`, is made wrong by a fault in the compiler."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional as F


def gelu(x: Any, w: Any) -> Any:
    h = x @ w
    h = F.gelu(h)  # wrong
    return h.sum(0) + 1


def silu_twice(x: Any) -> Any:
    y = x.relu() + 1
    y = F.silu(y)  # wrong
    return y * x


def hardswish(x: Any) -> Any:
    x = x * 3
    return F.hardswish(x)  # wrong


def smooth_l1(x: Any, y: Any) -> Any:
    a = x * 2
    loss = F.smooth_l1_loss(a, y)  # wrong
    return loss * 3


def layer_norm(x: Any) -> Any:
    h = x.sigmoid()
    h = F.layer_norm(h, (32,))  # wrong
    return h.tanh()


def gelu_gradient(x: Any) -> Any:
    y = x * 2
    y = F.gelu(y)  # wrong
    return y.sum(1)


def exp_pass(x: Any) -> Any:
    y = x.abs() + 0.5
    y = y.exp()  # wrong
    return y + x


def sin_pass(x: Any) -> Any:
    a = x * 3
    b = a.sin()  # wrong
    return b + a.sigmoid()


def tanh_own_pass(x: Any) -> Any:
    a = x.exp()
    b = x.tanh()  # wrong
    return a * b


def joint_pass(x: Any) -> Any:
    a = x + 1
    b = a.cos()  # wrong
    return b * a


def exp_sub(x: Any, y: Any) -> Any:
    a = (x + 1).exp()
    b = a - y  # wrong
    return b * 2


def erf_lowered(x: Any) -> Any:
    y = x.sigmoid() * 2
    y = torch.erf(y)  # wrong
    return y + x.tanh()


def tanh_lowered(x: Any, w: Any) -> Any:
    h = x @ w
    h = h.tanh()  # wrong
    return torch.softmax(h, -1)


def cat_lowered(x: Any, y: Any) -> Any:
    a = x.exp()
    b = torch.cat([a, y], 1)  # wrong
    return b.sigmoid()


def amax_lowered(x: Any) -> Any:
    a = x.cos() + 2
    m = a.amax(1)  # wrong
    return m.sqrt()


def rsqrt_trained(x: Any) -> Any:
    a = x.exp()
    b = a.rsqrt()  # wrong
    return (b * 2).sum(0)


def exp_printed(x: Any) -> Any:
    a = x.sin() + 1
    a = a.exp()  # wrong
    return a * x


def sqrt_printed(x: Any) -> Any:
    a = x * x + 1
    b = a.sqrt()  # wrong
    return b + x.cos()


def maximum_printed(x: Any, y: Any) -> Any:
    a = x * 2
    b = torch.maximum(a, y)  # wrong
    return b.exp()


def neg_fused(x: Any) -> Any:
    a = x.exp()
    s = a.sum(1, keepdim=True)
    b = -a  # wrong
    return b / s
