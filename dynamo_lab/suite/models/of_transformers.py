"""Models of transformers, from configurations: architectures as published, with random weights.

"full" is the base size of the paper where that has twelve layers; language models of billions of
parameters are cut to twelve layers of width 768. Caches of keys are off, and so is dropout.
"""

from typing import Any

from msgspec.structs import replace

from dynamo_lab.suite.models.from_configs import Spec
from dynamo_lab.suite.models.model import Model

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
_FLAT = {"axial_pos_embds": False, "is_decoder": True}
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


_Config = dict[str, Any]


def _causal(name: str, prefix: str, both: _Config, full: _Config | None = None) -> Spec:
    """A language model that continues text, cut to twelve layers unless `full` says otherwise."""
    large = {**_CUT, **both} if full is None else full
    return _language(name, prefix, "ForCausalLM", {**_SMALL, **both}, large)


def _masked(name: str, prefix: str, small: _Config, full: _Config) -> Spec:
    """A language model that fills gaps."""
    return _language(name, prefix, "ForMaskedLM", {**_SMALL, **small}, full)


def _language(name: str, prefix: str, head: str, small: _Config, full: _Config) -> Spec:
    made = f"{prefix}Config", f"{prefix}{head}"
    return Spec(name=name, config=made[0], model=made[1], small=small, full=full, batch=8)


def _translator(name: str, prefix: str, full: _Config | None = None) -> Spec:
    """An encoder and a decoder of text."""
    full = {**_BASE_PAIR, **(full or {})}
    spec = _language(name, prefix, "ForConditionalGeneration", _PAIR, full)
    return replace(spec, input="pair")


def _seen(name: str, prefix: str, small: _Config) -> Spec:
    """A model that classifies images."""
    spec = _language(name, prefix, "ForImageClassification", small, {})
    return replace(spec, input="image", batch=32)


def _heard(name: str, prefix: str) -> Spec:
    """A model that writes what is said, from the wave."""
    return replace(_language(name, prefix, "ForCTC", _WAVE, {}), input="wave")


_BASE = {
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
}
_LONG = {"max_position_embeddings": 514}
_PARTS = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]}
_NARROW = {"embedding_size": 64, "intra_bottleneck_size": 128, "true_hidden_size": 128}
_WORDS = {"vocab_size": 500}
_FOUR = {"depths": [1, 1, 1, 1], "hidden_sizes": [32, 64, 64, 128]}

SPECS = (
    _masked("bert", "Bert", {}, {}),
    _masked("roberta", "Roberta", {}, {**_LONG, "vocab_size": 50265}),
    _language(
        "distilbert",
        "DistilBert",
        "ForMaskedLM",
        {"dim": 256, "n_layers": 2, "n_heads": 4, "hidden_dim": 1024, **_WORDS},
        {},
    ),
    _masked("albert", "Albert", {"embedding_size": 64}, _BASE),
    _masked("electra", "Electra", {"embedding_size": 64}, {}),
    _masked("deberta_v2", "DebertaV2", _PARTS, {**_BASE, **_PARTS}),
    _masked("camembert", "Camembert", {}, {**_LONG, "vocab_size": 32005}),
    _masked("mobilebert", "MobileBert", _NARROW, {}),
    _masked("layoutlm", "LayoutLM", {}, {}),
    _masked("squeezebert", "SqueezeBert", {"embedding_size": 256}, {}),
    _masked("megatron_bert", "MegatronBert", {}, _BASE),
    _masked("fnet", "FNet", {}, {}),
    _masked(
        "longformer",
        "Longformer",
        {"attention_window": 32},
        {"attention_window": 256, "num_hidden_layers": 6, "max_position_embeddings": 1026},
    ),
    _language(
        "gpt2", "GPT2", "LMHeadModel", {"n_embd": 256, "n_layer": 2, "n_head": 4, **_WORDS}, {}
    ),
    _language(
        "distilgpt2",
        "GPT2",
        "LMHeadModel",
        {"n_embd": 256, "n_layer": 1, "n_head": 4, **_WORDS},
        {"n_layer": 6},
    ),
    _language(
        "gpt_neo",
        "GPTNeo",
        "ForCausalLM",
        {
            "hidden_size": 256,
            "num_layers": 2,
            "num_heads": 4,
            "attention_types": [[["global", "local"], 1]],
            **_WORDS,
        },
        {
            "hidden_size": 768,
            "num_layers": 12,
            "num_heads": 12,
            "attention_types": [[["global", "local"], 6]],
        },
    ),
    _causal("opt", "OPT", {"ffn_dim": 1024, "word_embed_proj_dim": 256}, {}),
    _language(
        "bloom",
        "Bloom",
        "ForCausalLM",
        {"hidden_size": 256, "n_layer": 2, "n_head": 4, **_WORDS},
        {"hidden_size": 768, "n_layer": 12, "n_head": 12, "vocab_size": 32000},
    ),
    _causal("llama", "Llama", _GROUPED),
    _causal("mistral", "Mistral", _GROUPED),
    _causal("qwen2", "Qwen2", _GROUPED),
    _causal("qwen3", "Qwen3", {**_GROUPED, **_HEAD}),
    _causal("gemma", "Gemma", {**_GROUPED, **_HEAD}),
    _causal("phi", "Phi", {}),
    _causal("falcon", "Falcon", {}, {**_CUT, "ffn_hidden_size": 3072}),
    _causal("gpt_neox", "GPTNeoX", {}),
    _causal("olmo", "Olmo", _GROUPED),
    _causal("stablelm", "StableLm", _GROUPED),
    replace(
        _language(
            "mamba",
            "Mamba",
            "ForCausalLM",
            {"hidden_size": 256, "num_hidden_layers": 2, "state_size": 8, **_WORDS},
            {"hidden_size": 768, "num_hidden_layers": 6, "vocab_size": 32000},
        ),
        length=128,
    ),
    replace(
        _language(
            "t5",
            "T5",
            "ForConditionalGeneration",
            {"d_model": 256, "d_kv": 64, "d_ff": 1024, "num_layers": 2, "num_heads": 4, **_WORDS},
            {"d_model": 768, "d_kv": 64, "d_ff": 3072, "num_layers": 6, "num_heads": 12},
        ),
        input="pair",
    ),
    _translator("bart", "Bart"),
    _translator("mbart", "MBart"),
    _translator("pegasus", "Pegasus"),
    _translator("m2m100", "M2M100"),
    _translator("plbart", "PLBart"),
    _translator("blenderbot", "Blenderbot", {"max_position_embeddings": 512}),
    _language(
        "xlnet",
        "XLNet",
        "LMHeadModel",
        {"d_model": 256, "n_layer": 2, "n_head": 4, "d_inner": 1024, **_WORDS},
        {"d_model": 768, "n_layer": 12, "n_head": 12, "d_inner": 3072},
    ),
    _language(
        "reformer",
        "Reformer",
        "ModelWithLMHead",
        {
            "hidden_size": 256,
            "num_attention_heads": 4,
            "feed_forward_size": 1024,
            "attn_layers": ["local", "local"],
            "max_position_embeddings": 64,
            "local_attn_chunk_length": 16,
            **_FLAT,
            **_WORDS,
        },
        {
            "hidden_size": 512,
            "num_attention_heads": 8,
            "attn_layers": ["local"] * 6,
            "max_position_embeddings": 512,
            "vocab_size": 32000,
            **_FLAT,
        },
    ),
    _seen("vit", "ViT", _IMAGE),
    _seen("deit", "DeiT", _IMAGE),
    _seen("beit", "Beit", _IMAGE),
    _seen("dinov2", "Dinov2", _IMAGE),
    _seen(
        "swin",
        "Swin",
        {
            "image_size": 128,
            "embed_dim": 48,
            "depths": [1, 1],
            "num_heads": [2, 2],
            "window_size": 4,
        },
    ),
    _seen("convnext", "ConvNext", {"image_size": 128, **_FOUR}),
    _seen("resnet", "ResNet", {"hidden_sizes": [64, 128], "depths": [1, 1], "embedding_size": 32}),
    _seen(
        "segformer", "Segformer", {**_FOUR, "image_size": 128, "num_attention_heads": [1, 2, 2, 4]}
    ),
    Spec(
        name="clip",
        config="CLIPConfig",
        model="CLIPModel",
        input="clip",
        batch=32,
        small={
            "text_config": {**_SMALL, "max_position_embeddings": 32},
            "vision_config": _IMAGE,
            "projection_dim": 32,
        },
    ),
    replace(
        _language(
            "whisper",
            "Whisper",
            "ForConditionalGeneration",
            {
                **_PAIR,
                "max_source_positions": 50,
                "max_target_positions": 64,
                "num_mel_bins": 20,
                "pad_token_id": 0,
                "bos_token_id": 1,
                "eos_token_id": 2,
                "decoder_start_token_id": 1,
            },
            {
                **_BASE_PAIR,
                "d_model": 512,
                "encoder_attention_heads": 8,
                "decoder_attention_heads": 8,
                "encoder_ffn_dim": 2048,
                "decoder_ffn_dim": 2048,
                "vocab_size": 51865,
            },
        ),
        input="spectrogram",
    ),
    _heard("wav2vec2", "Wav2Vec2"),
    _heard("hubert", "Hubert"),
)
"""How each is made."""


MODELS = tuple(Model(spec.name, "transformers", spec.build) for spec in SPECS)
