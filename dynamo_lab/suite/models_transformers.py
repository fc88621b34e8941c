"""Models of transformers, from configurations: architectures as published, with random weights.

"full" is the base size of the paper where it fits twelve layers; language models of billions of
parameters are cut to twelve layers of width 768. Caches of keys are off, and so is dropout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from dynamo_lab.suite.models import Model, Program

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dynamo_lab.suite.results import Size

Input = Literal["tokens", "pair", "image", "wave", "spectrogram", "clip"]

_WIDTH = {"hidden_size": 256, "num_attention_heads": 4, "intermediate_size": 1024}
_SMALL = {**_WIDTH, "num_hidden_layers": 2, "vocab_size": 500}
_CUT = {
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 2048,
    "vocab_size": 32000,
}
_GROUPED = {"num_key_value_heads": 4}
_HEAD = {"head_dim": 64}
_PAIR = {
    "d_model": 256,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 1024,
    "decoder_ffn_dim": 1024,
    "vocab_size": 500,
}
_BASE_PAIR = {
    **_PAIR,
    "d_model": 768,
    "encoder_layers": 6,
    "decoder_layers": 6,
    "encoder_attention_heads": 12,
    "decoder_attention_heads": 12,
    "encoder_ffn_dim": 3072,
    "decoder_ffn_dim": 3072,
    "vocab_size": 50265,
}
_IMAGE = {**_WIDTH, "num_hidden_layers": 2, "image_size": 128, "patch_size": 16}
_WAVE = {
    **_WIDTH,
    "num_hidden_layers": 2,
    "vocab_size": 32,
    "conv_dim": (32, 32, 32),
    "conv_kernel": (10, 3, 3),
    "conv_stride": (5, 4, 4),
    "num_feat_extract_layers": 3,
    "num_conv_pos_embeddings": 16,
    "num_conv_pos_embedding_groups": 4,
}


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


def _language(name: str, prefix: str, head: str = "ForCausalLM", **more: Any) -> Spec:
    """A language model; `more` is of both sizes, `full_` of the full one only."""
    small = {**_SMALL, **{k: v for k, v in more.items() if not k.startswith("full")}}
    full = more.pop("full", None)
    cut = {**_CUT, **more} if full is None else full
    small.pop("full", None)
    return Spec(name=name, config=f"{prefix}Config", model=f"{prefix}{head}", small=small, full=cut,
                batch=8)  # fmt: skip


_MASKED = "ForMaskedLM"
_NOTHING: dict[str, Any] = {}

_SPECS = (
    _language("bert", "Bert", _MASKED, full=_NOTHING),
    _language("roberta", "Roberta", _MASKED, full={"max_position_embeddings": 514, "vocab_size": 50265}),
    Spec(name="distilbert", config="DistilBertConfig", model="DistilBertForMaskedLM", batch=16,
         small={"dim": 256, "n_layers": 2, "n_heads": 4, "hidden_dim": 1024, "vocab_size": 500}),
    _language("albert", "Albert", _MASKED, embedding_size=64,
              full={"hidden_size": 768, "num_attention_heads": 12, "intermediate_size": 3072}),
    _language("electra", "Electra", _MASKED, embedding_size=64, full=_NOTHING),
    _language("deberta_v2", "DebertaV2", _MASKED, relative_attention=True, pos_att_type=["p2c", "c2p"],
              full={"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
                    "intermediate_size": 3072, "relative_attention": True,
                    "pos_att_type": ["p2c", "c2p"]}),
    _language("camembert", "Camembert", _MASKED,
              full={"max_position_embeddings": 514, "vocab_size": 32005}),
    _language("mobilebert", "MobileBert", _MASKED, embedding_size=64, intra_bottleneck_size=128,
              true_hidden_size=128, full=_NOTHING),
    _language("layoutlm", "LayoutLM", _MASKED, full=_NOTHING),
    _language("squeezebert", "SqueezeBert", _MASKED, embedding_size=256, full=_NOTHING),
    _language("megatron_bert", "MegatronBert", _MASKED,
              full={"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
                    "intermediate_size": 3072}),
    _language("fnet", "FNet", _MASKED, full=_NOTHING),
    Spec(name="gpt2", config="GPT2Config", model="GPT2LMHeadModel", batch=8,
         small={"n_embd": 256, "n_layer": 2, "n_head": 4, "vocab_size": 500}),
    Spec(name="distilgpt2", config="GPT2Config", model="GPT2LMHeadModel", batch=8,
         small={"n_embd": 256, "n_layer": 1, "n_head": 4, "vocab_size": 500}, full={"n_layer": 6}),
    Spec(name="gpt_neo", config="GPTNeoConfig", model="GPTNeoForCausalLM", batch=8,
         small={"hidden_size": 256, "num_layers": 2, "num_heads": 4, "vocab_size": 500,
                "attention_types": [[["global", "local"], 1]]},
         full={"hidden_size": 768, "num_layers": 12, "num_heads": 12,
               "attention_types": [[["global", "local"], 6]]}),
    _language("opt", "OPT", ffn_dim=1024, word_embed_proj_dim=256, full=_NOTHING),
    Spec(name="bloom", config="BloomConfig", model="BloomForCausalLM", batch=8,
         small={"hidden_size": 256, "n_layer": 2, "n_head": 4, "vocab_size": 500},
         full={"hidden_size": 768, "n_layer": 12, "n_head": 12, "vocab_size": 32000}),
    _language("llama", "Llama", **_GROUPED),
    _language("mistral", "Mistral", **_GROUPED),
    _language("qwen2", "Qwen2", **_GROUPED),
    _language("qwen3", "Qwen3", **_GROUPED, head_dim=64,
              full={**_CUT, **_GROUPED, **_HEAD}),
    _language("gemma", "Gemma", **_GROUPED, head_dim=64, full={**_CUT, **_GROUPED, **_HEAD}),
    _language("phi", "Phi", full=_CUT),
    _language("falcon", "Falcon", full={**_CUT, "ffn_hidden_size": 3072}),
    _language("gpt_neox", "GPTNeoX", full=_CUT),
    _language("olmo", "Olmo", **_GROUPED),
    _language("stablelm", "StableLm", **_GROUPED),
    Spec(name="mamba", config="MambaConfig", model="MambaForCausalLM", batch=8, length=128,
         small={"hidden_size": 256, "num_hidden_layers": 2, "vocab_size": 500, "state_size": 8},
         full={"hidden_size": 768, "num_hidden_layers": 6, "vocab_size": 32000}),
    Spec(name="t5", config="T5Config", model="T5ForConditionalGeneration", input="pair", batch=8,
         small={"d_model": 256, "d_kv": 64, "d_ff": 1024, "num_layers": 2, "num_heads": 4, "vocab_size": 500},
         full={"d_model": 768, "d_kv": 64, "d_ff": 3072, "num_layers": 6, "num_heads": 12}),
    *(
        Spec(name=name, config=f"{prefix}Config", model=f"{prefix}ForConditionalGeneration",
             input="pair", small=_PAIR, full=_BASE_PAIR, batch=8)
        for name, prefix in (("bart", "Bart"), ("mbart", "MBart"), ("pegasus", "Pegasus"),
                             ("m2m100", "M2M100"), ("plbart", "PLBart"),
                             ("blenderbot", "Blenderbot"))
    ),
    Spec(name="xlnet", config="XLNetConfig", model="XLNetLMHeadModel", batch=8,
         small={"d_model": 256, "n_layer": 2, "n_head": 4, "d_inner": 1024, "vocab_size": 500},
         full={"d_model": 768, "n_layer": 12, "n_head": 12, "d_inner": 3072}),
    _language("longformer", "Longformer", _MASKED, attention_window=32,
              full={"attention_window": 256, "num_hidden_layers": 6, "max_position_embeddings": 1026}),
    Spec(name="reformer", config="ReformerConfig", model="ReformerModelWithLMHead", batch=8,
         small={"hidden_size": 256, "num_attention_heads": 4, "attention_head_size": 64,
                "feed_forward_size": 1024, "attn_layers": ["local", "local"], "vocab_size": 500,
                "axial_pos_embds": False, "max_position_embeddings": 64, "local_attn_chunk_length": 16,
                "is_decoder": True},
         full={"hidden_size": 512, "num_attention_heads": 8, "attn_layers": ["local"] * 6,
               "axial_pos_embds": False, "max_position_embeddings": 512, "vocab_size": 32000,
               "is_decoder": True}),
    Spec(name="vit", config="ViTConfig", model="ViTForImageClassification", input="image", small=_IMAGE, batch=32),
    Spec(name="deit", config="DeiTConfig", model="DeiTForImageClassification", input="image", small=_IMAGE, batch=32),
    Spec(name="beit", config="BeitConfig", model="BeitForImageClassification", input="image", small=_IMAGE, batch=32),
    Spec(name="dinov2", config="Dinov2Config", model="Dinov2ForImageClassification", input="image", small=_IMAGE, batch=32),
    Spec(name="swin", config="SwinConfig", model="SwinForImageClassification", input="image", batch=32,
         small={"image_size": 128, "patch_size": 4, "embed_dim": 48, "depths": [1, 1], "num_heads": [2, 2], "window_size": 4}),
    Spec(name="convnext", config="ConvNextConfig", model="ConvNextForImageClassification", input="image", batch=32,
         small={"image_size": 128, "hidden_sizes": [32, 64, 64, 128], "depths": [1, 1, 1, 1]}),
    Spec(name="resnet", config="ResNetConfig", model="ResNetForImageClassification", input="image", batch=32,
         small={"hidden_sizes": [64, 128], "depths": [1, 1], "embedding_size": 32}),
    Spec(name="segformer", config="SegformerConfig", model="SegformerForImageClassification", input="image", batch=32,
         small={"image_size": 128, "hidden_sizes": [32, 64, 64, 128], "depths": [1, 1, 1, 1], "num_attention_heads": [1, 2, 2, 4]}),
    Spec(name="clip", config="CLIPConfig", model="CLIPModel", input="clip", batch=32,
         small={"text_config": {**_SMALL, "max_position_embeddings": 32},
                "vision_config": {**_IMAGE}, "projection_dim": 32}),
    Spec(name="whisper", config="WhisperConfig", model="WhisperForConditionalGeneration", input="spectrogram", batch=8,
         small={**_PAIR, "max_source_positions": 50, "max_target_positions": 64, "num_mel_bins": 20,
                "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1},
         full={**_BASE_PAIR, "d_model": 512, "encoder_attention_heads": 8, "decoder_attention_heads": 8,
               "encoder_ffn_dim": 2048, "decoder_ffn_dim": 2048, "vocab_size": 51865}),
    Spec(name="wav2vec2", config="Wav2Vec2Config", model="Wav2Vec2ForCTC", input="wave", small=_WAVE, batch=8),
    Spec(name="hubert", config="HubertConfig", model="HubertForCTC", input="wave", small=_WAVE, batch=8),
)  # fmt: skip

MODELS = tuple(Model(spec.name, "transformers", spec.build) for spec in _SPECS)
