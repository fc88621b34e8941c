"""Models of timm, by its names: https://huggingface.co/timm. Weights are random."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.suite.models.model import Model, Program

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.suite.results import Size

_BATCHES = {
    "resnet50": 64,
    "efficientnet_b0": 64,
    "mobilenetv3_large_100": 64,
    "convnext_tiny": 32,
    "regnety_032": 32,
    "densenet121": 32,
    "vit_base_patch16_224": 32,
    "deit_small_patch16_224": 64,
    "swin_tiny_patch4_window7_224": 32,
    "beit_base_patch16_224": 32,
    "mixer_b16_224": 32,
    "gmlp_s16_224": 32,
    "ghostnet_100": 64,
    "hrnet_w18": 32,
    "inception_v3": 32,
    "mnasnet_100": 64,
    "nfnet_l0": 32,
    "repvgg_a2": 32,
    "tf_efficientnetv2_s": 32,
    "convit_small": 32,
    "levit_128": 64,
    "resnext50_32x4d": 32,
    "xcit_small_12_p16_224": 32,
    "poolformer_m36": 32,
    "dla102": 32,
    "res2net50_14w_8s": 32,
    "coat_lite_mini": 32,
    "dpn107": 16,
}
"""A batch for each name; most of the names are among the 61 of PyTorch 2.0's announcement."""


def _build(name: str) -> Callable[[Size], Program]:
    def build(size: Size) -> Program:
        import importlib

        import torch

        timm: Any = importlib.import_module("timm")
        module = timm.create_model(name, pretrained=False)
        side = module.default_cfg["input_size"][-1]
        batch = 2 if size == "small" else _BATCHES[name]
        return Program(module, {"x": torch.randn(batch, 3, side, side)})

    return build


MODELS = tuple(Model(name, "timm", _build(name)) for name in _BATCHES)
