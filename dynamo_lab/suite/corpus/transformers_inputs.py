"""What a model of transformers may be called with: guesses from its configuration, likeliest first.

A forward says the names of its arguments, not their shapes: sound is a wave or a spectrogram, an
image one or a clip. Whoever asks tries one guess after the other.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_WORDS = 16
_FRAMES = 64


def guesses(module: Any, config: Any) -> Iterator[dict[str, Any]]:
    """Arguments by name; an image is left out where a text alone may do."""
    seen: list[list[tuple[str, tuple[int, ...]]]] = []
    for names in _names(module, config):
        alternatives = {name: _ARGUMENTS[name](config) for name in names}
        for at in range(max(map(len, alternatives.values()), default=0)):
            given = {name: each[min(at, len(each) - 1)] for name, each in alternatives.items()}
            key = [(name, tuple(value.shape)) for name, value in given.items()]
            if key not in seen:
                seen.append(key)
                yield given


def _names(module: Any, config: Any) -> Iterator[list[str]]:
    """Names of arguments to try together."""
    named = inspect.signature(module.forward).parameters
    main = [name for name in (module.main_input_name,) if name in named and name in _ARGUMENTS]
    required = [
        name
        for name, one in named.items()
        if one.default is inspect.Parameter.empty and name in _ARGUMENTS
    ]
    images = [name for name in _IMAGES if name in named][:1]
    sound = main[:1] if main and main[0] in _SOUND else []
    words = ["input_ids"] if "input_ids" in named and not sound else []
    is_pair = getattr(config, "is_encoder_decoder", False)
    answers = ["decoder_input_ids"] if is_pair and "decoder_input_ids" in named else []
    for names in (
        [*sound, *images, *words, *answers],
        [*words, *answers],
        [*main, *required, *answers],
        [name for name in named if name in _ARGUMENTS and name not in _RARE],
    ):
        yield list(dict.fromkeys((*names, *required)))


def _texts(_: Any) -> Sequence[Any]:
    import torch

    return [torch.randint(10, 400, (2, _WORDS)), torch.randint(10, 400, (1, _WORDS))]


def _answers(config: Any) -> Sequence[Any]:
    return [each[:, :8] for each in _texts(config)]


def _boxes(_: Any) -> Sequence[Any]:
    import torch

    corner = torch.tensor([10, 10, 20, 20])
    return [corner.repeat(2, _WORDS, 1), corner.repeat(1, _WORDS, 1) / 100]


def _waves(config: Any) -> Sequence[Any]:
    import torch

    bins = _found(config, "num_mel_bins") or 128
    return [
        torch.randn(1, 4000),
        torch.randn(1, 1, 4000),
        torch.randn(1, _found(config, "max_length") or _FRAMES, bins),
        torch.randn(1, 32000),
    ]


def _spectrograms(config: Any) -> Sequence[Any]:
    """By channels first, then frames first, then with a channel of their own."""
    import torch

    bins = _found(config, "num_mel_bins", "feature_size", "feature_projection_input_dim") or 80
    frames = 2 * (_found(config, "max_source_positions") or _FRAMES)
    return [
        torch.randn(1, bins, frames),
        torch.randn(1, _FRAMES, bins),
        torch.randn(1, 1, 1024, 64),
        torch.randn(1, bins, 3000),
        torch.randn(1, _FRAMES, 80),
        torch.randn(1, _FRAMES, 160),
    ]


def _images(config: Any) -> Sequence[Any]:
    """An image of the configuration's size, of usual ones, and a short clip."""
    import torch

    side = _found(config, "image_size", "img_size", "image_resolution") or 224
    height, width = side if isinstance(side, list | tuple) else (side, side)
    channels = _found(config, "num_channels", "in_channels", "in_chans") or 3
    frames = _found(config, "num_frames", "frames_per_clip") or 2
    one = torch.randn(1, channels, height, width)
    return [
        one,
        one[:, None].repeat(1, frames, 1, 1, 1),
        torch.randn(1, 3, 224, 224),
        torch.randn(1, 3, 448, 448),
    ]


def _clips(config: Any) -> Sequence[Any]:
    frames = _found(config, "num_frames", "frames_per_clip") or 2
    return [each[:, None].repeat(1, frames, 1, 1, 1) for each in _images(config)[:1]]


_GRID = (1, 4, 4)
"""Frames, rows and columns of the patches of an image that is given as a list of them."""


def _patches(config: Any) -> Sequence[Any]:
    import torch

    patch = _found(config, "patch_size") or 14
    frames = _found(config, "temporal_patch_size") or 1
    channels = _found(config, "in_channels", "in_chans", "num_channels") or 3
    count = _GRID[0] * _GRID[1] * _GRID[2]
    return [torch.randn(count, channels * frames * patch * patch)]


def _grid(_: Any) -> Sequence[Any]:
    import torch

    return [torch.tensor([_GRID])]


def _queries(config: Any) -> Sequence[Any]:
    import torch

    return [torch.randn(1, 8, _found(config, "hidden_size") or 64)]


def _mask(_: Any) -> Sequence[Any]:
    import torch

    return [torch.ones(1, _FRAMES, dtype=torch.long)]


_ARGUMENTS: dict[str, Callable[[Any], Sequence[Any]]] = {
    "input_ids": _texts,
    "decoder_input_ids": _answers,
    "pixel_values": _images,
    "pixel_values_videos": _clips,
    "input_values": _waves,
    "input_features": _spectrograms,
    "bbox": _boxes,
    "hidden_states": _patches,
    "grid_thw": _grid,
    "query_embeds": _queries,
    "input_features_mask": _mask,
}
_IMAGES = ("pixel_values", "pixel_values_videos")
_SOUND = ("input_values", "input_features")
_RARE = ("hidden_states", "query_embeds", "grid_thw")
"""What is given where a forward requires it, and nowhere else."""


def _found(config: Any, *names: str) -> Any:
    """The first of these numbers that a configuration, or a part of it, has."""
    parts = [getattr(config, part, None) for part in _PARTS]
    for one in (config, *filter(None, parts)):
        for name in names:
            if isinstance(found := getattr(one, name, None), int | list | tuple) and found:
                return found
    return None


_PARTS = ("vision_config", "audio_config", "backbone_config", "encoder_config", "encoder")
