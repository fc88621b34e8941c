"""How a model of transformers is made from its configuration, and what it is called with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from dynamo_lab.suite.models.model import Program

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dynamo_lab.suite.results import Size

Input = Literal["tokens", "pair", "image", "wave", "spectrogram", "clip"]


class Spec(Struct, frozen=True, kw_only=True):
    """How a model of transformers is made: the names of its two classes, and two sizes of it."""

    name: str
    config: str
    model: str
    small: dict[str, Any]
    input: Input = "tokens"
    full: dict[str, Any] = {}
    batch: int = 16
    length: int = 512

    def build(self, size: Size) -> Program:
        """The program; it needs a release of transformers that has this model."""
        import transformers

        given = self.small if size == "small" else self.full
        config = getattr(transformers, self.config)(**given)
        _quieten(config)
        module = getattr(transformers, self.model)(config)
        return Program(module, self._inputs(config, size))

    def _inputs(self, config: Any, size: Size) -> Mapping[str, Any]:
        batch, length = (4, 64) if size == "small" else (self.batch, self.length)
        return _INPUTS[self.input](config, batch, length)


def _quieten(config: Any) -> None:
    """Without dropout, layers left out at random, or caches."""
    for part in (config, *(value for name, value in vars(config).items() if "config" in name)):
        for name, value in vars(part).items() if hasattr(part, "__dict__") else ():
            if isinstance(value, float) and ("drop" in name or name.endswith("pdrop")):
                setattr(part, name, 0.0)
        if hasattr(part, "use_cache"):
            part.use_cache = False
        if hasattr(part, "apply_spec_augment"):
            part.apply_spec_augment = False


def _words(config: Any, batch: int, length: int) -> Any:
    import torch

    # The first few are often special: padding would shorten a sequence.
    return torch.randint(10, config.vocab_size - 10, (batch, length))


def _tokens(config: Any, batch: int, length: int) -> Mapping[str, Any]:
    return {"input_ids": _words(config, batch, length)}


def _pair(config: Any, batch: int, length: int) -> Mapping[str, Any]:
    return {
        "input_ids": _words(config, batch, length),
        "decoder_input_ids": _words(config, batch, length // 4),
    }


def _pixels(side: Any, batch: int, channels: int = 3) -> Any:
    import torch

    return torch.randn(batch, channels, side, side)


def _image(config: Any, batch: int, _: int) -> Mapping[str, Any]:
    return {"pixel_values": _pixels(getattr(config, "image_size", 224), batch)}


def _wave(_: Any, batch: int, length: int) -> Mapping[str, Any]:
    import torch

    return {"input_values": torch.randn(batch, length * 100)}


def _spectrogram(config: Any, batch: int, length: int) -> Mapping[str, Any]:
    import torch

    frames = 2 * config.max_source_positions
    return {
        "input_features": torch.randn(batch, config.num_mel_bins, frames),
        "decoder_input_ids": _words(config, batch, length // 4),
    }


def _clip(config: Any, batch: int, length: int) -> Mapping[str, Any]:
    text = config.text_config
    length = min(length, text.max_position_embeddings)
    side = config.vision_config.image_size
    return {"input_ids": _words(text, batch, length), "pixel_values": _pixels(side, batch)}


_INPUTS = {
    "tokens": _tokens,
    "pair": _pair,
    "image": _image,
    "wave": _wave,
    "spectrogram": _spectrogram,
    "clip": _clip,
}
